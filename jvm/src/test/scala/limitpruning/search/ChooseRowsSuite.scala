package limitpruning.search

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, LogicalPlan}
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.catalyst.DecideLimit
import limitpruning.footers.FactsCache
import limitpruning.predicate.WorkCounts
import limitpruning.select.{Reason, SearchCounts}
import limitpruning.tables.{SelectedFileIndex, SelectedRelation}
import limitpruning.testing.{ParquetFixture, SparkSuite, Wildlife}

class ChooseRowsSuite extends AnyFunSuite with SparkSuite {
  private lazy val wildlife = tableOf("wildlife", "a.parquet" -> Wildlife.fixture)
  private val ints = ParquetFixture("optional int32 a;")

  /** Three days with two files each. The order of the file names is not the order of the rows. */
  private lazy val days: DataFrame = {
    val files = for (day <- 1 to 3; (file, first) <- Seq("b" -> 0, "a" -> 50)) yield {
      val fixture =
        ints.rowGroup((0 to 9).map(i => Seq(first + i)): _*).rowGroup((10 to 19).map(i => Seq(first + i)): _*)
      s"day=$day/$file.parquet" -> fixture
    }
    tableOf("days", files: _*)
  }

  private def decide(df: => DataFrame): Option[Either[NotPruned, LogicalPlan]] = {
    val Seq(limit) = limitsOf(df): @unchecked
    new DecideLimit(spark, FactsCache.none, spark.sessionState.conf)(limit)
  }
  private def index(df: => DataFrame): SelectedFileIndex = {
    val Some(Right(pruned)) = decide(df): @unchecked
    pruned.collectFirst { case SelectedRelation(_, index: SelectedFileIndex) => index }.get
  }
  private def refusal(df: => DataFrame): NotPruned = {
    val Some(Left(refusal)) = decide(df): @unchecked
    refusal
  }
  private def withoutWork(counts: SearchCounts): SearchCounts = counts.copy(bytes = 0, work = WorkCounts())
  private def chosen(df: => DataFrame): Seq[(String, Seq[Int])] = index(df).chosen.selection.files.map { file =>
    file.path.split('/').takeRight(2).mkString("/") -> file.rowGroups.map(_.ordinal)
  }

  test("the case study: four row groups, 3 matched, 1 fully matched, 1 scanned") {
    val cover = index(Wildlife.query(wildlife)).chosen
    assert(withoutWork(cover.counts) ==
      SearchCounts(files = 1, filesInspected = 1, rowGroups = 4, matched = 3, fullyMatched = 1))
    assert(cover.selection.files.flatMap(_.rowGroups.map(_.ordinal)) == Seq(2))
    assert(cover.limit == 3 && cover.conjuncts.nonEmpty && cover.planningNanos > 0)
  }

  test("files are inspected in the order of their paths") {
    assert(chosen(days.where("a >= 0").limit(50)) == Seq(
      "day=1/a.parquet" -> Seq(0, 1),
      "day=1/b.parquet" -> Seq(0, 1),
      "day=2/a.parquet" -> Seq(0)
    ))
  }

  test("files of pruned partitions are not inspected") {
    val found = index(days.where("day = 2 AND a >= 50").limit(5))
    assert(found.chosen.counts.files == 2)
    assert(found.chosen.selection.files.map(_.path.contains("day=2")) == Seq(true))
  }

  test("a predicate over partition columns only is proved by the directories") {
    assert(chosen(days.where("day >= 2").limit(15)) == Seq("day=2/a.parquet" -> Seq(0, 1)))
    assert(index(days.where("day >= 2").limit(15)).chosen.counts.files == 4)
  }

  test("a predicate over partition and file columns is evaluated for each file") {
    assert(chosen(days.where("day = 3 OR a >= 60").limit(1)) == Seq("day=1/a.parquet" -> Seq(1)))
  }

  test("without a predicate the first file is enough") {
    val cover = index(days.limit(5)).chosen
    assert(cover.counts.filesInspected == 1 && cover.counts.files == 6)
    assert(cover.selection.rowGroups == 1)
  }

  test("a LIMIT that is not pruned has the counts of the search") {
    val found = refusal(wildlife.where("s % 2 = 0").limit(1))
    assert(found.reason.code == "not-enough-rows")
    assert(found.counts.map(withoutWork).contains(SearchCounts(1, 1, 4, 4, 0)))
    assert(found.scan.exists(_.limit == 1) && found.planningNanos > 0)
  }

  test("a LIMIT that is not covered has a selection and a reason") {
    val rows = index(Wildlife.query(wildlife, limit = 4)).chosen
    val undecided = "startswith(species, 'Alpine') may hold for only some rows in 2 of 4 row groups"
    val missing = Reason.NotEnoughRows(3, 4, undecided)
    assert(rows.notCovered.contains(missing) && !rows.allRowsMatch)
    assert(
      rows.selection.files.flatMap(_.rowGroups.map(_.ordinal)) == Seq(2, 1, 3),
      "the first row group does not match"
    )
    assert(withoutWork(rows.counts) == SearchCounts(1, 1, 4, 3, 1))
    assert(rows.limit == 4 && rows.conjuncts.nonEmpty && rows.planningNanos > 0 && rows.top.isEmpty)
  }

  test("no file is inspected if the plan does not have a supported form") {
    val found = refusal(wildlife.where("rand(1) > 0.5").limit(1))
    assert(found.counts.isEmpty && found.planningNanos == 0)
  }

  test("a relation with a selection is not decided again") {
    val again = optimized(Wildlife.query(wildlife)).collect {
      case limit: LocalLimit =>
        new DecideLimit(spark, FactsCache.none, spark.sessionState.conf)(limit)
    }
    assert(again == Seq(None))
  }

  test("a LIMIT over another source is not decided") {
    assert(decide(spark.range(5).toDF().limit(2)).isEmpty)
  }
}
