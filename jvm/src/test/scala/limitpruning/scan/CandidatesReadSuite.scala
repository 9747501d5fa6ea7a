package limitpruning.scan

import java.io.{Closeable, FileNotFoundException}
import java.nio.file.{Files, NoSuchFileException, Path}

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.execution.metric.SQLMetric
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.catalyst.MatchLimit
import limitpruning.conf.LimitPruningConf
import limitpruning.search.LimitPlan
import limitpruning.select.{ChosenRows, RowRange, SearchCounts, Selection}
import limitpruning.tables.{ParquetTable, SelectedFileIndex, SelectedRelation}
import limitpruning.testing.{PagedFile, SparkSuite}

class CandidatesReadSuite extends AnyFunSuite with SparkSuite {

  private def local(name: String): Path = Files.writeString(folder.resolve(name), PlannedSplit.content())

  private def checkOf(file: Path, isTolerant: Boolean = false): CheckUnchanged =
    new CheckUnchanged(
      PlannedSplit(status(file)),
      PlannedSplit.version(status(file)),
      new Configuration(),
      isTolerant
    )

  private def check: CheckUnchanged = checkOf(local("unchanged"))

  test("counts all row groups of the run with the first row, for any number of rows") {
    val (rowGroups, bytes) = (new SQLMetric("sum"), new SQLMetric("size"))
    val planned = Seq(5L, 7L).map(rows => PlannedRowGroup(0, rows, RowRange.all(rows), bytes = 10))
    val rows = new CandidatesRead(Iterator("a", "b"), planned, check, PlannedSplit.counts(rowGroups, bytes))
    assert(rows.hasNext && rowGroups.value == 0)
    assert(rows.map(row => (row, rowGroups.value, bytes.value)).toSeq == Seq(("a", 2, 20), ("b", 2, 20)))
    val none = new SQLMetric("sum")
    val counts = PlannedSplit.counts(rowGroups = none)
    assert(new CandidatesRead(Iterator.empty, planned, check, counts).isEmpty && none.value == 0)
  }

  test("closes the reader") {
    var closed = false
    val reader = new Iterator[Any] with Closeable {
      override def hasNext: Boolean = true
      override def next(): Any = "row"
      override def close(): Unit = closed = true
    }
    new CandidatesRead(reader, Nil, check, PlannedSplit.counts()).close()
    assert(closed)
  }

  private def overwrite(file: Path): Unit = { val _ = Files.writeString(file, "other") }

  test(
    "line 35: rows of a file that changes while it is read are an error, with the first row and at the end"
  ) {
    val first = local("first")
    val planned = Seq(PlannedRowGroup(0, 2, RowRange.all(2), bytes = 10))
    val begun = new CandidatesRead(Iterator("a", "b"), planned, checkOf(first), PlannedSplit.counts())
    overwrite(first)
    intercept[FileChangedException](begun.next())
    val last = local("last")
    val ended = new CandidatesRead(Iterator("a"), planned, checkOf(last), PlannedSplit.counts())
    assert(ended.next() == "a")
    overwrite(last)
    intercept[FileChangedException](ended.hasNext)
    val reported = new CandidatesRead(Iterator("a"), Nil, checkOf(last), PlannedSplit.counts())
    assert(reported.toSeq == Seq("a"), "the reader reports its row groups, and the caller checks them")
  }

  test("line 35: an error of reading is one of the changed or deleted file, if it is") {
    val broken = new Iterator[Any] {
      override def hasNext: Boolean = throw new NoSuchFileException("a path")
      override def next(): Any = "row"
    }
    val file = local("broken")
    val rows = new CandidatesRead(broken, Nil, checkOf(file), PlannedSplit.counts())
    intercept[NoSuchFileException](rows.hasNext)
    overwrite(file)
    intercept[FileChangedException](rows.hasNext)
    Files.delete(file)
    intercept[FileNotFoundException](rows.hasNext)
  }

  test("what Spark may skip is not checked again, and its errors of reading stay") {
    val broken = new Iterator[Any] {
      override def hasNext: Boolean = throw new NoSuchFileException("a path")
      override def next(): Any = "row"
    }
    val planned = Seq(PlannedRowGroup(0, 2, RowRange.all(2), bytes = 10))
    val file = local("tolerated")
    val (rows, failing) = (Iterator("a", "b"), checkOf(file, isTolerant = true))
    val read = new CandidatesRead(rows, planned, checkOf(file, isTolerant = true), PlannedSplit.counts())
    Files.delete(file)
    assert(read.toSeq == Seq("a", "b"))
    intercept[NoSuchFileException](new CandidatesRead(
      broken,
      planned,
      failing,
      PlannedSplit.counts()
    ).hasNext)
  }

  test("line 35: a file that was not inspected and is deleted while it is read is Spark's own error") {
    val broken = new Iterator[Any] {
      override def hasNext: Boolean = throw new NoSuchFileException("a path")
      override def next(): Any = "row"
    }
    val rows = new FileOpener.UntilDeleted(broken, "the-file")
    assert(intercept[FileNotFoundException](rows.hasNext).getMessage.contains("the-file"))
  }

  /** Three files with one row group of 1,000 rows each; a numbers all rows, b those of a file. */
  private lazy val table: DataFrame = {
    for (file <- 0 to 2) PagedFile.write(
      pathOf(s"table/$file.parquet"),
      "optional int32 a; optional int32 b; optional binary s (STRING);",
      (0 until 1000).map(i => Seq(file * 1000 + i, if (i % 7 == 0) null else i, s"name-$i"))
    )
    spark.read.parquet(pathOf("table").toString)
  }

  /**
   * The rows of a > 1100 AND a < 1900, some of them in pages within a row group, and the other files in
   * reverse order.
   */
  private def someRows: Selection = {
    val middle = withConf(LimitPruningConf.MinPageBytes.key -> "0") {
      scansOf(table.where("a > 1100 AND a < 1900").limit(700)).head.chosen.selection
    }
    assert(middle.rowGroups == 1 && middle.rowsCut > 0)
    Selection(middle.files ++ scansOf(table.limit(3000)).head.chosen.selection.files.filter(
      _.path.endsWith("0.parquet")
    ))
  }

  /** Runs the query with its filter over only some rows of the table. */
  private def among(selection: Selection, query: DataFrame): (LimitPrunedScanExec, Seq[Row]) = {
    val plan: LogicalPlan = withoutPruning(optimized(query))
    val Seq(Right(scan)) = limitsOf(query).flatMap(MatchLimit.of): @unchecked
    val counts = SearchCounts.Zero
    val rows =
      ChosenRows(scan.limit, scan.conjuncts, selection, counts, planningNanos = 0, allRowsMatch = false)
    val replaced = plan.transform {
      case leaf if leaf.sameResult(scan.table.leaf) =>
        val table = ParquetTable.of(leaf).get
        val index = new SelectedFileIndex(table.relation.location, LimitPlan(rows, table.settings))
        SelectedRelation.replaceIn(leaf, table.leaf, index)
    }
    val execution = new QueryExecution(spark, replaced)
    val result = execution.executedPlan.executeCollectPublic().toSeq
    val Seq(node) =
      collectWithSubqueries(execution.executedPlan) { case s: LimitPrunedScanExec => s }: @unchecked
    (node, result)
  }

  for (vectorized <- Seq("true", "false"); pushed <- Seq("true", "false"))
    test(s"the filter stays, and is pushed to the reader: vectorized $vectorized, pushed $pushed") {
      withConf(
        "spark.sql.parquet.enableVectorizedReader" -> vectorized,
        "spark.sql.parquet.filterPushdown" -> pushed
      ) {
        val selection = someRows
        val (node, found) = among(selection, table.where("b > 200 AND b < 300").select("a", "s").limit(5000))
        assert(!node.skipsRowFilter)
        val expected = Seq(1000, 0).flatMap(start => (201 until 300).filter(_ % 7 != 0).map(start + _))
        assert(found.map(_.getInt(0)) == expected)
        assert(found.forall(row => row.getString(1) == s"name-${row.getInt(0) % 1000}"))
        val read = node.metrics(ScanMetrics.OutputRows).value
        if (vectorized == "true" && pushed == "true") assert(read < 700, "pages of neither are read")
        if (vectorized == "true" && pushed == "false") assert(read == 1700, "the chosen rows alone are read")
      }
    }

  test(
    "row groups that the reader's filters exclude are not an error, with and without selected pages"
  ) {
    val (node, found) = among(someRows, table.where("b > 998").limit(5000))
    assert(found.map(_.getInt(0)) == Seq(999))
    assert(node.metrics(ScanMetrics.RowGroupsRead).value == 1)
    assert(among(someRows, table.where("a > 5000").limit(10))._2 == Nil)
  }
}
