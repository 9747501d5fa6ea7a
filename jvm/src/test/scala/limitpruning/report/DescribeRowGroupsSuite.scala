package limitpruning.report

import org.apache.spark.sql.DataFrame
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.testing.{FooterEdit, PagedFile, ParquetFixture, SparkSuite, Wildlife}

class DescribeRowGroupsSuite extends AnyFunSuite with SparkSuite {
  private lazy val wildlife = tableOf("wildlife", "a.parquet" -> Wildlife.fixture)
  private val fields = "required int32 a;"

  private def map(df: DataFrame): RowGroupMap = {
    val Seq(report) = reportsOf(df): @unchecked
    report.map
  }

  private def told(df: DataFrame): Seq[RowGroupReport] = map(df).rowGroups

  test("the case study: states, deciding layers, reasons, and rows to read") {
    val rowGroups = told(Wildlife.query(wildlife))
    assert(rowGroups.map(_.ordinal) == Seq(0, 1, 2, 3) && rowGroups.forall(_.rows == 3))
    assert(rowGroups.map(_.state) == Seq("not", "partially", "fully", "partially"))
    assert(rowGroups.map(_.decidedBy) == Seq(Some("statistics"), None, Some("statistics"), None))
    assert(rowGroups.map(_.rowsToRead) == Seq(None, None, Some(3L), None))
    assert(rowGroups.head.why.endsWith("holds for no row") && rowGroups(2).why == "every row matches")
    assert(rowGroups(1).why.endsWith("may hold for only some rows"))
    assert(rowGroups(2).facts ==
      Seq("species: 'Alpine Goat' … 'Alpine Sheep', no nulls", "s: 76 … 101, no nulls"))
    assert(rowGroups.forall(_.bytes > 0) && rowGroups.forall(_.file.endsWith("wildlife/a.parquet")))
  }

  test("if the LIMIT is not pruned, no row group is selected") {
    val rowGroups = told(wildlife.where("s % 2 = 0").limit(1))
    assert(rowGroups.map(_.state) == Seq.fill(4)("partially") && rowGroups.forall(_.rowsToRead.isEmpty))
  }

  test("without a predicate every row matches") {
    assert(told(wildlife.limit(1)).head.why == "there is no predicate")
  }

  test("row groups that dictionaries decide") {
    val table = tableOf(
      "dict",
      "0.parquet" ->
        ParquetFixture(fields).rowGroup(Seq.fill(50)(Seq(Seq(1), Seq(3))).flatten: _*).withDictionary
    )
    val Seq(none) = told(table.where("a = 2").limit(1)): @unchecked
    assert(none.state == "not" && none.decidedBy.contains("values") && none.why == "no row matches")
    val Seq(all) = told(table.where("a <> 2").limit(1)): @unchecked
    assert(all.state == "fully" && all.decidedBy.contains("values"))
  }

  test(
    "row groups whose rows are found by reading columns first, of the files that planning inspected"
  ) {
    val table = tableOf(
      "rows",
      "0.parquet" -> ParquetFixture(fields).rowGroup(Seq(1), Seq(8)).rowGroup(Seq(2), Seq(9)),
      "1.parquet" -> ParquetFixture(fields).rowGroup(Seq(3), Seq(9))
    )
    def found(limit: Int): Seq[RowGroupReport] = withConf(
      "spark.limitPruning.rows.minBytes" -> "0",
      "spark.limitPruning.planning.firstFiles" -> "1"
    ) {
      val df = table.where("a % 7 = 2").limit(limit)
      df.collect()
      told(df)
    }
    val all = found(5)
    assert(all.map(_.state) == Seq("not", "partially") && all.forall(_.file.endsWith("0.parquet")))
    assert(all.forall(_.decidedBy.contains("rows")) && all.map(_.rowsToRead) == Seq(None, Some(2L)))
    assert(all.head.why == "columns were read first, and no row matches")
    val first = found(1)
    assert(first.map(_.decidedBy) == Seq(None, Some("rows")) &&
      first.map(_.state).distinct == Seq("partially"))
    assert(first.head.why == "none of its rows is needed")
  }

  test("row groups that pages decide") {
    val rows = (0 until 1000).map(i => Seq(i))
    PagedFile.write(pathOf("paged/0.parquet"), fields, rows, pageRows = 100)
    val Seq(some) = withConf("spark.limitPruning.pages.minBytes" -> "0") {
      told(spark.read.parquet(pathOf("paged").toString).where("a >= 900").limit(5))
    }: @unchecked
    assert(some.state == "partially" && some.decidedBy.contains("pages"))
    assert(some.why == "100 rows match, no others do" && some.rowsToRead.contains(5L))
  }

  test("a row group without rows, and a writer that is not trusted") {
    val fixture = ParquetFixture(fields).rowGroup(Seq(1)).rowGroup(Seq(2))
    val table = tableOf("edited", "0.parquet" -> fixture)
    val _ = FooterEdit(pathOf("edited/0.parquet"))(_.getRow_groups.get(0).setNum_rows(0))
    assert(told(table.limit(1)).map(_.why) == Seq("it has no rows", "there is no predicate"))
    fixture.write(pathOf("doubted/0.parquet"))
    FooterEdit(pathOf("doubted/0.parquet"))(_.setCreated_by("unheard of"))
    val doubted = withConf("spark.limitPruning.trustedWritersOnly" -> "true") {
      told(spark.read.parquet(pathOf("doubted").toString).where("a > 0").limit(1))
    }
    assert(doubted.map(_.state) == Seq("partially", "partially") && doubted.forall(_.facts.isEmpty))
    assert(doubted.last.why == "its writer is not trusted: unheard of")
  }

  test("the requested number of row groups is described, the others are counted") {
    val report = DescribeQuery(execution(Wildlife.query(wildlife)), mostRowGroups = 3).limits.head
    assert(report.map.rowGroups.size == 3 && report.map.omitted == 1)
    assert(DescribeQuery(execution(Wildlife.query(wildlife)), mostRowGroups = 0).limits.head.map ==
      RowGroupMap.Empty)
  }

  test("with ORDER BY, the key's facts are described, and row groups after the threshold are not selected") {
    val table = tableOf(
      "ordered",
      "0.parquet" -> ParquetFixture(fields).rowGroup(Seq(1)).rowGroup(Seq(2)).rowGroup(Seq(3))
    )
    val rowGroups = told(table.orderBy("a").limit(1))
    assert(rowGroups.map(_.rowsToRead) == Seq(Some(1L), None, None))
    assert(rowGroups.map(_.why) == "there is no predicate" +: Seq.fill(2)("no row reaches the threshold 1"))
    assert(rowGroups.map(_.facts) == Seq(1, 2, 3).map(a => Seq(s"a: $a, no nulls")))
  }
}
