package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.IntegerType
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.Values.Range
import limitpruning.testing.Evaluators.evaluator

class ExcludedValuesSuite extends AnyFunSuite {
  private val c = AttributeReference("c", IntegerType)()

  /** Values of 1 … 900, none of which is 5 or 6. */
  private final class WithoutFiveAndSix(nulls: Nulls) extends RowUnit {
    override def facts(ordinal: Int): ColumnFacts = ColumnFacts(Range(1, 900), nulls)
    override def excludes(ordinal: Int, value: Any): Boolean = value == 5 || value == 6
  }

  private def outcomes(predicate: Expression, nulls: Nulls = Nulls.No): Outcomes =
    evaluator(predicate, Seq(c)).outcomes(new WithoutFiveAndSix(nulls))

  test("a value that is excluded is not found, and <> is proved by that") {
    assert(outcomes(EqualTo(c, Literal(5))) == Outcomes.False)
    assert(outcomes(EqualTo(Literal(5), c)) == Outcomes.False)
    assert(outcomes(EqualNullSafe(c, Literal(5))) == Outcomes.False)
    assert(outcomes(Not(EqualTo(c, Literal(5)))) == Outcomes.True)
    assert(outcomes(EqualTo(c, Literal(7))) == Outcomes.TrueOrFalse)
  }

  test("a list is not found where all of its values are excluded") {
    assert(outcomes(In(c, Seq(Literal(5), Literal(6)))) == Outcomes.False)
    assert(outcomes(InSet(c, Set(5, 7))) == Outcomes.TrueOrFalse)
  }

  test("a list of thousands is not looked for value by value") {
    var asked = 0
    val counting = new RowUnit {
      override def facts(ordinal: Int): ColumnFacts = ColumnFacts(Range(1, 900), Nulls.No)
      override def excludes(ordinal: Int, value: Any): Boolean = { asked += 1; true }
    }
    assert(evaluator(InSet(c, (0 to 2000).toSet), Seq(c)).outcomes(counting) == Outcomes.TrueOrFalse)
    assert(asked == 0)
  }

  test("lines 4, 5: exclusion says nothing of nulls") {
    assert(outcomes(Not(EqualTo(c, Literal(5))), Nulls.Unknown) == Outcomes.True.union(Outcomes.Null))
    assert(outcomes(Not(In(c, Seq(Literal(5), Literal(null, IntegerType))))) == Outcomes.Null)
    assert(outcomes(EqualNullSafe(c, Literal(null, IntegerType)), Nulls.Unknown) == Outcomes.TrueOrFalse)
  }

  test("exclusion speaks of columns, not of what is computed from them") {
    assert(outcomes(EqualTo(Add(c, Literal(1)), Literal(6))) == Outcomes.TrueOrFalse)
    assert(outcomes(LessThan(c, Literal(6))) == Outcomes.TrueOrFalse)
  }
}
