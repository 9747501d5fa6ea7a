package limitpruning.footers

import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference, EqualTo, Expression, In, InSet, LessThan, Literal
}
import org.apache.spark.sql.types.{IntegerType, LongType}
import org.scalatest.funsuite.AnyFunSuite

class PredicateFormSuite extends AnyFunSuite {
  private def column(name: String, table: String): AttributeReference =
    AttributeReference(name, IntegerType)(qualifier = Seq(table))

  private def hash(conjuncts: Expression*) = PredicateForm.hash(conjuncts, Seq("settings"))

  private val a = column("a", "t")

  test(
    "a predicate has the same form in other queries, with other literals and under other names of the table"
  ) {
    assert(hash(EqualTo(a, Literal(5))) == hash(EqualTo(column("a", "u"), Literal(6))))
    val lists = Seq(In(a, Seq(Literal(1))), In(a, Seq(Literal(2), Literal(3))), InSet(a, (1 to 20).toSet))
    assert(lists.map(hash(_)).distinct.size == 1)
    val others = Seq(
      hash(),
      hash(EqualTo(a, Literal(5))),
      hash(EqualTo(column("b", "t"), Literal(5))),
      hash(LessThan(a, Literal(5))),
      hash(EqualTo(a, column("b", "t"))),
      hash(EqualTo(a, Literal(5)), EqualTo(column("b", "t"), Literal(5))),
      hash(In(a, Seq(Literal(1), column("b", "t"))))
    )
    assert(others.distinct.size == others.size)
    assert(hash(EqualTo(a, Literal(5))) != hash(EqualTo(a, Literal.create(5L, LongType))))
    assert(PredicateForm.hash(Nil, Seq("other settings")) != hash())
  }
}
