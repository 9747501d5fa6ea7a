package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.BooleanType
import org.apache.spark.unsafe.types.UTF8String

/**
 * Tells which outcomes a predicate can have over a unit of rows, from facts alone. Compiled once per query, then
 * asked for every row group. Not thread-safe: Catalyst's expressions keep state while they are evaluated.
 *
 * What the table below does not list is evaluated where its columns have few values; else it has unknown outcomes, so a
 * conjunct that cannot be reasoned about is never counted as proved. Expressions that are not deterministic are
 * unknown whatever their form.
 *
 * @param conjuncts resolved boolean expressions, all of which are to hold
 * @param input the columns, in the order in which a [[RowUnit]] numbers them
 */
final class Evaluator(conjuncts: Seq[Expression], input: Seq[LeafColumn]) {
  private val columns: Map[(ExprId, Seq[String]), Int] = input.map(_.id).zipWithIndex.toMap
  private val operands = new Operands(columns, compile)
  private val excluded = new ExcludedValues(columns)
  // A conjunct may be finite as a whole where its parts are not decided one by one: a = 1 OR a = 2.
  private val roots: IndexedSeq[RowUnit => Outcomes] = conjuncts.map {
    case c @ (_: And | _: Or | _: Not) => orFinite(c, compile(c))
    case atom => compile(atom)
  }.toIndexedSeq
  private val obstacles = conjuncts.map(new FindObstacle(_, columns)).toIndexedSeq

  /** The possible outcomes over `unit`, which must have at least one row. */
  def outcomes(unit: RowUnit): Outcomes = {
    var all = Outcomes.True
    var next = 0
    while (next < roots.size && all.canBeTrue) { // once a conjunct cannot be true, the others do not matter
      all = all.and(roots(next)(unit))
      next += 1
    }
    all
  }

  /** What is known of the values of a resolved expression of any type. */
  def facts(expression: Expression): RowUnit => ColumnFacts = operands.facts(expression)

  /** The columns of each conjunct that is not decided, by ordinal; none of a conjunct that cannot be evaluated here. */
  def undecided(unit: RowUnit): Seq[Seq[Int]] =
    roots.indices.filter(i => !roots(i)(unit).isOnlyTrue).map { i =>
      if (FiniteEvaluation.obstacle(conjuncts(i)).nonEmpty) Nil
      else LeafColumn.in(conjuncts(i)).flatMap(column => columns.get(column.id))
    }

  /** The first conjunct that is true for no row. */
  def neverTrue(unit: RowUnit): Option[Expression] =
    roots.indices.find(i => !roots(i)(unit).canBeTrue).map(conjuncts(_))

  /** What stands in the way of the first conjunct that is not proved to be true for every row. */
  def obstacle(unit: RowUnit): Option[Obstacle] =
    roots.indices.find(i => !roots(i)(unit).isOnlyTrue).map(obstacles(_)(unit))

  private def compile(expression: Expression): RowUnit => Outcomes = expression match {
    case e if !e.deterministic => _ => Outcomes.Any
    case And(left, right) => both(compile(left), compile(right))((l, r) => l.and(r))
    case Or(left, right) => both(compile(left), compile(right))((l, r) => l.or(r))
    case Not(child) => not(compile(child))
    // Rules ask at every level whether the rest is finite, which takes long at hundreds of levels: here once.
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
