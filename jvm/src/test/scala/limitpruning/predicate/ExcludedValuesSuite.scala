package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.IntegerType
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.Values.Range
import limitpruning.testing.Evaluators.evaluator

class ExcludedValuesSuite extends AnyFunSuite {
  private val c = AttributeReference("c", IntegerType)()

  /** Values from 1 to 900, without 5 and 6. */
  private final class WithoutFiveAndSix(nulls: Nulls) extends RowUnit {
    override def facts(ordinal: Int): ColumnFacts = ColumnFacts(Range(1, 900), nulls)
    override def excludes(ordinal: Int, value: Any): Boolean = value == 5 || value == 6
  }

  private def outcomes(predicate: Expression, nulls: Nulls = Nulls.No): Outcomes =
    evaluator(predicate, Seq(c)).outcomes(new WithoutFiveAndSix(nulls))

  test("a value that is excluded is not found, which proves <>") {
    assert(outcomes(EqualTo(c, Literal(5))) == Outcomes.False)
    assert(outcomes(EqualTo(Literal(5), c)) == Outcomes.False)
    assert(outcomes(EqualNullSafe(c, Literal(5))) == Outcomes.False)
    assert(outcomes(Not(EqualTo(c, Literal(5)))) == Outcomes.True)
    assert(outcomes(EqualTo(c, Literal(7))) == Outcomes.TrueOrFalse)
  }

  test("a list is not found if all of its values are excluded") {
    assert(outcomes(In(c, Seq(Literal(5), Literal(6)))) == Outcomes.False)
    assert(outcomes(InSet(c, Set(5, 7))) == Outcomes.TrueOrFalse)
  }

  test("up to a thousand values of a list are looked up, and none of a longer list") {
    var asked = 0
    val counting = new RowUnit {
      override def facts(ordinal: Int): ColumnFacts = ColumnFacts(Range(1, 900), Nulls.No)
      override def excludes(ordinal: Int, value: Any): Boolean = { asked += 1; true }
    }
    assert(evaluator(InSet(c, (0 to 2000).toSet), Seq(c)).outcomes(counting) == Outcomes.TrueOrFalse)
    assert(asked == 0)
    assert(evaluator(InSet(c, (1 to 1000).toSet), Seq(c)).outcomes(counting) == Outcomes.False)
    assert(asked == 1000)
  }

  test("lines 4, 5: exclusion proves nothing about nulls") {
    assert(outcomes(Not(EqualTo(c, Literal(5))), Nulls.Unknown) == Outcomes.True.union(Outcomes.Null))
    assert(outcomes(Not(In(c, Seq(Literal(5), Literal(null, IntegerType))))) == Outcomes.Null)
    assert(outcomes(EqualNullSafe(c, Literal(null, IntegerType)), Nulls.Unknown) == Outcomes.TrueOrFalse)
  }

  test("exclusion applies to columns, not to expressions over them") {
    assert(outcomes(EqualTo(Add(c, Literal(1)), Literal(6))) == Outcomes.TrueOrFalse)
    assert(outcomes(LessThan(c, Literal(6))) == Outcomes.TrueOrFalse)
  }
}
