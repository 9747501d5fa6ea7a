package limitpruning.search
import org.apache.spark.sql.DataFrame
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.catalyst.DecideLimit
import limitpruning.conf.LimitPruningConf
import limitpruning.footers.FactsCache
import limitpruning.select.{ChosenRows, TopRows}
import limitpruning.tables.SelectedRelation
import limitpruning.testing.{PagedFile, ParquetFixture, SparkSuite}

class ChooseTopRowsSuite extends AnyFunSuite with SparkSuite {
  private val ints = ParquetFixture("optional int32 a; optional int32 b;")

  /**
   * Three days with two files each, of two row groups with ten rows each. `a` counts all rows, `b` alternates between 0
   * and 1.
   */
  private lazy val days: DataFrame = {
    val files = for (day <- 0 to 2; file <- 0 to 1) yield {
      val first = day * 40 + file * 20
      def rows(from: Int): Seq[Seq[Any]] = (from until from + 10).map(i => Seq(i, i % 2))
      s"day=$day/$file.parquet" -> ints.rowGroup(rows(first): _*).rowGroup(rows(first + 10): _*)
    }
    tableOf("days", files: _*)
  }

  private def decide(df: => DataFrame): Either[NotPruned, ChosenRows] = {
    val Seq(limit) = limitsOf(df): @unchecked
    new DecideLimit(spark, FactsCache.none, spark.sessionState.conf)(limit).get.map(
      _.collectFirst { case SelectedRelation(_, index) => index.chosen }.get
    )
  }
  private def chosen(df: => DataFrame): ChosenRows = decide(df).fold(r => fail(r.reason.message), identity)

  private def read(rows: ChosenRows): Seq[(String, Int)] = rows.selection.files.flatMap { file =>
    file.rowGroups.map(rowGroup => file.path.split('/').takeRight(2).mkString("/") -> rowGroup.ordinal)
  }

  test("selects the row groups that may contain the first rows, best first, with the threshold") {
    val rows = chosen(days.orderBy(days("a").desc).limit(12))
    assert(read(rows) == Seq("day=2/1.parquet" -> 1, "day=2/1.parquet" -> 0))
    assert(rows.limit == 12 && rows.conjuncts == Nil && rows.planningNanos > 0)
    val Some(TopRows(key, _, threshold, certain, dropped)) = rows.top: @unchecked
    assert(key.endsWith("DESC NULLS LAST") && threshold.contains("100") && certain == 20 && dropped == 10)
  }

  test("if the predicate is not proved, selects all row groups, best first") {
    val rows = chosen(days.where("b = 1").orderBy("a").limit(3))
    assert(rows.top.exists(_.threshold.isEmpty) && rows.selection.rowGroups == 12)
    assert(read(rows).take(3) == Seq("day=0/0.parquet" -> 0, "day=0/0.parquet" -> 1, "day=0/1.parquet" -> 0))
  }

  test(
    "files of pruned partitions and of partitions after the threshold are not inspected"
  ) {
    assert(chosen(days.where("day < 2").orderBy(days("a").desc).limit(1)).counts.files == 4)
    val byDay = withConf(LimitPruningConf.FirstFiles.key -> "2")(chosen(days.orderBy("day").limit(1)))
    assert(byDay.counts.filesInspected == 2 && read(byDay).map(_._1.take(5)).distinct == Seq("day=0"))
  }

  test("files beyond the budget are read completely, after the others") {
    val rows = withConf(LimitPruningConf.MaxFiles.key -> "4")(chosen(days.orderBy(days("a").desc).limit(1)))
    assert(rows.selection.unseen.size == 2 && rows.counts.filesInspected == 4)
    assert(rows.selection.bytes > rows.selection.unseen.map(_.length).sum)
  }

  test("selects pages of a single row group") {
    val path = pathOf("paged/0.parquet")
    val _ = PagedFile.write(path, "optional int32 a;", (0 until 1000).map(Seq(_)))
    val table = spark.read.parquet(pathOf("paged").toString)
    withConf(LimitPruningConf.MinPageBytes.key -> "0") {
      val rows = chosen(table.orderBy(table("a").desc).limit(3))
      assert(rows.selection.rowGroups == 1 && rows.selection.rows < 50)
      assert(table.orderBy(table("a").desc).limit(3).collect().map(_.getInt(0)).toSeq == Seq(999, 998, 997))
    }
    assert(decide(table.orderBy("a").limit(3)).left.map(_.reason.code) == Left("key-not-clustered"))
  }

  test("a LIMIT over a table in random order is not pruned, with the counts of the search") {
    val mixed = ints.rowGroup((0 to 9).map(i => Seq(i * 37 % 11, i)): _*)
    val table = tableOf("mixed", (0 to 9).map(i => s"$i.parquet" -> mixed): _*)
    val refusal = decide(table.orderBy("a").limit(30)).left.toOption.get
    assert(refusal.reason.code == "key-not-clustered" && refusal.counts.exists(_.filesInspected == 4))
    assert(refusal.scan.nonEmpty && refusal.planningNanos > 0)
  }
}
