package limitpruning.testing

import scala.util.Try

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, BindReferences, Expression, Nondeterministic}

import limitpruning.predicate.{ColumnFacts, Nulls, Outcomes, Values}

/** The correct results, found by complete enumeration. */
object BruteForce {

  /** Every set of outcomes. */
  val allOutcomes: Seq[Outcomes] =
    for (t <- Seq(true, false); f <- Seq(true, false); n <- Seq(true, false)) yield Outcomes(t, f, n)

  /** The single outcome for a result of Spark: true, false or null. */
  def outcome(result: Any): Outcomes = result match {
    case null => Outcomes.Null
    case true => Outcomes.True
    case false => Outcomes.False
    case other => throw new IllegalArgumentException(s"$other is not the result of a predicate")
  }

  def union(outcomes: Iterable[Outcomes]): Outcomes = outcomes.foldLeft(Outcomes.Empty)(_.union(_))

  /** The results in `outcomes`, in Spark's representation. */
  def results(outcomes: Outcomes): Seq[Any] =
    Seq(outcomes.canBeTrue -> true, outcomes.canBeFalse -> false, outcomes.canBeNull -> null).collect {
      case (true, result) => result
    }

  /** Whether every outcome of `small` is in `large`. */
  def contains(large: Outcomes, small: Outcomes): Boolean = large.union(small) == large

  /**
   * The outcomes of `predicate` over `rows`, by Spark's own evaluation. Rows for which it fails have none.
   */
  def outcomesOf(predicate: Expression, input: Seq[Attribute], rows: Seq[InternalRow]): Outcomes = {
    val bound = BindReferences.bindReference(predicate, input)
    bound.foreach {
      case random: Nondeterministic => random.initialize(0)
      case _ =>
    }
    union(rows.flatMap(row => Try(outcome(bound.eval(row))).toOption))
  }

  /**
   * All values of `domain`, and null, that `facts` allow.
   *
   * @param domain values, none of them null
   */
  def possible(facts: ColumnFacts, domain: Seq[Any], ordering: Ordering[Any]): Seq[Any] = {
    val values = facts.values match {
      case Values.Empty => Nil
      case Values.Finite(values) => values
      case Values.Range(min, max) => domain.filter(v => ordering.lteq(min, v) && ordering.lteq(v, max))
      case _ => domain
    }
    if (facts.nulls == Nulls.No) values else values :+ null
  }
}
