package limitpruning.search
import org.apache.spark.sql.DataFrame
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.catalyst.MatchLimit
import limitpruning.conf.LimitPruningConf
import limitpruning.parquet.UnreadableFooterException
import limitpruning.report.SharedState
import limitpruning.testing.{OneColumn, ParquetFixture, SparkSuite, Wildlife}

class InspectTableSuite extends AnyFunSuite with SparkSuite {
  private def look(query: DataFrame): InspectTable = {
    val Seq(limit) = limitsOf(query): @unchecked
    val Some(Right(scan)) = MatchLimit.of(limit): @unchecked
    new InspectTable(scan, spark, SharedState.of(spark).facts, spark.sessionState.conf)
  }

  test("every file is inspected, even if the first one covers the LIMIT") {
    val table = tableOf("two", "a.parquet" -> Wildlife.fixture, "b.parquet" -> Wildlife.fixture)
    val all = look(Wildlife.query(table, limit = 1))
    val states = all.inspect(all.files).map(_.file.rowGroups.map(_.state.toString.head).mkString)
    assert(states == Seq("NPFP", "NPFP"))
  }

  test("evaluation is not bounded by the time to plan a LIMIT") {
    val table = tableOf("slow", "a.parquet" -> Wildlife.fixture)
    val work = withConf(LimitPruningConf.MaxTime.key -> "1")(look(Wildlife.query(table)).classify.work)
    for (_ <- 1 to 200) { // longer than any LIMIT may take
      work.spend(1000): Unit
      Thread.sleep(1)
    }
    assert(!work.isUsedUp)
  }

  test("the predicate's columns come first, then all others, including fields of structs") {
    val folder = pathOf("nested").toString
    spark.sql(
      "SELECT 1 AS a, named_struct('x', 2, 'y', 'z') AS s, array(1) AS l, 3 AS b"
    ).write.parquet(folder)
    val table = look(spark.read.parquet(folder).where("b > 1").limit(1))
    assert(table.columns.map(c => (c.attribute.name +: c.path).mkString(".")) == Seq("b", "a", "s.x", "s.y"))
    assert(table.predicateColumns == 1)
  }

  test("partition columns are distinguished from columns of files") {
    val folder = pathOf("parted").toString
    spark.range(4).selectExpr("id", "id % 2 AS p").write.partitionBy("p").parquet(folder)
    val table = look(spark.read.parquet(folder).limit(1))
    assert(table.columns.map(c => c.attribute.name -> table.isPartition(c)) ==
      Seq("id" -> false, "p" -> true))
  }

  test("shows which metadata a column has") {
    val path = OneColumn.write(pathOf("one.parquet"), "required int32 c", 0 until 1000)(
      _.withBloomFilterEnabled("c", true).withDictionaryEncoding(false)
    )
    val table = look(spark.read.parquet(path.toString).limit(1))
    val Seq(file) = table.inspect(table.files): @unchecked
    val chunk = file.chunks.head.head
    assert(chunk.hasPageIndex && chunk.hasBloomFilter && !chunk.hasDictionary)
    val dictionary = tableOf(
      "dict",
      "0.parquet" -> ParquetFixture("required int32 c;").rowGroup(Seq.fill(100)(Seq(1)): _*).withDictionary
    )
    val other = look(dictionary.limit(1))
    assert(other.inspect(other.files).head.chunks.head.head.hasDictionary)
  }

  test("the error names a file without a footer") {
    val table = tableOf("broken", "a.parquet" -> Wildlife.fixture)
    val all = look(table.limit(1))
    java.nio.file.Files.writeString(pathOf("broken/a.parquet"), "x" * all.files.head.status.getLen.toInt)
    val error = intercept[UnreadableFooterException](all.inspect(all.files))
    assert(error.getMessage.contains("broken/a.parquet"))
  }
}
