package limitpruning.catalyst

import org.apache.parquet.format.FileMetaData
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.sql.execution.ColumnarToRowExec
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.conf.LimitPruningConf
import limitpruning.report.LimitReport
import limitpruning.select.Reason
import limitpruning.testing.{FooterEdit, OpenKms, PagedFile, ParquetFixture, SparkSuite}

class TakeFirstRowsExecSuite extends AnyFunSuite with SparkSuite {

  /** In the test's body, LIMITs at the root are not planned with their query. */
  private def testAtRoot(title: String)(body: => Any): Unit =
    test(title)(withConf(LimitPruningConf.AtRoot.key -> "false")(body))

  private val columns = "optional int32 a; optional binary s (STRING);"

  private def rowsFrom(start: Int, rows: Int): Seq[Seq[Any]] = (start until start + rows).map(i =>
    Seq[Any](i, s"name-$i")
  )

  /** Three files of four row groups of ten rows. */
  private lazy val table: DataFrame = {
    for (file <- 0 to 2) {
      val fixture = ParquetFixture(columns).rowGroup(rowsFrom(file * 100, 10): _*)
      (1 to 3).foldLeft(fixture)((f, group) => f.rowGroup(rowsFrom(file * 100 + group * 10, 10): _*))
        .write(pathOf(s"first/part=$file/f.parquet"))
    }
    spark.read.parquet(pathOf("first").toString)
  }

  private def nodeOf(df: DataFrame): Option[TakeFirstRowsExec] =
    collectWithSubqueries(planned(df)) { case node: TakeFirstRowsExec => node }.headOption

  private def reportOf(df: DataFrame): LimitReport = {
    val Seq(report) = reportsOf(df): @unchecked
    report
  }

  private def isOfTable(row: Row): Boolean =
    row.getString(1) == s"name-${row.getInt(0)}" && row.getInt(2) == row.getInt(0) / 100

  testAtRoot("collect reads the first rows of one file, and no footer while planning") {
    val df = table.limit(7)
    assert(reasonOf(df).contains("at-root") && reportOf(df).rowsRead.isEmpty)
    val rows = df.collect()
    assert(rows.length == 7 && rows.forall(isOfTable))
    val report = reportOf(df)
    assert(report.reason.map(_.code).contains("at-root"))
    assert(report.rowGroupsRead.contains(1L) && report.rowsRead.exists(rows => rows >= 7 && rows <= 10))
    assert(report.files.exists(files => files.total == 3 && files.lookedAt == 0))
    assert(report.rowsToRead.isEmpty && report.rowGroups.isEmpty)
  }

  testAtRoot("other actions search the table when they start") {
    val df = table.limit(7)
    assert(planned(df).execute().count() == 7)
    val report = reportOf(df)
    assert(report.covered && report.rowsToRead.contains(10L) && report.rowGroupsRead.contains(1L))
    assert(df.collect().length == 7, "the choice stays")
    assert(reportOf(df).covered)
  }

  testAtRoot("a plan that has been taken gives enough rows when it is executed") {
    for (limit <- Seq(1, 7, 10, 11, 40, 41, 119, 120, 121)) {
      val df = table.limit(limit)
      val taken = df.collect()
      assert(taken.length == limit.min(120) && taken.distinct.length == taken.length, s"LIMIT $limit")
      assert(taken.forall(isOfTable))
      val executed = planned(df).execute().count()
      assert(executed == limit.min(120), s"LIMIT $limit")
    }
  }

  testAtRoot("whatever the splits are, every task reads enough rows") {
    for (bytes <- Seq("100b", "400b", "1m"); batch <- Seq("3", "4096"); limit <- Seq(1, 25, 120))
      withConf(
        "spark.sql.files.maxPartitionBytes" -> bytes,
        "spark.sql.parquet.columnarReaderBatchSize" -> batch
      ) {
        val rows = table.limit(limit).collect()
        assert(rows.length == limit && rows.toSet.size == limit && rows.forall(isOfTable), s"$bytes $limit")
      }
  }

  testAtRoot("the reason is true if another extension has replaced Spark's scan") {
    for (take <- Seq(true, false)) {
      val Some(chosen) =
        planned(table.limit(7)).collectFirst { case found: ChooseWhenRunExec => found }: @unchecked
      val node = chosen.copy(child = ColumnarToRowExec(chosen.child))
      if (take) node.chooseFirstRows()
      assert(node.execute().count() == 120)
      assert(
        node.choice.flatMap(_.left.toOption).map(_.reason).contains(Reason.NotSparksParquet("ColumnarToRow"))
      )
    }
  }

  testAtRoot("taking more rows than the LIMIT has does not narrow the files") {
    val df = table.limit(5)
    val Some(node) = nodeOf(df): @unchecked
    assert(node.executeTake(6).length >= 5)
    assert(reportOf(df).covered, "the table was searched")
  }

  testAtRoot("a thread without an active session takes the first rows, with a predicate") {
    withConf(LimitPruningConf.RowsMinBytes.key -> "1") {
      val path = pathOf("wide").toString
      spark.range(0, 20000, 1, 4).selectExpr("id", "id % 7 AS v", "repeat(uuid(), 20) AS wide")
        .write.option("parquet.page.row.count.limit", "100").option("parquet.enable.dictionary", "false")
        .parquet(path)
      for ((where, rows) <- Seq("v = 3" -> 5, "v % 7 = 3 AND id >= 19993" -> 1)) {
        val Some(node) = nodeOf(spark.read.parquet(path).where(where).limit(5)): @unchecked
        var taken = -1
        val thread = new Thread(() => {
          SparkSession.clearActiveSession()
          taken = node.executeTake(5).length
        })
        thread.start()
        thread.join()
        assert(taken == rows, where)
      }
    }
  }

  testAtRoot("row groups without rows, and files without row groups") {
    ParquetFixture(columns).write(pathOf("gaps/0.parquet"))
    val path = ParquetFixture(columns).rowGroup(rowsFrom(0, 1): _*).rowGroup(rowsFrom(1, 2): _*)
      .write(pathOf("gaps/1.parquet"))
    val _ = FooterEdit(path) { footer =>
      val first = footer.getRow_groups.get(0)
      footer.getRow_groups.add(0, first.deepCopy().setNum_rows(0))
    }
    val rows = withConf("spark.sql.parquet.enableVectorizedReader" -> "true") {
      spark.read.schema("a INT, s STRING").parquet(pathOf("gaps").toString).limit(3).collect()
    }
    assert(rows.map(_.getInt(0)).toSeq == Seq(0, 1, 2))
  }

  testAtRoot("no column, a partition column alone, and metadata columns") {
    assert(table.select("part").limit(5).collect().forall(row => (0 to 2).contains(row.getInt(0))))
    assert(table.select("part").limit(50).collect().length == 50)
    assert(table.selectExpr("1").limit(50).collect().length == 50)
    val rows = table.selectExpr("a", "_metadata.row_index", "_metadata.file_path", "part").limit(25).collect()
    assert(rows.length == 25)
    assert(rows.forall(row => row.getInt(0) == row.getInt(3) * 100 + row.getLong(1)))
    assert(rows.forall(row => row.getString(2).contains(s"part=${row.getInt(3)}")))
  }

  /** The pages of the columns have different boundaries. */
  private def paged(name: String)(edit: FileMetaData => Unit): DataFrame = {
    val path = PagedFile.write(
      pathOf(s"paged-$name/f.parquet"),
      "optional int32 a; optional binary s (STRING);",
      (0 until 1000).map(i => Seq(i, s"${"x" * (i % 50)}$i"))
    )
    val _ = FooterEdit(path)(edit)
    spark.read.parquet(path.toString)
  }

  private def takes(df: DataFrame): Long = {
    val rows = df.collect()
    assert(rows.length == 100 &&
      rows.forall(row => row.getString(1) == s"${"x" * (row.getInt(0) % 50)}${row.getInt(0)}"))
    val Some(bytes) = reportOf(df).bytesRead: @unchecked
    bytes
  }

  testAtRoot("single pages are read of a large row group, if its page index is right") {
    withConf(LimitPruningConf.MinPageBytes.key -> "0") {
      val whole = withConf(LimitPruningConf.MaxBytes.key -> "0")(takes(paged("whole")(_ => ()).limit(100)))
      assert(takes(paged("right")(_ => ()).limit(100)) < whole / 5)
      def chunks(footer: FileMetaData) = footer.getRow_groups.get(0).getColumns
      assert(takes(paged("none")(chunks(_).forEach(_.unsetOffset_index_offset())).limit(100)) == whole)
      assert(takes(paged("broken")(footer =>
        chunks(footer).forEach { c =>
          val _ = c.setOffset_index_offset(c.getOffset_index_offset + 3)
        }
      ).limit(100)) == whole)
      assert(takes(paged("other") { footer =>
        val (a, s) = (chunks(footer).get(0), chunks(footer).get(1))
        val (offset, length) = (a.getOffset_index_offset, a.getOffset_index_length)
        a.setOffset_index_offset(s.getOffset_index_offset).setOffset_index_length(s.getOffset_index_length)
        val _ = s.setOffset_index_offset(offset).setOffset_index_length(length)
      }.limit(100)) == whole)
    }
    withConf(LimitPruningConf.MinPageBytes.key -> "1g") {
      assert(takes(paged("small")(_ => ()).limit(100)) > 5000, "a small row group is read whole")
    }
  }

  testAtRoot("line 37: encrypted files are read with their keys, and whole") {
    withConf(LimitPruningConf.MinPageBytes.key -> "0") {
      for (plainFooter <- Seq(true, false)) {
        val path = pathOf(s"taken-encrypted-$plainFooter").toString
        spark.range(0, 10, 1, 1).selectExpr("id", "id AS c")
          .write.mode("overwrite").options(OpenKms.writing("c", plainFooter)).parquet(path)
        val df = spark.read.options(OpenKms.reading).parquet(path).limit(3)
        assert(reasonOf(df).contains("at-root"))
        val rows = df.collect()
        assert(rows.length == 3 && rows.forall(row => row.getLong(0) == row.getLong(1)))
      }
    }
  }

  testAtRoot("the row-based reader reads whole files") {
    withConf("spark.sql.parquet.enableVectorizedReader" -> "false") {
      val rows = table.limit(25).collect()
      assert(rows.length == 25 && rows.forall(isOfTable))
    }
  }

  testAtRoot("a predicate, an order, a large LIMIT, and a LIMIT below the root are planned") {
    assert(nodeOf(table.limit(10000)).nonEmpty)
    for (
      df <- Seq(
        table.limit(10001),
        table.where("a >= 0").limit(5),
        table.orderBy("a").limit(5),
        table.limit(5).selectExpr("count(*)"),
        table.limit(5).union(table.limit(5)),
        table.limit(5).orderBy("a")
      )
    ) {
      assert(nodeOf(df).isEmpty, execution(df).executedPlan)
      assert(!reportsOf(df).flatMap(_.reason).exists(_.code == "at-root"))
    }
  }

  testAtRoot("with an OFFSET, enough rows are read") {
    for (offset <- Seq(3, 45, 119); limit <- Seq(1, 30)) {
      val rows = table.offset(offset).limit(limit).collect()
      assert(rows.length == limit.min(120 - offset) && rows.forall(isOfTable), s"LIMIT $limit OFFSET $offset")
    }
  }

  testAtRoot("settings that have changed since the query was planned") {
    val tolerant = table.limit(5)
    assert(nodeOf(tolerant).nonEmpty)
    withConf("spark.sql.files.ignoreCorruptFiles" -> "true")(assert(tolerant.collect().length == 5))
    assert(reasonOf(tolerant).contains("tolerates-bad-files"), "Spark's own scan has read the rows")
    val off = table.limit(6)
    assert(nodeOf(off).nonEmpty)
    withoutPruning(assert(off.collect().length == 6))
    assert(reasonOf(off).contains("disabled-when-run"))
  }
}
