package limitpruning.predicate

import java.lang.ref.WeakReference

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.BooleanType
import org.apache.spark.unsafe.types.UTF8String

import limitpruning.predicate.Expectation.{EachValue, ShortRange}
import limitpruning.predicate.Values.Range

/**
 * Computes the outcomes that a predicate can have over a unit of rows, from facts alone. A predicate is
 * compiled once per query, and evaluated for each row group. Not thread-safe: Catalyst's expressions have
 * state while they are evaluated.
 *
 * Expressions without a rule below are evaluated if their columns have few values. Otherwise their outcomes
 * are unknown, so a conjunct for which nothing can be proved never counts as proved. Expressions that are not
 * deterministic have unknown outcomes, whatever their form.
 *
 * @param conjuncts resolved boolean expressions, which must all be true
 * @param input the columns, in the order in which a [[RowUnit]] numbers them
 * @param work what may be evaluated; all outcomes of what exceeds it are possible
 */
final class Evaluator(conjuncts: Seq[Expression], input: Seq[LeafColumn], work: Work = new Work) {
  import Evaluator._

  private val columns: Map[(ExprId, Seq[String]), Int] = input.map(_.id).zipWithIndex.toMap
  private val operands = new Operands(columns, compile, work)
  private val excluded = new ExcludedValues(columns, work)
  // A conjunct may be decided as a whole although its parts are not decided separately: a = 1 OR a = 2.
  private val roots: Array[RowUnit => Outcomes] = conjuncts.map {
    case c @ (_: And | _: Or | _: Not) => finite(c).fold(compile(c))(_.narrow(compile(c)))
    case atom => compile(atom)
  }.toArray
  private val costs: Array[Long] = conjuncts.map(cost).toArray
  // Several questions about one unit need the outcomes of its conjuncts.
  private var lastUnit = new WeakReference[RowUnit](null)
  private val lastOutcomes = new Array[Outcomes](roots.size)
  private val obstacles = conjuncts.map(new FindObstacle(_, columns)).toIndexedSeq

  /** The possible outcomes over `unit`, which must have at least one row. */
  def outcomes(unit: RowUnit): Outcomes = {
    var all = Outcomes.True
    var next = 0
    while (next < roots.size && all.canBeTrue) { // if a conjunct cannot be true, the others do not matter
      all = all.and(outcomes(next, unit))
      next += 1
    }
    all
  }

  private def outcomes(conjunct: Int, unit: RowUnit): Outcomes = {
    if (lastUnit.get ne unit) {
      lastUnit = new WeakReference(unit)
      java.util.Arrays.fill(lastOutcomes.asInstanceOf[Array[AnyRef]], null)
    }
    if (lastOutcomes(conjunct) == null)
      lastOutcomes(conjunct) = outcomesFor(conjunct)(unit)
    lastOutcomes(conjunct)
  }

  private def outcomesFor(conjunct: Int)(unit: RowUnit): Outcomes =
    if (work.spend(costs(conjunct))) roots(conjunct)(unit) else Outcomes.Any

  /** The facts about the values of a resolved expression of any type. */
  def facts(expression: Expression): RowUnit => ColumnFacts = {
    val operand = operands.facts(expression)
    val size = cost(expression)
    unit => if (work.spend(size)) operand(unit) else ColumnFacts.Unknown
  }

  /**
   * The columns, by ordinal, of each conjunct that is not proved to be true for every row. Empty for a
   * conjunct that cannot be evaluated while planning.
   */
  def undecided(unit: RowUnit): Seq[Seq[Int]] = notTrue(unit).map(columnsOf)

  /**
   * Whether each of these conjuncts may be decided once more is known about some columns. It is expected not to be if it is not
   * even decided at the ends of the known ranges of these columns. Nothing is expected of a long one. Proves nothing.
   *
   * @param expected what becomes known about a column, by ordinal; none if nothing does
   */
  def mayBeDecided(unit: RowUnit)(expected: Int => Option[Expectation]): Boolean =
    notTrue(unit).forall(mayBeDecided(_, unit, expected))

  private def mayBeDecided(conjunct: Int, unit: RowUnit, expected: Int => Option[Expectation]): Boolean = {
    // One known value needs no expectation.
    val columns = columnsOf(conjunct).filterNot(column => isOneValue(unit.facts(column).values))
    val byColumn = columns.flatMap(column => expected(column).map(column -> _)).toMap
    def haveNoRange = byColumn.keys.exists(unit.facts(_).values == Values.Unknown)
    def areAll = haveOnlyKnownColumns(conjunct) &&
      (columns.size == 1 || columns.forall(byColumn.get(_).contains(EachValue)))
    // Pages in the middle may decide one of its parts.
    def isCompoundOfPages = byColumn.values.exists(_ == ShortRange) && areCompound(conjunct)
    def isDecided(areLeast: Int => Boolean) = {
      val found = outcomesFor(conjunct)(new EndsOfRanges(unit, byColumn, areLeast))
      found.isOnlyTrue || !found.canBeTrue
    }
    byColumn.nonEmpty &&
    (areAll || haveNoRange || isCompoundOfPages || costs(conjunct) > MostTried || Seq[Int => Boolean](
      _ => true,
      _ => false,
      _ == columns.head,
      _ != columns.head
    ).exists(isDecided))
  }

  private def notTrue(unit: RowUnit): Seq[Int] = roots.indices.filter(i => !outcomes(i, unit).isOnlyTrue)

  private lazy val columnsOf: IndexedSeq[Seq[Int]] = conjuncts.map { conjunct =>
    if (FiniteEvaluation.obstacle(conjunct).nonEmpty) Nil
    else LeafColumn.in(conjunct).flatMap(column => columns.get(column.id))
  }.toIndexedSeq

  private lazy val haveOnlyKnownColumns: IndexedSeq[Boolean] =
    conjuncts.map(LeafColumn.in(_).forall(column => columns.contains(column.id))).toIndexedSeq

  private lazy val areCompound: IndexedSeq[Boolean] = conjuncts.map(isCompound).toIndexedSeq

  /** The first conjunct that is true for no row. */
  def neverTrue(unit: RowUnit): Option[Expression] =
    roots.indices.find(i => !outcomes(i, unit).canBeTrue).map(conjuncts(_))

  /**
   * Whether one of some conjuncts is true for no row.
   *
   * @param among whether it is one of these, for each conjunct
   */
  def isNeverTrue(unit: RowUnit)(among: IndexedSeq[Boolean]): Boolean =
    roots.indices.exists(i => among(i) && !outcomes(i, unit).canBeTrue)

  /** The obstacle to the proof of the first conjunct that is not proved to be true for every row. */
  def obstacle(unit: RowUnit): Option[Obstacle] =
    roots.indices.find(i => !outcomes(i, unit).isOnlyTrue).map(obstacles(_)(unit))

  private def compile(expression: Expression): RowUnit => Outcomes = expression match {
    case e if !e.deterministic => _ => Outcomes.Any
    case And(left, right) => both(compile(left), compile(right))((l, r) => l.and(r))
    case Or(left, right) => both(compile(left), compile(right))((l, r) => l.or(r))
    case Not(child) => not(compile(child))
    // Rules check at every level whether the rest is finite. This takes long for hundreds of levels, so here
    // it is checked once.
    case atom if Nesting.isDeeper(atom, Nesting.DeepestAtom) => finite(atom).fold(nothing)(_.orElse(nothing))
    case atom =>
      val byRules = compileAtom(atom)
      finite(atom).fold(byRules) { all =>
        // The rules for columns and literals are quick. Those for expressions may evaluate these, too.
        if (atom.children.forall(isQuick)) all.narrow(byRules) else all.orElse(byRules)
      }
  }

  private def nothing: RowUnit => Outcomes = _ => Outcomes.Any

  private def isQuick(e: Expression): Boolean = e match {
    case LeafColumn(_) | _: Literal => true
    case _ => false
  }

  private def compileAtom(expression: Expression): RowUnit => Outcomes = expression match {
    case Comparable(e @ EqualTo(l, r)) =>
      excluded.ofEquality(l, r, compare(l, r)(Comparisons.of(e).equalTo))
    case Comparable(e @ EqualNullSafe(l, r)) =>
      excluded.ofEquality(l, r, compare(l, r)(Comparisons.of(e).equalNullSafe))
    case Comparable(e @ LessThan(l, r)) => compare(l, r)(Comparisons.of(e).lessThan)
    case Comparable(e @ LessThanOrEqual(l, r)) => compare(l, r)(Comparisons.of(e).lessThanOrEqual)
    case Comparable(e @ GreaterThan(l, r)) => compare(r, l)(Comparisons.of(e).lessThan)
    case Comparable(e @ GreaterThanOrEqual(l, r)) => compare(r, l)(Comparisons.of(e).lessThanOrEqual)

    case LiteralList(value, elements) =>
      val list = new Membership(elements, SupportedTypes.ordering(value.dataType))
      excluded.ofList(value, elements, ask(value)(list.outcomes))
    case StartsWith(value, Literal(prefix: UTF8String, _)) if SupportedTypes.contains(value.dataType) =>
      ask(value)(Prefixes.startsWith(_, prefix))
    case LikePattern.Simplified(predicate) => compileAtom(predicate)
    case LiteralPrefix(value, prefix) => ask(value)(Prefixes.onlyIfStartsWith(_, prefix))

    case IsNull(child) => ask(child)(FactOutcomes.isNull)
    case IsNotNull(child) => not(ask(child)(FactOutcomes.isNull))

    case Branches(branches, otherwise) if expression.dataType == BooleanType =>
      val compiled = branches.map { case (condition, value) => (compile(condition), compile(value)) }
      Branches.choose[Outcomes](compiled, compile(otherwise), _.union(_))
    case Coalesce(children) if expression.dataType == BooleanType =>
      Branches.firstNotNull(children.map(compile))

    case e if e.dataType == BooleanType => ask(e)(FactOutcomes.isTrue)
    case _ => _ => Outcomes.Any
  }

  private def finite(e: Expression): Option[FiniteEvaluation] = FiniteEvaluation.of(e, columns, work)

  private def both(l: RowUnit => Outcomes, r: RowUnit => Outcomes)(
      combine: (Outcomes, Outcomes) => Outcomes
  ): RowUnit => Outcomes = unit => combine(l(unit), r(unit))

  private def not(inner: RowUnit => Outcomes): RowUnit => Outcomes = unit => !inner(unit)

  private def ask(e: Expression)(outcomes: ColumnFacts => Outcomes): RowUnit => Outcomes = {
    val operand = operands.facts(e)
    unit => outcomes(operand(unit))
  }

  private def compare(left: Expression, right: Expression)(
      outcomes: (ColumnFacts, ColumnFacts) => Outcomes
  ): RowUnit => Outcomes = {
    val (l, r) = (operands.facts(left), operands.facts(right))
    unit => outcomes(l(unit), r(unit))
  }
}

private object Evaluator {

  /**
   * Rows with values at the ends of the known ranges.
   *
   * @param areLeast whether the values of a column are at the lower end
   */
  private final class EndsOfRanges(unit: RowUnit, expected: Map[Int, Expectation], areLeast: Int => Boolean)
      extends RowUnit {
    override def facts(ordinal: Int): ColumnFacts = (unit.facts(ordinal), expected.get(ordinal)) match {
      case (ColumnFacts(range: Range, _), Some(expectation)) =>
        ColumnFacts(expectation.at(range, areLeast(ordinal)), Nulls.No)
      case (known, _) => known
    }
  }

  /** The work of the rules, which look at types, ranges and sorted lists instead of rows. */
  private def cost(e: Expression): Long = 1 + Nesting.nodes(e, isListed) / NodesByRules

  private val NodesByRules = 16L

  private def isOneValue(values: Values): Boolean = values match {
    case Values.Empty => true
    case Values.Finite(all) => all.size == 1
    case Range(min, max) => min == max
    case _ => false
  }

  /** Whether a part of the predicate may decide it. */
  private def isCompound(e: Expression): Boolean = e.exists {
    case _: And | _: Or | _: If | _: CaseWhen | _: Coalesce | _: IsNull | _: IsNotNull => true
    case _ => false
  }

  /** The work of the longest conjunct that is tried with expected facts: several times for each row group. */
  private val MostTried = 10L

  /** The rules do not evaluate each literal of a list. */
  private val isListed: (Expression, Expression) => Boolean = {
    case (_: In, _: Literal) => true
    case _ => false
  }
}
