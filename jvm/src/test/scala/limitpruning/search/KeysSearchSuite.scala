package limitpruning.search

import scala.concurrent.duration.DurationInt

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.footers.{FooterWave, PlanningMemory}
import limitpruning.parquet.ReadSettings
import limitpruning.select.ListedFile
import limitpruning.testing.{RawChunk, RawFooter}

class KeysSearchSuite extends AnyFunSuite {
  private val a = AttributeReference("a", IntegerType)()
  private val b = AttributeReference("b", IntegerType)()
  private val isOdd = EqualTo(Remainder(b, Literal(2)), Literal(1))
  private val settings = ReadSettings(caseSensitive = false, byFieldId = false, rebaseMode = "CORRECTED")

  /** The maxima of `a` in the row groups that were found, and the number of footers that were read. */
  private type Found = (Option[Seq[Int]], Int)

  /** @param files for each row group of each file, the max of `a`; some rows may match */
  private def search(
      limit: Int,
      files: Seq[Seq[Int]],
      maxFiles: Int = 1000,
      predicate: Expression = isOdd
  ): Found = {
    val listed = files.indices.map { i =>
      ListedFile(
        InternalRow.empty,
        new FileStatus(1000L, false, 1, 1, 2000L, new Path(s"/f$i")),
        position = i
      )
    }
    val key = SortOrder(a, Descending)
    val classify =
      new ClassifyRowGroups(Seq(predicate), Seq(a, b), new StructType(), settings, alsoNeeded = Seq(a))
    val budget = SearchBudget(maxFiles, maxTime = 1.minute, firstFiles = 4)
    val footers = (wave: Seq[ListedFile]) =>
      new FooterWave(wave.map(file => Some(footer(files(file.position)))).toIndexedSeq, None, () => ())
    val memory = new PlanningMemory().search(budget.maxMemory)
    val (result, counts) =
      new KeysSearch(
        limit,
        new KeyFacts(key, Seq(predicate), classify),
        WaveInputs(budget, memory, footers, classify(_, _))
      ).run(listed)
    (result.toOption.map(_.candidates.map(_.best.get.asInstanceOf[Int])), counts.filesInspected)
  }

  private def footer(maxima: Seq[Int]) =
    maxima.foldLeft(RawFooter("optional int32 a; optional int32 b;")) { (raw, max) =>
      raw.rowGroup(10, RawChunk.between(-1000, max).nulls(0), RawChunk.between(max - 1, max).nulls(0))
    }.footer

  test("all row groups that may match are found, those with the best keys first") {
    assert(search(1, Seq(Seq(3, 9), Seq(7, 1), Seq(5, 2)))._1.contains(Seq(9, 7, 5, 3, 2, 1)))
    // `b` is at most 4 where `a` is.
    val found = search(1, Seq(Seq(3, 9), Seq(7, 1, 8), Seq(5, 2)), predicate = GreaterThan(b, Literal(4)))
    assert(found._1.contains(Seq(9, 8, 7, 5)))
  }

  test("none are found if there are fewer than four for each row, and few footers are read") {
    val files = (1 to 100).map(max => Seq(max, max + 1000))
    assert(search(50, files) == ((Some((1 to 100).flatMap(i => Seq(i, i + 1000)).sorted.reverse), 100)))
    assert(search(51, files) == ((None, 4)))
  }

  test("none are found if most row groups have the best key") {
    assert(search(1, Seq.fill(100)(Seq(7, 7, 6))) == ((None, 4)))
    // The first files are not like the others.
    val files = (0 until 4).map(Seq(_)) ++ Seq.fill(96)(Seq(7))
    assert(search(1, files)._1.isEmpty)
  }

  test("none are found if not all files can be inspected") {
    assert(search(1, (0 until 100).map(Seq(_)), maxFiles = 99)._1.isEmpty)
    assert(search(1, (0 until 100).map(Seq(_)), maxFiles = 100)._1.nonEmpty)
  }
}
