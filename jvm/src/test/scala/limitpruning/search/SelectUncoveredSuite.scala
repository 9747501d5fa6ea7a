package limitpruning.search

import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.conf.LimitPruningConf
import limitpruning.select.Selection
import limitpruning.testing.{FooterEdit, ParquetFixture, SparkSuite}

/** The selections of LIMITs that are not covered. */
class SelectUncoveredSuite extends AnyFunSuite with SparkSuite {
  private val fixture = ParquetFixture("required int32 a; required int32 b;")

  /** Row groups of five rows. `a` starts with the given number and has gaps, which dictionaries do not close. */
  private def file(starts: Int*): ParquetFixture = starts.foldLeft(fixture) { (file, start) =>
    file.rowGroup((0 until 5).map(i => Seq(start + i * 2, i)): _*)
  }

  // a >= 100: not matching, fully, partially; partially, not, fully, fully
  private lazy val table: DataFrame = tableOf(
    "preferred",
    "0.parquet" -> file(0, 100, 95),
    "1.parquet" -> file(96, 20, 200, 300)
  )

  private val byStatistics = LimitPruningConf.MaxBytes.key -> "0"
  private val oneFile = Seq(LimitPruningConf.FirstFiles.key -> "1", LimitPruningConf.MaxFiles.key -> "1")

  private def selectionOf(query: DataFrame): Option[Selection] = scansOf(query).map(_.chosen) match {
    case Seq(rows) if !rows.allRowsMatch => Some(rows.selection)
    case _ => None
  }

  private def rowGroups(selection: Selection): Seq[(String, Seq[Int])] =
    selection.files.map(file => file.path.split('/').last -> file.rowGroups.map(_.ordinal))

  private def isRight(query: => DataFrame, rows: Int): Assertion = {
    val (ours, plain) = rowsBothWays(query)
    def key(row: Row) = (row.getInt(0), row.getInt(1))
    assert(ours.size == rows && plain.size == rows)
    assert(ours.forall(_.getInt(0) >= 100) && ours.map(key).distinct.size == rows)
  }

  test("fully matching row groups come first, then partially matching ones; others are skipped") {
    withConf(byStatistics) {
      def query = table.where("a >= 100").limit(18)
      val Some(selection) = selectionOf(query): @unchecked
      assert(rowGroups(selection) == Seq(
        "0.parquet" -> Seq(1),
        "1.parquet" -> Seq(2, 3),
        "0.parquet" -> Seq(2),
        "1.parquet" -> Seq(0)
      ))
      assert(selection.unseen.isEmpty)
      assert(reasonOf(query).contains("not-enough-rows"))
      isRight(query, 18)
      isRight(table.where("a >= 100").limit(1000), 15 + 2 + 3)
    }
  }

  test(
    "line 88: likely row groups come first and unlikely ones last if a writer is not listed; none is skipped"
  ) {
    val name = "someone else version 1.0"
    val other = {
      for ((one, starts) <- Seq("0.parquet" -> Seq(0, 100, 95), "1.parquet" -> Seq(96, 20, 200, 300))) {
        val path = file(starts: _*).write(pathOf(s"other/$one"))
        FooterEdit.forgetChecksum(FooterEdit(path)(_.setCreated_by(name)))
      }
      spark.read.parquet(pathOf("other").toString)
    }
    withConf(byStatistics) {
      def query = other.where("a >= 100").limit(18)
      val Some(selection) = selectionOf(query): @unchecked
      assert(rowGroups(selection) == Seq(
        "0.parquet" -> Seq(1),
        "1.parquet" -> Seq(2, 3),
        "0.parquet" -> Seq(2),
        "1.parquet" -> Seq(0),
        "0.parquet" -> Seq(0),
        "1.parquet" -> Seq(1)
      ))
      assert(reasonOf(query).contains("writer-not-listed"))
      isRight(query, 18)
      isRight(other.where("a >= 100").limit(1000), 20)
    }
  }

  test("the filter stays, and EXPLAIN shows the reason") {
    withConf(byStatistics) {
      val plan = planned(table.where("a >= 100").limit(18)).toString
      assert(plan.contains("Filter (") &&
        plan.contains("NotCovered: fully matching row groups and pages hold 15 rows"))
    }
  }

  test("if no row group is skipped or read earlier, the plan does not change") {
    val partial = tableOf("partial", "0.parquet" -> file(100, 95))
    def all = partial.where("a >= 100").limit(50)
    withConf(byStatistics) {
      assert(scansOf(all).isEmpty && reasonOf(all).contains("not-enough-rows"))
      assert(planned(all).toString.replaceAll("#\\d+", "#") ==
        withoutPruning(planned(all).toString).replaceAll("#\\d+", "#"))
    }
  }

  test("if Spark's reader skips the same row groups by statistics, the plan does not change") {
    val skipping = tableOf("skipping", "0.parquet" -> file(95, 0, 96), "1.parquet" -> file(20, 97))
    withConf(byStatistics) {
      def query(where: String) = skipping.where(where).limit(50)
      assert(scansOf(query("a >= 100")).isEmpty && reasonOf(query("a >= 100")).contains("not-enough-rows"))
      val skipped = Seq("0.parquet" -> Seq(0, 2), "1.parquet" -> Seq(1))
      assert(
        selectionOf(query("a + 1 >= 101")).map(rowGroups).contains(skipped),
        "a filter that Spark does not push"
      )
      // Another conjunct leaves the same row groups.
      assert(scansOf(query("a >= 100 AND b + 1 > 0")).isEmpty)
      // Only the other conjunct skips row group 1 of the first file.
      assert(selectionOf(query("a >= 5 AND a + 1 >= 101")).map(rowGroups).contains(skipped))
      withConf("spark.sql.parquet.filterPushdown" -> "false") {
        assert(selectionOf(query("a >= 100")).map(rowGroups).contains(skipped))
      }
      isRight(query("a >= 100"), 8)
      isRight(query("a + 1 >= 101"), 8)
    }
    val other = tableOf("excluded", "0.parquet" -> file(95, 0, 96), "1.parquet" -> file(20, 30))
    withConf(byStatistics) {
      assert(selectionOf(other.where("a >= 100").limit(50)).map(rowGroups).contains(Seq("0.parquet" ->
        Seq(0, 2))))
    }
  }

  test("if Spark's reader skips fewer row groups, or reads them in more tasks, they are selected") {
    val annotated = ParquetFixture("required int64 a (INTEGER(64,true)); required int32 b;")
    val zeros = ParquetFixture("required double a; required int32 b;")
    val tables = Seq(
      // Spark does not push filters over an INT64 that is annotated.
      tableOf(
        "annotated",
        "0.parquet" -> annotated.rowGroup(Seq[Any](5L, 0), Seq[Any](200L, 1)).rowGroup(Seq[Any](0L, 0))
      ) -> Seq("a >= 100", "a >= 100 AND b + 1 > 0"),
      // parquet-java changes the min of 0.0 to -0.0, which it has below 0.0.
      tableOf(
        "zeros",
        "0.parquet" -> zeros.rowGroup(Seq[Any](-1.0, 0), Seq[Any](2.0, 1)).rowGroup(Seq[Any](0.0, 0))
      ) ->
        Seq("a < 0.0", "a < 0.0 AND b + 1 > 0"),
      tableOf("plain", "0.parquet" -> file(95, 0)) -> Seq("a >= 100 AND b + 1 > 0")
    )
    def selected(table: DataFrame, where: String) =
      selectionOf(table.where(where).limit(50)).map(rowGroups)
    withConf(byStatistics, "spark.sql.files.openCostInBytes" -> s"${1L << 40}") {
      for ((table, predicates) <- tables; where <- predicates) {
        val found = selected(table, where)
        assert(found.contains(Seq("0.parquet" -> Seq(0))), where)
      }
    }
    withConf(byStatistics) {
      for ((table, predicates) <- tables.init; where <- predicates)
        assert(selected(table, where).contains(Seq("0.parquet" -> Seq(0))), where)
      assert(selected(tables.last._1, "a >= 100 AND b + 1 > 0").isEmpty)
    }
  }

  test("files beyond the budget are read completely, after the others") {
    withConf(oneFile :+ byStatistics: _*) {
      def query = table.where("a >= 100").limit(12)
      val Some(selection) = selectionOf(query): @unchecked
      assert(rowGroups(selection) == Seq("0.parquet" -> Seq(1), "0.parquet" -> Seq(2)))
      assert(selection.unseen.map(_.path.split('/').last) == Seq("1.parquet"))
      assert(reasonOf(query).contains("out-of-budget"))
      isRight(query, 12)
      isRight(table.where("a >= 100").limit(1000), 20)
      isRight(table.where("a >= 100").limit(6), 6)
    }
  }

  test("scans with different limits are not equal if files were not inspected") {
    withConf(oneFile :+ byStatistics: _*) {
      def scan(limit: Int) = scansOf(table.where("a >= 100").limit(limit)).head.canonicalized
      assert(scan(9) == scan(9) && scan(9) != scan(12))
    }
  }

  for (vectorized <- Seq(true, false); aqe <- Seq(true, false))
    test(s"gives correct rows below an aggregate and a join (vectorized: $vectorized, adaptive: $aqe)") {
      withConf(
        oneFile ++ Seq(
          byStatistics,
          "spark.sql.parquet.enableVectorizedReader" -> vectorized.toString,
          "spark.sql.adaptive.enabled" -> aqe.toString
        ): _*
      ) {
        for (limit <- Seq(3, 9, 12, 18, 100)) {
          val limited = table.where("a >= 100").limit(limit)
          val rows = math.min(limit, 20).toLong
          assert(limited.agg("a" -> "count").collect().map(_.getLong(0)).toSeq == Seq(rows))
          assert(limited.join(table.where("a >= 100"), Seq("a", "b")).count() == rows)
        }
      }
    }
}
