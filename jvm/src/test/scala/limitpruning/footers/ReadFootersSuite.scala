package limitpruning.footers

import java.util.concurrent.{ExecutionException, TimeoutException}

import scala.collection.mutable.ArrayBuffer
import scala.concurrent.duration.{Deadline, DurationInt, FiniteDuration}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.catalyst.InternalRow
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.parquet.{FileColumns, Footer, FooterReader, UnreadableFooterException}
import limitpruning.select.ListedFile
import limitpruning.testing.{ParquetFixture, TempFolder}

class ReadFootersSuite extends AnyFunSuite with TempFolder {
  private val a = FileColumns.named(Seq("a"))

  private lazy val files: Seq[ListedFile] = (1 to 5).map { rows =>
    val fixture =
      ParquetFixture("required int32 a; required int32 b;").rowGroup((0 until rows).map(Seq(_, 1)): _*)
    ListedFile.alone(InternalRow.empty, status(fixture.write(folder.resolve(s"$rows.parquet"))))
  }

  /** Reads footers when `begin` is called, and records the calls. */
  private final class Source(cache: FactsCache, answer: FileStatus => Option[Footer]) extends FooterSource {
    val asked = ArrayBuffer.empty[(String, FileColumns)]
    var open = 0

    override def begin(files: Seq[FooterToRead]): FootersUnderWay = {
      asked ++= files.map(f => f.file.getPath.getName -> f.columns)
      open += 1
      new FootersUnderWay {
        override def await(index: Int, time: FiniteDuration): Footer = {
          val file = files(index).file
          try cache.keep(file, answer(file).getOrElse(throw new TimeoutException))
          catch { case e: UnreadableFooterException => throw new ExecutionException(e) }
        }
        override def close(): Unit = open -= 1
      }
    }
  }

  private def reading(columns: FileColumns): FileStatus => Option[Footer] =
    file => Some(new FooterReader(new Configuration()).read(file, columns))

  private final class Fixture(columns: FileColumns = a, cache: FactsCache = new FactsCache(1 << 20)) {
    val few, many = new Source(cache, reading(columns))
    val footers = new ReadFooters(columns, cache, few, many, jobFiles = 3)
    def rows(wave: Seq[ListedFile]): Seq[Long] = rowsOf(footers(wave))
  }

  private def rowsOf(wave: FooterWave): Seq[Long] =
    try
      Iterator.continually(wave.next(Deadline.now + 1.minute)).takeWhile(_.nonEmpty).flatten
        .map(_.rowGroups.map(_.getRowCount).sum).toSeq
    finally wave.close()

  test("footers arrive in the order of their files, few from threads, many from a job") {
    val fixture = new Fixture
    assert(fixture.rows(files.take(2)) == Seq(1, 2))
    assert(fixture.few.asked.map(_._1) == Seq("1.parquet", "2.parquet") && fixture.many.asked.isEmpty)
    assert(fixture.rows(files.drop(2)) == Seq(3, 4, 5))
    assert(fixture.many.asked.map(_._1) == Seq("3.parquet", "4.parquet", "5.parquet"))
    assert(fixture.few.open == 0 && fixture.many.open == 0)
  }

  test("threads read many footers, too, while the cluster is busy") {
    val few, many = new Source(FactsCache.none, reading(a))
    val footers = new ReadFooters(a, FactsCache.none, few, many, jobFiles = 3, isBusy = () => true)
    assert(rowsOf(footers(files)) == Seq(1, 2, 3, 4, 5))
    assert(few.asked.size == 5 && many.asked.isEmpty)
  }

  test("threads read what a job has not begun to read after half of the time") {
    val few = new Source(FactsCache.none, reading(a))
    val stuck = new Source(FactsCache.none, _ => None)
    assert(rowsOf(byJob(stuck, few)(files)) == Seq(1, 2, 3, 4, 5))
    assert(stuck.asked.size == 5 && few.asked.size == 5)
    assert(stuck.open == 0 && few.open == 0)
  }

  test("a job that has begun to answer is waited for") {
    val few = new Source(FactsCache.none, reading(a))
    val first = files.head.status.getPath
    val slow = new Source(FactsCache.none, file => if (file.getPath == first) reading(a)(file) else None)
    assert(rowsOf(byJob(slow, few)(files)) == Seq(1))
    assert(few.asked.isEmpty && slow.open == 0)
  }

  private def byJob(job: Source, threads: Source): ReadFooters =
    new ReadFooters(a, FactsCache.none, threads, new FootersByJobOrThreads(job, threads), jobFiles = 3)

  test("a cached footer is not read again, and is counted") {
    val cache = new FactsCache(1 << 20)
    assert(new Fixture(a, cache).rows(files.take(3)) == Seq(1, 2, 3))
    val again = new Fixture(a, cache)
    assert(again.rows(files) == Seq(1, 2, 3, 4, 5))
    assert(again.footers.hits == 3)
    assert(again.few.asked.map(_._1) == Seq("4.parquet", "5.parquet"))
    assert(again.many.asked.isEmpty, "it is those to be read that count")
  }

  test("a cached footer without a needed column is read again, with all its previous columns") {
    val cache = new FactsCache(1 << 20)
    val _ = new Fixture(a, cache).rows(files.take(1))
    val b = FileColumns.named(Seq("b"))
    val other = new Fixture(b, cache)
    val _ = other.rows(files.take(1))
    assert(other.footers.hits == 0)
    assert(other.few.asked.map(_._2.covers(a ++ b)).toSeq == Seq(true))
  }

  test("no files have no footer") {
    assert(new Fixture().rows(Nil) == Nil)
  }

  test("a footer that does not arrive in time is none") {
    val slow = new Source(FactsCache.none, _ => None)
    val wave = new ReadFooters(a, FactsCache.none, slow, slow, jobFiles = 100)(files)
    assert(wave.next(Deadline.now).isEmpty)
    wave.close()
    assert(slow.open == 0)
  }

  test("the error is that of the file") {
    val broken =
      new Source(FactsCache.none, file => throw new UnreadableFooterException(file, "it is broken"))
    val wave = new ReadFooters(a, FactsCache.none, broken, broken, jobFiles = 100)(files)
    val error = intercept[UnreadableFooterException](wave.next(Deadline.now + 1.minute))
    assert(error.getMessage.contains("1.parquet: it is broken"))
  }
}
