package limitpruning.report

import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference, Expression, Literal, NamedArgumentExpression, UnaryMinus
}
import org.apache.spark.sql.types.StringType
import org.scalatest.funsuite.AnyFunSuite

class FunctionCallSuite extends AnyFunSuite {
  private val table = Argument("table")
  private val limit = Argument("limit", Some("1"))
  private val parameters = Seq(table, limit)

  private def call(arguments: Expression*): FunctionCall = FunctionCall("f", parameters, arguments)

  private def named(name: String, value: Any): Expression = NamedArgumentExpression(name, Literal(value))

  private def problem(body: => Any): String = intercept[LimitPruningException](body).getMessage

  test("arguments come by position, by name, or are not given") {
    for (
      both <- Seq(
        call(Literal("t"), Literal(3)),
        call(Literal("t"), named("limit", 3)),
        call(named("LIMIT", 3), named("table", "t"))
      )
    )
      assert((both.required(table), both.count(limit)) == (("t", Some(3))))
    assert(call(Literal("t")).count(limit).isEmpty)
    assert(call(Literal("t"), Literal(null)).count(limit).isEmpty)
    assert(call(Literal("t"), Literal(3L)).count(limit).contains(3))
  }

  test("a mistake names what was found and what is supported") {
    val usage = "Its parameters are table, limit (default: 1); they can be given by name, as in table => …"
    for (
      (arguments, found) <- Seq[(Seq[Expression], String)](
        Nil -> "f: table is missing",
        Seq(Literal("t"), Literal(1), Literal(2)) -> "f: 3 arguments were found",
        Seq(Literal("t"), named("table", "u")) -> "f: table is given twice",
        Seq(Literal("t"), named("most", 1)) -> "f: there is no parameter most"
      )
    )
      assert(problem(call(arguments: _*)).contains(s"$found. $usage"))
  }

  test("a value of another type or range is a mistake") {
    def limitIs(e: Expression) = problem(call(Literal("t"), e).count(limit))
    assert(limitIs(Literal(0)).contains("limit is 0; it must be a whole number from 1 to 2147483647."))
    assert(limitIs(UnaryMinus(Literal(3))).contains("limit is -3"))
    assert(limitIs(Literal(Long.MaxValue)).contains("limit is 9223372036854775807"))
    assert(limitIs(Literal("3")).contains("limit is a STRING"))
    assert(limitIs(Literal(1.5)).contains("limit is a DOUBLE"))
    val column = AttributeReference("c", StringType)()
    assert(
      problem(call(column).required(table)).contains("c, which is not a constant; it must be a constant")
    )
    for (blank <- Seq(Literal(""), Literal(null)))
      assert(problem(call(blank).required(table)).contains("NULL, empty or not given"))
  }
}
