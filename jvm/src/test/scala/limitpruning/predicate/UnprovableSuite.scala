package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions.{
  And, AttributeReference, Coalesce, Expression, GreaterThan, If, IsNotNull, IsNull, Literal, Not, Or,
  ScalaUDF
}
import org.apache.spark.sql.types.{BooleanType, IntegerType}
import org.scalatest.funsuite.AnyFunSuite

class UnprovableSuite extends AnyFunSuite {
  private val known = AttributeReference("known", IntegerType)()
  private val unknown = AttributeReference("unknown", IntegerType)()
  private val onKnown = GreaterThan(known, Literal(5))
  private val onUnknown = GreaterThan(unknown, Literal(5))
  private val udf = ScalaUDF((i: Int) => i > 5, BooleanType, Seq(known))

  private def obstacle(conjuncts: Expression*): Option[String] =
    Unprovable.obstacle(conjuncts, _.name == "known").map(_.sentence)

  test("a predicate on a column that may have facts may be proved") {
    assert(obstacle().isEmpty)
    assert(obstacle(onKnown, IsNotNull(known)).isEmpty)
    assert(obstacle(GreaterThan(known, unknown)).isEmpty)
  }

  test("one conjunct that cannot be proved is enough") {
    val sentence = Some("no usable statistics for column unknown")
    assert(obstacle(onUnknown) == sentence)
    assert(obstacle(onKnown, onUnknown) == sentence)
    assert(obstacle(And(onKnown, onUnknown)) == sentence)
    assert(obstacle(Or(onUnknown, IsNull(unknown))) == sentence)
    assert(obstacle(IsNotNull(unknown)).nonEmpty)
  }

  test("one side of OR that may be proved is enough") {
    assert(obstacle(Or(onKnown, onUnknown)).isEmpty)
    assert(obstacle(Or(udf, onKnown)).isEmpty)
  }

  test("only Spark can evaluate a UDF, but another part may decide") {
    assert(obstacle(udf).exists(_.startsWith("predicate uses")))
    assert(obstacle(Not(udf)).nonEmpty)
    assert(obstacle(If(onKnown, Literal(true), udf)).isEmpty)
    assert(obstacle(Not(And(udf, onKnown))).isEmpty)
    assert(obstacle(Coalesce(Seq(onKnown, udf))).isEmpty)
  }

  test("a predicate that is true for all values is proved without facts") {
    assert(obstacle(Literal(true)).isEmpty)
    assert(obstacle(Or(IsNull(unknown), Literal(true))).isEmpty)
  }
}
