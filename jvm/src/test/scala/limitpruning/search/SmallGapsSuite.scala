package limitpruning.search

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.datasources.FileScanRDD
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.conf.LimitPruningConf
import limitpruning.select.{CandidateRows, ProvedRows}
import limitpruning.testing.{ParquetFixture, SparkSuite}

/** Row groups between chosen ones, for readers that open a file again behind each gap. */
class SmallGapsSuite extends AnyFunSuite with SparkSuite {
  private val fixture = ParquetFixture("required int32 a; required binary s (STRING);")

  /** A row group of three values of `a`, with strings of a length. */
  private def rowGroup(file: ParquetFixture, first: Int, length: Int): ParquetFixture =
    file.rowGroup((0 until 3).map(i => Seq[Any](first + 5 * i, "x".padTo(length, ' '))): _*)

  private val large = 100 * 1000

  // a >= 100: fully, not, fully, not and partially, fully; the second gap is larger than what opening a file takes
  private lazy val table: DataFrame = tableOf(
    "gaps",
    "0.parquet" -> Seq(200 -> 1, 0 -> 1, 300 -> 1, 10 -> large, 95 -> 1, 400 -> 1).foldLeft(fixture) {
      case (file, (first, length)) => rowGroup(file, first, length)
    }
  )

  private val byRow = "spark.sql.parquet.enableVectorizedReader" -> "false"
  private val footersAlone = LimitPruningConf.MaxBytes.key -> "0"

  private def ordinals(query: DataFrame): Seq[Seq[Int]] =
    scansOf(query).flatMap(_.chosen.selection.files.map(_.rowGroups.map(_.ordinal)))

  private def splits(query: DataFrame): Int =
    scansOf(query).map(_.execute().dependencies.head.rdd).collect { case rdd: FileScanRDD =>
      rdd.filePartitions.map(_.files.length).sum
    }.sum

  private def isRight(query: => DataFrame, rows: Int): Assertion = {
    val (ours, plain) = rowsBothWays(query)
    assert(ours.size == rows && plain.size == rows)
    assert(ours.forall(_.getInt(0) >= 100) && ours.distinct.size == rows)
  }

  test("a reader that passes over row groups reads what is proved alone") {
    withConf(footersAlone) {
      def query = table.where("a >= 100").limit(9)
      assert(ordinals(query) == Seq(Seq(0, 2, 5)))
      assert(scansOf(query).map(_.chosen).forall(_.isInstanceOf[ProvedRows]))
      isRight(query, 9)
    }
  }

  test(
    "a row-based reader reads small gaps, and the filter stays; it opens the file again behind large ones"
  ) {
    withConf(byRow, footersAlone) {
      def query = table.where("a >= 100").limit(9)
      assert(ordinals(query) == Seq(Seq(0, 1, 2, 5)))
      assert(splits(query) == 2)
      scansOf(query).map(_.chosen) match {
        case Seq(rows: CandidateRows) => assert(rows.notCovered.isEmpty && rows.top.isEmpty)
        case other => fail(s"$other")
      }
      isRight(query, 9)
    }
  }

  test("the bytes of a gap are those of the columns that are read") {
    withConf(byRow, footersAlone) {
      def query = table.select("a").where("a >= 100").limit(9)
      assert(ordinals(query) == Seq(0 to 5))
      assert(splits(query) == 1)
      isRight(query, 9)
    }
  }

  test("nothing between is read if no gap is left") {
    withConf(byRow, footersAlone) {
      val query = table.where("a >= 100").limit(3)
      assert(ordinals(query) == Seq(Seq(0)))
      assert(scansOf(query).map(_.chosen).forall(_.isInstanceOf[ProvedRows]))
    }
  }

  test("a LIMIT that is not covered reads small gaps, too") {
    withConf(byRow, footersAlone) {
      def query = table.select("a").where("a >= 100 AND a % 10 = 0").limit(8)
      assert(reasonOf(query).contains("not-enough-rows"))
      assert(ordinals(query) == Seq(0 to 5))
      isRight(query, 7)
    }
  }
}
