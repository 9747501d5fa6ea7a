package limitpruning.search

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, LogicalPlan}
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.catalyst.DecideLimit
import limitpruning.footers.FactsCache
import limitpruning.select.{Reason, SearchCounts}
import limitpruning.tables.{SelectedFileIndex, SelectedRelation}
import limitpruning.testing.{ParquetFixture, SparkSuite, Wildlife}

class ChooseRowsSuite extends AnyFunSuite with SparkSuite {
  private lazy val wildlife = tableOf("wildlife", "a.parquet" -> Wildlife.fixture)
  private val ints = ParquetFixture("optional int32 a;")

  /** Three days of two files each, whose names do not follow the order of their rows. */
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
    pruned.collectFirst { case SelectedRelation(_, index) => index }.get
  }
  private def refusal(df: => DataFrame): NotPruned = {
    val Some(Left(refusal)) = decide(df): @unchecked
    refusal
  }
  private def chosen(df: => DataFrame): Seq[(String, Seq[Int])] = index(df).chosen.selection.files.map { file =>
    file.path.split('/').takeRight(2).mkString("/") -> file.rowGroups.map(_.ordinal)
  }

  test("the case study: four row groups, of which three match and one fully, are one to scan") {
    val cover = index(Wildlife.query(wildlife)).chosen
    assert(cover.counts.copy(bytes = 0) ==
      SearchCounts(files = 1, filesInspected = 1, rowGroups = 4, matched = 3, fullyMatched = 1))
    assert(cover.selection.files.flatMap(_.rowGroups.map(_.ordinal)) == Seq(2))
    assert(cover.limit == 3 && cover.conjuncts.nonEmpty && cover.planningNanos > 0)
  }

  test("files are taken in the order of their paths") {
    assert(chosen(days.where("a >= 0").limit(50)) == Seq(
      "day=1/a.parquet" -> Seq(0, 1),
      "day=1/b.parquet" -> Seq(0, 1),
      "day=2/a.parquet" -> Seq(0)
    ))
  }

  test("files that partition pruning excludes are not looked at") {
    val found = index(days.where("day = 2 AND a >= 50").limit(5))
    assert(found.chosen.counts.files == 2)
    assert(found.chosen.selection.files.map(_.path.contains("day=2")) == Seq(true))
  }

  test("a predicate over partition columns alone is proved by the directories") {
    assert(chosen(days.where("day >= 2").limit(15)) == Seq("day=2/a.parquet" -> Seq(0, 1)))
    assert(index(days.where("day >= 2").limit(15)).chosen.counts.files == 4)
  }

  test("a predicate over partition and file columns together is looked at file by file") {
    assert(chosen(days.where("day = 3 OR a >= 60").limit(1)) == Seq("day=1/a.parquet" -> Seq(1)))
  }

  test("without a predicate the first file is enough") {
    val cover = index(days.limit(5)).chosen
    assert(cover.counts.filesInspected == 1 && cover.counts.files == 6)
    assert(cover.selection.rowGroups == 1)
  }

  test("a refusal carries what was seen") {
    val found = refusal(wildlife.where("s % 2 = 0").limit(1))
    assert(found.reason.code == "not-enough-rows")
    assert(found.counts.map(_.copy(bytes = 0)).contains(SearchCounts(1, 1, 4, 4, 0)))
    assert(found.scan.exists(_.limit == 1) && found.planningNanos > 0)
  }

  test("where the limit is not covered, what helps is chosen, with the reason") {
    val rows = index(Wildlife.query(wildlife, limit = 4)).chosen
    val undecided = "startswith(species, 'Alpine') may hold for only some rows in 2 of 4 row groups"
    val missing = Reason.NotEnoughRows(3, 4, undecided)
    assert(rows.notCovered.contains(missing) && !rows.allRowsMatch)
    assert(
      rows.selection.files.flatMap(_.rowGroups.map(_.ordinal)) == Seq(2, 1, 3),
      "the first one does not match"
    )
    assert(rows.counts.copy(bytes = 0) == SearchCounts(1, 1, 4, 3, 1))
    assert(rows.limit == 4 && rows.conjuncts.nonEmpty && rows.planningNanos > 0 && rows.top.isEmpty)
  }

  test("a refusal for the form of the query costs no look") {
    val found = refusal(wildlife.where("rand(1) > 0.5").limit(1))
    assert(found.counts.isEmpty && found.planningNanos == 0)
  }

  test("a relation that was decided on is not decided on again") {
    val again = optimized(Wildlife.query(wildlife)).collect {
      case limit: LocalLimit =>
        new DecideLimit(spark, FactsCache.none, spark.sessionState.conf)(limit)
    }
    assert(again == Seq(None))
  }

  test("what does not concern Parquet is not decided on") {
    assert(decide(spark.range(5).toDF().limit(2)).isEmpty)
  }
}
