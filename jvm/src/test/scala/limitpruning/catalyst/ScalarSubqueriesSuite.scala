package limitpruning.catalyst

import org.apache.spark.sql.catalyst.expressions.{And, Expression, GreaterThan, Literal}
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.testing.{ParquetFixture, SparkSuite}

class ScalarSubqueriesSuite extends AnyFunSuite with SparkSuite {
  private lazy val table = {
    val table =
      tableOf("subqueries", "a.parquet" -> ParquetFixture("required int32 a;").rowGroup(Seq(1), Seq(2)))
    table.createOrReplaceTempView("numbers")
    table
  }

  private def conjuncts(where: String): Seq[Expression] = {
    table
    val filters = limitsOf(spark.sql(s"SELECT * FROM numbers AS o WHERE $where LIMIT 1")).head.collect {
      case filter: Filter => filter.condition
    }
    def split(e: Expression): Seq[Expression] = e match {
      case And(left, right) => split(left) ++ split(right)
      case other => Seq(other)
    }
    filters.flatMap(split)
  }

  private val highest = "(SELECT max(a) FROM numbers)"

  test("scalar subqueries that do not depend on the row are supported") {
    for (where <- Seq(s"a = $highest", s"a > $highest - 1 AND a < $highest", s"NOT (a <=> $highest)"))
      assert(ScalarSubqueries.areSupported(conjuncts(where)), where)
  }

  test("subqueries that are not deterministic are not supported") {
    val random = "a > (SELECT max(a) * rand() FROM numbers)"
    assert(!ScalarSubqueries.areSupported(conjuncts(random)))
  }

  test("line 54: predicates are the same only if no conjunct was added, removed or changed") {
    val some = conjuncts(s"a = $highest AND a > 1")
    assert(ScalarSubqueries.areSame(some, some.reverse))
    assert(!ScalarSubqueries.areSame(some, some.tail))
    assert(!ScalarSubqueries.areSame(some, some :+ some.head))
    val column = some.flatMap(_.references).head
    assert(!ScalarSubqueries.areSame(some, some :+ GreaterThan(column, Literal(0))))
  }
}
