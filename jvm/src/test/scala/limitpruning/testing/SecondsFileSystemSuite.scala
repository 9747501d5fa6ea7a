package limitpruning.testing

import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime

import org.apache.hadoop.fs.{EtagSource, LocatedFileStatus, Path => HadoopPath}
import org.apache.spark.sql.DataFrame
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.conf.LimitPruningConf
import limitpruning.scan.FileChangedException

/** Queries over files whose times differ between listings and file statuses. */
class SecondsFileSystemSuite extends AnyFunSuite with SparkSuite {

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    SecondsFileSystem.register(spark.sparkContext.hadoopConfiguration)
  }

  /** 2026-01-02T03:04:05, plus milliseconds. */
  private def timeOf(millis: Int) = FileTime.fromMillis(1767323045000L + millis)

  /**
   * Two row groups of 100 rows each, in pages of 10; `a` is 0 … 199 from `first` on, or the same below zero.
   */
  private def file(path: Path, first: Int, sign: Int = 1, millis: Int = 678): Path = {
    val rows = (1 to 200).map(a => Seq[Any](sign * (first + a)))
    val fixture = rows.grouped(100).foldLeft(ParquetFixture("required int32 a;"))(_.rowGroup(_: _*))
    Files.setLastModifiedTime(fixture.write(path), timeOf(millis))
  }

  /** Two files: a is 1 … 400. */
  private def table(name: String): Path = {
    Seq("0", "1").foreach(part => file(pathOf(s"$name/$part.parquet"), part.toInt * 200))
    folder.resolve(name)
  }

  private val readers = Seq("columnar" -> "true", "row-based" -> "false")

  for (scheme <- Seq("seconds", "seconds-tagged")) {
    def read(folder: Path): DataFrame = spark.read.parquet(s"$scheme://$folder")
    def values(df: DataFrame): Seq[Int] = df.collect().toSeq.map(_.getInt(0))

    test(s"$scheme: listings have milliseconds, a status has whole seconds") {
      val path = new HadoopPath(s"$scheme://${table(s"$scheme-times")}")
      val fileSystem = path.getFileSystem(spark.sparkContext.hadoopConfiguration)
      val listed = fileSystem.listStatus(path).toSeq
      val statuses = listed.map(each => fileSystem.getFileStatus(each.getPath))
      assert(listed.map(_.getModificationTime).distinct == Seq(timeOf(678).toMillis))
      assert(statuses.map(_.getModificationTime).distinct == Seq(timeOf(0).toMillis))
      assert(listed.map(_.getLen) == statuses.map(_.getLen))
      val tags = (listed ++ statuses).collect { case each: LocatedFileStatus with EtagSource => each.getEtag }
      assert(tags.distinct.size == (if (scheme == "seconds") 0 else 2))
    }

    for ((reader, isVectorized) <- readers) test(s"$scheme: LIMITs give the rows they should: $reader") {
      val numbers = read(table(s"$scheme-$reader"))
      withConf(
        "spark.sql.parquet.enableVectorizedReader" -> isVectorized,
        LimitPruningConf.MinPageBytes.key -> "0"
      ) {
        for {
          (query, count, allowed) <- Seq(
            (numbers.where("a > 50").limit(70), 70, 51 to 400), // some rows of a row group
            (numbers.where("a > 50").limit(200), 200, 51 to 400),
            (numbers.limit(400), 400, 1 to 400)
          )
        } {
          assert(reasonOf(query).isEmpty)
          val rows = values(query)
          assert(rows.size == count && rows.distinct.size == count && rows.forall(allowed.contains))
        }
        val notCovered = numbers.where("a > 50 AND a % 7 <> 3").limit(400)
        assert(reasonOf(notCovered).nonEmpty)
        assert(values(notCovered).sorted == (51 to 400).filter(_ % 7 != 3))
        val ordered = numbers.where("a < 350").orderBy("a").limit(5)
        assert(scansOf(ordered).nonEmpty)
        assert(values(ordered) == (1 to 5))
      }
    }

    test(
      s"$scheme: a file that is overwritten after planning, by as many bytes in the same second, is an error"
    ) {
      val path = table(s"$scheme-overwritten")
      val queries = Seq(read(path).where("a <> 0").limit(70), read(path).orderBy("a").limit(70))
      queries.foreach(planned)
      val before = Files.size(path.resolve("0.parquet"))
      file(path.resolve("0.parquet"), 0, sign = -1)
      assert(Files.size(path.resolve("0.parquet")) == before)
      for (query <- queries) {
        val message = intercept[FileChangedException](query.collect()).getMessage
        assert(
          message.contains("0.parquet is not the file that the LIMIT was planned for")
        )
      }
      // By its time and its length, it is the file whose footer is cached.
      spark.catalog.refreshByPath(s"$scheme://$path")
      val rows = values(read(path).where("a <> 0").limit(70))
      assert(rows.size == 70 && rows.forall((-200 to -1) contains _))
    }
  }
}
