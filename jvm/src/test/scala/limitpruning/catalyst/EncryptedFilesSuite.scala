package limitpruning.catalyst

import org.apache.spark.sql.DataFrame
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.testing.{OpenKms, SparkSuite}

/** Files that Spark encrypts and can decrypt. Planning reads their footers without keys. */
class EncryptedFilesSuite extends AnyFunSuite with SparkSuite {

  /** One row group of ten rows. `id` is in plain text, `c` is encrypted; both have the values 0 to 9. */
  private def table(plainFooter: Boolean): DataFrame = {
    val path = pathOf(s"encrypted-$plainFooter").toString
    spark.range(0, 10, 1, 1).selectExpr("id", "id AS c")
      .write.mode("overwrite").options(OpenKms.writing("c", plainFooter)).parquet(path)
    spark.read.options(OpenKms.reading).parquet(path)
  }

  private def holds(query: => DataFrame): Assertion = {
    val (ours, plain) = rowsBothWays(query)
    assert(ours.toSet == plain.toSet && ours.size == plain.size && ours.nonEmpty)
  }

  test("line 37: a table with encrypted footers is not pruned, and Spark reads it with the keys") {
    val encrypted = table(plainFooter = false)
    for (
      query <-
        Seq(encrypted.limit(3), encrypted.where("id >= 0").limit(3), encrypted.where("c >= 0").limit(10))
    ) {
      assert(reasonOf(query).contains("unreadable-footer"))
      holds(query)
    }
  }

  test("line 37: an encrypted column proves nothing, even if the footer is in plain text") {
    val encrypted = table(plainFooter = true)
    for (predicate <- Seq("c >= 0", "c IS NOT NULL", "id >= 0 AND c < 10", "c <> 11")) {
      assert(reasonOf(encrypted.where(predicate).limit(3)).nonEmpty, predicate)
      holds(encrypted.where(predicate).limit(10))
    }
  }

  test("line 37: rows with an encrypted column are correct, whichever columns are read") {
    val encrypted = table(plainFooter = true)
    for (columns <- Seq(Seq("id"), Seq("c"), Seq("id", "c"))) {
      holds(encrypted.where("id >= 0").selectExpr(columns: _*).limit(10))
      holds(encrypted.where("id >= 5").selectExpr(columns: _*).limit(5))
      holds(encrypted.selectExpr(columns: _*).limit(10))
    }
  }
}
