package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.IntegerType
import org.scalatest.funsuite.AnyFunSuite

class BriefSqlSuite extends AnyFunSuite {
  private val c = AttributeReference("c", IntegerType)()

  test("short expressions are shown as they are") {
    val short = Not(InSet(c, Set(1, 2, 3)))
    assert(BriefSql(short) == short.sql)
  }

  test("only some values of a long list are shown, at any depth") {
    val sql = BriefSql(Not(InSet(c, (1 to 100000).toSet)))
    assert(sql.matches("""\(NOT \(c IN \((-?\d+, ){10}… 99990 more\)\)\)"""), sql)
  }

  test("only some of many conjuncts are shown") {
    val predicate = (1 to 5000).map(i => GreaterThan(c, Literal(i)))
    assert(BriefSql.and(predicate.take(2)) == "(c > 1) AND (c > 2)")
    val sql = BriefSql.and(predicate)
    assert(sql.startsWith("(c > 1) AND (c > 2)") && sql.endsWith("(c > 20) AND … 4980 more"), sql)
  }

  test("what is just short enough is shown whole") {
    val list = InSet(c, (1 to 10).toSet)
    assert(BriefSql(list) == list.sql)
    val conjuncts = (1 to 20).map(i => GreaterThan(c, Literal(i)))
    assert(BriefSql.and(conjuncts) == conjuncts.map(_.sql).mkString(" AND "))
    def named(length: Int) = AttributeReference("x" * length, IntegerType)()
    val longest = named(500 - (named(1).sql.length - 1))
    assert(longest.sql.length == 500 && BriefSql(longest) == longest.sql)
  }

  test("other long expressions are truncated") {
    val sql = BriefSql(In(c, (1 to 1000).map(Literal(_))))
    assert(sql.startsWith("(c IN (1, 2, ") && sql.endsWith("…") && sql.length == 501, sql)
  }
}
