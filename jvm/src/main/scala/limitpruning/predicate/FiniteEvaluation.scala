package limitpruning.predicate

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.types._

/**
 * Evaluates an expression with Catalyst itself, for every combination of its columns' values, if there are
 * few. This proves any deterministic expression without a rule for it. An evaluation that throws proves
 * nothing. Not thread-safe.
 *
 * @param unbound resolved and deterministic, over the columns
 * @param columns the columns of the expression
 * @param ordinals the unit's number of each of these columns
 * @param work what may be evaluated
 */
final class FiniteEvaluation private (
    unbound: Expression,
    columns: IndexedSeq[LeafColumn],
    ordinals: IndexedSeq[Int],
    work: Work
) {
  import FiniteEvaluation._

  private val inputs = ordinals.indices
  private val types = columns.map(_.dataType)
  // Most columns have many values in all row groups. Then all this is never needed.
  private lazy val numbers = columns.map(_.id).zipWithIndex.toMap
  private lazy val expression = bind(unbound, numbers, nullable = true)

  /** Whether the result is null only if one of the columns is. */
  private lazy val isNullOnlyForNull = !bind(unbound, numbers, nullable = false).nullable
  private lazy val nodes = Nesting.nodes(expression)
  // A function over a string or an array may take milliseconds.
  private lazy val mayTakeLong = expression.exists(e => !e.foldable && isLarge(e.dataType))
  private lazy val row = new GenericInternalRow(ordinals.size)
  // Neighbouring row groups and pages often have the same facts about columns of few values.
  private val lastResults, lastOutcomes = new LastFacts

  /** The results, including null. None if there are too many combinations, or if an evaluation threw. */
  def results(unit: RowUnit): Option[Set[Any]] =
    if (!areFew(unit)) None else lastResults.getOrElse(unit)(allResults(unit)).asInstanceOf[Option[Set[Any]]]

  private def allResults(unit: RowUnit): Option[Set[Any]] = {
    val found = Set.newBuilder[Any]
    if (evaluate(unit) { result => found += result; true }) Some(found.result()) else None
  }

  /** Also evaluates a predicate if the rules leave more than one outcome. */
  def narrow(byRules: RowUnit => Outcomes): RowUnit => Outcomes = unit => {
    val outcomes = byRules(unit)
    if (outcomes.isDecided || !areFew(unit)) outcomes
    else {
      // Once all of these are found, nothing is left to be excluded.
      val found = outcomesUntil(unit)(_.containsAll(outcomes))
      found.fold(outcomes)(outcomes.intersect(_))
    }
  }

  /** Evaluates a predicate. The rules, which evaluate its parts, are used only if it has too many combinations. */
  def orElse(byRules: RowUnit => Outcomes): RowUnit => Outcomes = unit =>
    if (!areFew(unit)) byRules(unit)
    else
      lastOutcomes.getOrElse(unit) {
        val mayBeNull = expression.nullable &&
          !(isNullOnlyForNull && inputs.forall(!facts(unit, _).canBeNull))
        // Nothing is decided if some rows may match and others not, so it does not matter whether others are null.
        outcomesUntil(unit)(_.containsAll(Outcomes.TrueOrFalse)).map { found =>
          if (mayBeNull && found.containsAll(Outcomes.TrueOrFalse)) Outcomes.Any else found
        }
      }.asInstanceOf[Option[Outcomes]].getOrElse(byRules(unit))

  /** The outcomes that were found until they are `enough`. None if an evaluation threw. */
  private def outcomesUntil(unit: RowUnit)(enough: Outcomes => Boolean): Option[Outcomes] = {
    var found = Outcomes.Empty
    val isKnown = evaluate(unit) { result =>
      found = found.union(Outcomes.ofResult(result))
      !enough(found)
    }
    if (isKnown) Some(found) else None
  }

  private def facts(unit: RowUnit, input: Int): ColumnFacts = unit.facts(ordinals(input))

  /** Whether there are few combinations. Allocates nothing: most columns have many values. */
  private def areFew(unit: RowUnit): Boolean = {
    var combinations = 1L
    var input = 0
    while (input < ordinals.size && combinations <= MostCombinations) {
      // Neither factor is large enough for an overflow.
      combinations *= FewValues.count(facts(unit, input), types(input)).min(MostCombinations + 1)
      input += 1
    }
    combinations <= MostCombinations && inputs.forall(i => FewValues.exist(facts(unit, i), types(i)))
  }

  /**
   * Calls `goesOn` with the results of all combinations, or until it returns false.
   *
   * @return false if an evaluation threw, or if the work exceeds the budget
   */
  private def evaluate(unit: RowUnit)(goesOn: Any => Boolean): Boolean = {
    val choices =
      inputs.flatMap(i => FewValues.of(facts(unit, i), types(i))).map(_.toArray[Any]).toArray
    val at = new Array[Int](choices.length)
    var isKnown = true
    var hasNext = choices.forall(_.nonEmpty)
    if (hasNext) inputs.foreach(i => row.update(i, choices(i)(0)))
    if (mayTakeLong) work.resume()
    try
      while (hasNext) {
        isKnown = work.spend(nodes, mayTakeLong)
        hasNext = isKnown && goesOn(expression.eval(row)) && advance(choices, at)
      }
    catch { case NonFatal(_) => isKnown = false }
    isKnown
  }

  /** Puts the next combination into the row, if there is one. */
  private def advance(choices: Array[Array[Any]], at: Array[Int]): Boolean = {
    var column = choices.length - 1
    while (column >= 0 && at(column) == choices(column).length - 1) {
      at(column) = 0
      row.update(column, choices(column)(0))
      column -= 1
    }
    if (column >= 0) {
      at(column) += 1
      row.update(column, choices(column)(at(column)))
    }
    column >= 0
  }

  /** What was found for the last facts about the columns. */
  private final class LastFacts {
    private val known = new Array[ColumnFacts](ordinals.size)
    private var found: Option[Any] = None

    /** @param find what is found for other facts; none, which is not stored, if nothing is known */
    def getOrElse(unit: RowUnit)(find: => Option[Any]): Option[Any] =
      if (found.nonEmpty && inputs.forall(i => areSame(known(i), facts(unit, i)))) found
      else {
        found = find
        inputs.foreach(i => known(i) = facts(unit, i))
        found
      }
  }
}

object FiniteEvaluation {

  /** The maximum number of combinations that are evaluated for one expression and unit. */
  private val MostCombinations = 1024L

  /** @return none if the expression cannot be evaluated here, or contains user-defined code */
  def of(
      expression: Expression,
      columns: Map[(ExprId, Seq[String]), Int],
      work: Work = new Work
  ): Option[FiniteEvaluation] = {
    val used = LeafColumn.in(expression).toIndexedSeq
    val ordinals = used.flatMap(column => columns.get(column.id))
    if (used.isEmpty || ordinals.size < used.size || obstacle(expression).nonEmpty) None
    else Some(new FiniteEvaluation(expression, used, ordinals, work))
  }

  /** The part of an expression, as SQL, that cannot or must not be evaluated while planning. */
  def obstacle(e: Expression): Option[String] = e match {
    case LeafColumn(_) => None
    case _: Unevaluable | _: UserDefinedExpression | _: PlanExpression[_] | _: AggregateExpression =>
      Some(BriefSql(e))
    case _: Nondeterministic | _: LambdaFunction | _: NamedLambdaVariable => Some(BriefSql(e))
    case other => other.children.iterator.map(obstacle).collectFirst { case Some(part) => part }
  }

  private def bind(e: Expression, inputs: Map[(ExprId, Seq[String]), Int], nullable: Boolean): Expression =
    e match {
      case LeafColumn(column) => BoundReference(inputs(column.id), column.dataType, nullable)
      case other => other.mapChildren(bind(_, inputs, nullable))
    }

  private def isLarge(dataType: DataType): Boolean = dataType match {
    case _: StringType | BinaryType | _: ArrayType | _: MapType | _: StructType => true
    case _ => false
  }

  /**
   * Whether the facts are the same, so that the results are. Values that are only equal, such as 0.0 and -0.0, may have
   * other results.
   */
  private def areSame(a: ColumnFacts, b: ColumnFacts): Boolean = (a eq b) ||
    (a.nulls == b.nulls &&
      ((a.values, b.values) match {
        case (Values.Range(min, max), Values.Range(otherMin, otherMax)) =>
          isExact(min) && isExact(max) && min == otherMin && max == otherMax
        case (one, other) => one eq other
      }))

  private def isExact(value: Any): Boolean = value match {
    case _: Boolean | _: Byte | _: Short | _: Int | _: Long => true
    case _ => false
  }
}
