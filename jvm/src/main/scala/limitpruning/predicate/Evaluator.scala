package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.BooleanType
import org.apache.spark.unsafe.types.UTF8String

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
 */
final class Evaluator(conjuncts: Seq[Expression], input: Seq[LeafColumn]) {
  private val columns: Map[(ExprId, Seq[String]), Int] = input.map(_.id).zipWithIndex.toMap
  private val operands = new Operands(columns, compile)
  private val excluded = new ExcludedValues(columns)
  // A conjunct may be decided as a whole although its parts are not decided separately: a = 1 OR a = 2.
  private val roots: IndexedSeq[RowUnit => Outcomes] = conjuncts.map {
    case c @ (_: And | _: Or | _: Not) => orFinite(c, compile(c))
    case atom => compile(atom)
  }.toIndexedSeq
  private val obstacles = conjuncts.map(new FindObstacle(_, columns)).toIndexedSeq

  /** The possible outcomes over `unit`, which must have at least one row. */
  def outcomes(unit: RowUnit): Outcomes = {
    var all = Outcomes.True
    var next = 0
    while (next < roots.size && all.canBeTrue) { // if a conjunct cannot be true, the others do not matter
      all = all.and(roots(next)(unit))
      next += 1
    }
    all
  }

  /** The facts about the values of a resolved expression of any type. */
  def facts(expression: Expression): RowUnit => ColumnFacts = operands.facts(expression)

  /**
   * The columns, by ordinal, of each conjunct that is not proved to be true for every row. Empty for a
   * conjunct that cannot be evaluated while planning.
   */
  def undecided(unit: RowUnit): Seq[Seq[Int]] =
    roots.indices.filter(i => !roots(i)(unit).isOnlyTrue).map { i =>
      if (FiniteEvaluation.obstacle(conjuncts(i)).nonEmpty) Nil
      else LeafColumn.in(conjuncts(i)).flatMap(column => columns.get(column.id))
    }

  /** The first conjunct that is true for no row. */
  def neverTrue(unit: RowUnit): Option[Expression] =
    roots.indices.find(i => !roots(i)(unit).canBeTrue).map(conjuncts(_))

  /** The obstacle to the proof of the first conjunct that is not proved to be true for every row. */
  def obstacle(unit: RowUnit): Option[Obstacle] =
    roots.indices.find(i => !roots(i)(unit).isOnlyTrue).map(obstacles(_)(unit))

  private def compile(expression: Expression): RowUnit => Outcomes = expression match {
    case e if !e.deterministic => _ => Outcomes.Any
    case And(left, right) => both(compile(left), compile(right))((l, r) => l.and(r))
    case Or(left, right) => both(compile(left), compile(right))((l, r) => l.or(r))
    case Not(child) => not(compile(child))
    // Rules check at every level whether the rest is finite. This takes long for hundreds of levels, so here
    // it is checked once.
    case atom if Nesting.isDeeper(atom, Nesting.DeepestAtom) => orFinite(atom, _ => Outcomes.Any)
    case atom => orFinite(atom, compileAtom(atom))
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

  private def orFinite(e: Expression, byRules: RowUnit => Outcomes): RowUnit => Outcomes =
    FiniteEvaluation.of(e, columns).fold(byRules)(_.narrow(byRules))

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
