package limitpruning.scan

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.ExplainMode
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.testing.{SparkSuite, Wildlife}

class ScanDescriptionSuite extends AnyFunSuite with SparkSuite {
  private lazy val wildlife = tableOf("wildlife", "a.parquet" -> Wildlife.fixture)
  private val told = Seq(
    "Limit: 3",
    "RowGroups: 4 total → 3 matched → 1 fully matched → 1 scanned",
    "Files: 1 total → 1 inspected → 1 scanned",
    "Rows: 3",
    "RowFilter: skipped ["
  )

  private def explain(mode: String, df: DataFrame = Wildlife.query(wildlife)): String =
    execution(df).explainString(ExplainMode.fromString(mode))

  for (mode <- Seq("simple", "extended", "codegen", "cost", "formatted"))
    test(s"EXPLAIN tells what was chosen, in $mode mode") {
      val text = explain(mode)
      assert(text.contains("LimitPrunedScan parquet"))
      for (entry <- told) assert(text.contains(entry), text)
    }

  test("a simple EXPLAIN shows it in one line, a formatted one in a list") {
    assert(explain("simple").linesIterator.count(line => told.forall(line.contains)) == 1)
    val lines = explain("formatted").linesIterator.toSeq
    for (entry <- told) assert(lines.count(_.startsWith(entry)) == 1, entry)
  }

  test("without a predicate there is no row filter to be skipped") {
    assert(!explain("simple", wildlife.limit(2)).contains("RowFilter"))
  }

  test("matching text is redacted, also with dollars in the replacement") {
    withConf("spark.sql.redaction.string.regex" -> "Alpine") {
      for (mode <- Seq("simple", "formatted")) {
        val node = scansOf(Wildlife.query(wildlife)).head
        val text = if (mode == "simple") node.simpleString(25) else ScanDescription.block(node, "title")
        assert(!text.contains("Alpine") && text.contains("*********(redacted)"), text)
      }
    }
  }

  test("a long predicate is truncated in one line, and complete in the list") {
    val many = (1 to 40).map(i => s"s <> ${1000 + i}").mkString(" AND ")
    val Seq(node) = scansOf(wildlife.where(many).limit(1)): @unchecked
    withConf("spark.sql.maxMetadataStringLength" -> "50") {
      assert(!node.simpleString(25).contains("= 1040)") && node.simpleString(25).contains("..."))
      assert(ScanDescription.block(node, "title").contains("= 1040)"))
    }
  }

  test("the title of the list has Spark's number of the operator") {
    assert(ScanDescription.block(
      scansOf(Wildlife.query(wildlife)).head,
      "(1) Title"
    ).contains("\n(1) Title\nOutput"))
  }
}
