package limitpruning.scan

import java.nio.file.Path

import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.testing.{ParquetFixture, SparkSuite, Wildlife}

class LimitPrunedScanExecSuite extends AnyFunSuite with SparkSuite {
  private lazy val wildlife = tableOf("wildlife", "a.parquet" -> Wildlife.fixture)
  private val ints = ParquetFixture("optional int32 a; optional binary s (STRING);")

  /**
   * Four files with three row groups of ten rows each; a is 0 … 119, in the order of files and row groups.
   */
  private lazy val numbers = tableOf(
    "numbers",
    (0 to 3).map { file =>
      val fixture = (0 to 2).foldLeft(ints) { (fixture, group) =>
        fixture.rowGroup((0 to 9).map(i => Seq[Any](file * 30 + group * 10 + i, s"text $i")): _*)
      }
      s"$file.parquet" -> fixture
    }: _*
  )

  private def scan(df: DataFrame): LimitPrunedScanExec = {
    val Seq(scan) = scansOf(df): @unchecked
    scan
  }
  private def metric(df: DataFrame, name: String): Long = scan(df).metrics(name).value

  private val readers = Seq(
    "columnar" -> Seq.empty[(String, String)],
    "row-based" -> Seq("spark.sql.parquet.enableVectorizedReader" -> "false"),
    "row-based, without code generation" -> Seq("spark.sql.codegen.wholeStage" -> "false")
  )

  for ((name, settings) <- readers) test(s"line 43: gives the rows of the selected row groups: $name") {
    withConf(settings: _*) {
      val query = numbers.where("a >= 15").select("a").limit(25)
      assert(scan(query).supportsColumnar == (name == "columnar"))
      val rows = query.collect().map(_.getInt(0)).toSeq
      assert(rows.size == 25 && rows.distinct.size == 25)
      // Row group 2 of the first file is the first that is proved. The first two of the second file are next.
      assert(rows.forall(a => a >= 20 && a < 50), rows)
      assert(metric(query, ScanMetrics.RowGroupsRead) >= 3)
      assert(metric(query, ScanMetrics.OutputRows) >= 25)
    }
  }

  test("all rows of a selection are returned exactly once") {
    val query = numbers.where("a >= 90").limit(30)
    val rows = query.collect().toSeq
    assert(rows.toSet == (90 to 119).map(a => Row(a, s"text ${a % 10}")).toSet)
    assert(metric(query, ScanMetrics.OutputRows) == 30)
    assert(metric(query, ScanMetrics.RowGroupsRead) == 3)
  }

  test("a small limit is one task, whatever the number of files") {
    val query = numbers.where("a >= 0").limit(100)
    assert(scan(query).chosen.selection.files.size == 4)
    assert(scan(query).execute().getNumPartitions == 1)
  }

  /** Every file is larger than the maximum of a task. A count reads no columns, and only opens files. */
  private val smallTasks =
    Seq("spark.sql.files.maxPartitionBytes" -> "1", "spark.sql.files.openCostInBytes" -> "2")

  /** The number of rows, counted above the LIMIT. */
  private def counted(rows: Int): DataFrame = numbers.where("a >= 0").limit(rows).groupBy().count()

  test("rows of one task are counted without a shuffle, those of several with one") {
    def shuffles: Boolean = withConf("spark.sql.adaptive.enabled" -> "false") {
      planned(counted(35)).exists(_.isInstanceOf[ShuffleExchangeLike])
    }
    assert(!shuffles && counted(35).head().getLong(0) == 35)
    withConf(smallTasks: _*) {
      assert(shuffles && counted(35).head().getLong(0) == 35)
    }
  }

  for (adaptive <- Seq("true", "false"))
    test(s"a plan for one task keeps to it where settings change before it runs: adaptive $adaptive") {
      withConf("spark.sql.adaptive.enabled" -> adaptive) {
        val query = counted(35)
        assert(scansOf(query).map(_.isOneTask) == Seq(true))
        val rows = withConf(smallTasks: _*)(planned(query).executeCollect()) // head() would plan again
        assert(rows.map(_.getLong(0)).toSeq == Seq(35))
      }
    }

  test("metrics show what planning found, once the query has run") {
    val query = Wildlife.query(wildlife)
    assert(metric(query, "rowGroupsTotal") == 0)
    val _ = query.collect()
    val shown = Seq("rowGroupsTotal", "rowGroupsMatched", "rowGroupsFullyMatched", "rowGroupsScanned")
    assert(shown.map(metric(query, _)) == Seq(4, 3, 1, 1))
    assert(metric(query, "bytesToRead") == scan(query).bytesToRead)
    assert(metric(query, ScanMetrics.RowGroupsRead) == 1)
  }

  test("bytes are those of the columns that are read, without those that only the filter needs") {
    val one = scan(numbers.where("a >= 110").select("s").limit(10))
    val both = scan(numbers.where("a >= 110").limit(10))
    assert(one.output.map(_.name) == Seq("s"))
    assert(one.bytesToRead < both.bytesToRead && one.bytesToRead > 0)
  }

  test("line 40: two scans are the same only if they read the same row groups of the same columns") {
    def same(a: DataFrame, b: DataFrame): Boolean = scan(a).sameResult(scan(b))
    val first = numbers.where("a >= 20").limit(5)
    assert(same(first, numbers.where("a >= 20").limit(5)))
    assert(same(first, numbers.where("a >= 15").limit(6)), "the row groups are what counts")
    assert(!same(first, numbers.where("a >= 30").limit(5)))
    assert(!same(first, numbers.where("a >= 20").limit(15)))
    assert(!same(first, numbers.where("a >= 20").select("a").limit(5)))
    assert(scan(first).canonicalized != withoutPruning(planned(numbers)).canonicalized)
  }

  test("line 40: a union with the whole table still has all rows") {
    assert(numbers.limit(5).union(numbers).count() == 125)
    assert(numbers.where("a >= 30").limit(10).join(numbers, "a").count() == 10)
  }

  test("line 35: a file that is replaced while a query waits is an error that says what to do") {
    val table = tableOf("replaced", "f.parquet" -> ints.rowGroup(Seq(1, "x"), Seq(2, "y")))
    val query = table.where("a > 0").limit(2)
    assert(scansOf(query).size == 1)
    ints.rowGroup(Seq(-1, "x"), Seq(-2, "y"), Seq(-3, "z")).write(pathOf("replaced/f.parquet"))
    val error = intercept[Exception](query.collect())
    val causes = Iterator.iterate[Throwable](error)(_.getCause).takeWhile(_ != null).toSeq
    assert(causes.exists(cause =>
      cause.isInstanceOf[FileChangedException] && cause.getMessage.contains("f.parquet")
    ))
  }

  for ((name, settings) <- readers)
    test(s"line 35: a file that is replaced in the middle of a scan gives no row of the other file: $name") {
      withConf(settings: _*) {
        val path = pathOf("middle/f.parquet").toString
        ReplacedInTheMiddle.write(path, 1)
        val session = spark
        import session.implicits._
        val query = spark.read.parquet(pathOf("middle").toString).where("a > 0").select("a").limit(18).as[Int]
        assert(scansOf(query.toDF()).size == 1)
        val replaced = query.mapPartitions(ReplacedInTheMiddle(path, _))
        val error = intercept[FileChangedException](fail(replaced.collect().mkString(" ")))
        assert(error.getMessage.contains("f.parquet"))
      }
    }

  test("metadata columns and partition columns are those of plain Spark") {
    val table =
      tableOf("days", "day=7/f.parquet" -> ints.rowGroup(Seq(1, "x")).rowGroup(Seq(5, "y"), Seq(6, "z")))
    def query: DataFrame =
      table.where("a > 4").selectExpr("day", "a", "_metadata.file_name", "_metadata.row_index").limit(2)
    assert(scansOf(query).size == 1)
    val (ours, plain) = rowsBothWays(query)
    assert(ours == plain && ours.map(_.getLong(3)) == Seq(1, 2))
  }
}

private object ReplacedInTheMiddle {

  /** Returns a row, replaces the file, and returns the other rows. */
  def apply(path: String, rows: Iterator[Int]): Iterator[Int] = {
    require(rows.hasNext)
    val first = rows.next()
    write(path, -1)
    Iterator(first) ++ rows
  }

  /** Two row groups of numbers of one sign, with as many bytes for each sign. */
  def write(path: String, sign: Int): Unit = {
    val fixture = Seq(1 to 9, 10 to 18).foldLeft(ParquetFixture("optional int32 a;")) { (file, numbers) =>
      file.rowGroup(numbers.map(number => Seq[Any](sign * number)): _*)
    }
    val _ = fixture.write(Path.of(path))
  }
}
