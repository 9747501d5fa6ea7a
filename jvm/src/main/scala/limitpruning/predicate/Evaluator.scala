package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{BooleanType, DoubleType, FloatType}
import org.apache.spark.unsafe.types.UTF8String

/** The facts about one unit of rows, by the ordinal of the column in the evaluator's input. */
trait RowUnit {
  def facts(ordinal: Int): ColumnFacts

  /** Whether it is proved, by other means than facts, that no row of the column has this value. */
  def excludes(ordinal: Int, value: Any): Boolean = false
}

/**
 * Tells which outcomes a predicate can have over a unit of rows, from facts alone. Compiled once per query, then
 * asked for every row group. Not thread-safe: Catalyst's expressions keep state while they are evaluated.
 *
 * What the table below does not list is evaluated where its columns have few values; else it has unknown outcomes, so a
 * conjunct that cannot be reasoned about is never counted as proved. Expressions that are not deterministic are
 * unknown whatever their form.
 *
 * @param conjuncts resolved boolean expressions, all of which are to hold; at least one
 * @param input the columns, in the order in which a [[RowUnit]] numbers them
 */
final class Evaluator(conjuncts: Seq[Expression], input: Seq[Column]) {
  private val columns: Map[(ExprId, Seq[String]), Int] = input.map(_.id).zipWithIndex.toMap
  private val operands = new Operands(columns, compile)
  // A conjunct may be finite as a whole where its parts are not decided one by one: a = 1 OR a = 2.
  private val roots: IndexedSeq[RowUnit => Outcomes] =
    conjuncts.map(c => orFinite(c, compile(c))).toIndexedSeq

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

  /** The columns of each conjunct that is not decided, by ordinal; none of a conjunct that cannot be evaluated here. */
  def undecided(unit: RowUnit): Seq[Seq[Int]] =
    roots.indices.filter(i => !roots(i)(unit).isOnlyTrue).map { i =>
      if (FiniteEvaluation.obstacle(conjuncts(i)).nonEmpty) Nil
      else Column.in(conjuncts(i)).flatMap(column => columns.get(column.id))
    }

  /** What stands in the way of the first conjunct that is not proved to be true for every row. */
  def obstacle(unit: RowUnit): Option[Obstacle] =
    roots.indices.find(i => !roots(i)(unit).isOnlyTrue).map { i =>
      def facts(column: Column): ColumnFacts = columns.get(column.id).fold(ColumnFacts.Unknown)(unit.facts)
      Obstacle.of(conjuncts(i), Column.in(conjuncts(i)).map(facts), column => columns.contains(column.id))
    }

  private def compile(expression: Expression): RowUnit => Outcomes = expression match {
    case e if !e.deterministic => _ => Outcomes.Any
    case And(left, right) => both(left, right)((l, r) => l.and(r))
    case Or(left, right) => both(left, right)((l, r) => l.or(r))
    case Not(child) => val inner = compile(child); unit => !inner(unit)
    case atom => orFinite(atom, compileAtom(atom))
  }

  private def compileAtom(expression: Expression): RowUnit => Outcomes = expression match {
    case Comparable(e @ EqualTo(l, r)) => equality(l, r, compare(l, r)(comparisons(e).equalTo))
    case Comparable(e @ EqualNullSafe(l, r)) => equality(l, r, compare(l, r)(comparisons(e).equalNullSafe))
    case Comparable(e @ LessThan(l, r)) => compare(l, r)(comparisons(e).lessThan)
    case Comparable(e @ LessThanOrEqual(l, r)) => compare(l, r)(comparisons(e).lessThanOrEqual)
    case Comparable(e @ GreaterThan(l, r)) => compare(r, l)(comparisons(e).lessThan)
    case Comparable(e @ GreaterThanOrEqual(l, r)) => compare(r, l)(comparisons(e).lessThanOrEqual)

    case LiteralList(value, elements) =>
      val list = new Membership(elements, SupportedTypes.ordering(value.dataType))
      val operand = operands.facts(value)
      withoutExcluded(value, elements.filter(_ != null), unit => list.outcomes(operand(unit)))
    case StartsWith(value, Literal(prefix: UTF8String, _)) if SupportedTypes.contains(value.dataType) =>
      val operand = operands.facts(value)
      unit => Prefixes.startsWith(operand(unit), prefix)

    case IsNull(child) => nullness(child)
    case IsNotNull(child) => val isNull = nullness(child); unit => !isNull(unit)

    case Branches(branches, otherwise) if expression.dataType == BooleanType =>
      val compiled = branches.map { case (condition, value) => (compile(condition), compile(value)) }
      Branches.choose[Outcomes](compiled, compile(otherwise), _.union(_))
    case Coalesce(children) if expression.dataType == BooleanType => coalesce(children.map(compile))

    case e if e.dataType == BooleanType => asPredicate(e)
    case _ => _ => Outcomes.Any
  }

  /** The first that is not null. */
  private def coalesce(children: Seq[RowUnit => Outcomes]): RowUnit => Outcomes = unit =>
    children.map(_(unit)).foldRight(Outcomes.Null) { (first, rest) =>
      if (first.canBeNull) first.withoutNull.union(rest) else first
    }

  private def both(left: Expression, right: Expression)(
      combine: (Outcomes, Outcomes) => Outcomes
  ): RowUnit => Outcomes = {
    val (l, r) = (compile(left), compile(right))
    unit => combine(l(unit), r(unit))
  }

  private def compare(left: Expression, right: Expression)(
      outcomes: (ColumnFacts, ColumnFacts) => Outcomes
  ): RowUnit => Outcomes = {
    val (l, r) = (operands.facts(left), operands.facts(right))
    unit => outcomes(l(unit), r(unit))
  }

  private def comparisons(e: BinaryComparison): Comparisons =
    new Comparisons(SupportedTypes.ordering(e.left.dataType))

  private def equality(
      left: Expression,
      right: Expression,
      byFacts: RowUnit => Outcomes
  ): RowUnit => Outcomes =
    (left, right) match {
      case (column, Literal(value, _)) if value != null => withoutExcluded(column, Seq(value), byFacts)
      case (Literal(value, _), column) if value != null => withoutExcluded(column, Seq(value), byFacts)
      case _ => byFacts
    }

  /** Where all the values that a column is looked for are excluded, it is not found. */
  private def withoutExcluded(
      column: Expression,
      values: Iterable[Any],
      byFacts: RowUnit => Outcomes
  ): RowUnit => Outcomes =
    Column.unapply(column).flatMap(c => columns.get(c.id)).fold(byFacts) { ordinal => unit =>
      val outcomes = byFacts(unit)
      if (outcomes.canBeTrue && values.forall(unit.excludes(ordinal, _))) outcomes.intersect(Outcomes.NotTrue)
      else outcomes
    }

  /** Also evaluates `e` itself, where that is possible and the rules leave more than one outcome. */
  private def orFinite(e: Expression, byRules: RowUnit => Outcomes): RowUnit => Outcomes =
    FiniteEvaluation.of(e, columns).fold(byRules) { finite => unit =>
      val outcomes = byRules(unit)
      if (outcomes.isDecided) outcomes
      else
        finite.results(unit).fold(outcomes) { results =>
          outcomes.intersect(Outcomes(results(true), results(false), results(null)))
        }
    }

  /** `e IS NULL`: never null itself. */
  private def nullness(e: Expression): RowUnit => Outcomes = {
    val operand = operands.facts(e)
    unit => {
      val facts = operand(unit)
      Outcomes(canBeTrue = facts.canBeNull, canBeFalse = facts.canBeValue, canBeNull = false)
    }
  }

  /** A boolean that stands as a predicate: false < true. */
  private def asPredicate(e: Expression): RowUnit => Outcomes = {
    val operand = operands.facts(e)
    unit => {
      val facts = operand(unit)
      val (canBeTrue, canBeFalse) = facts.values match {
        case Values.None => (false, false)
        case Values.Range(min: Boolean, max: Boolean) => (max, !min)
        case Values.Finite(values) => (values.contains(true), values.contains(false))
        case _ => (true, true)
      }
      Outcomes(canBeTrue, canBeFalse, facts.canBeNull)
    }
  }
}

/** A comparison between two expressions of one and the same type with a known order. */
private object Comparable {
  def unapply(e: BinaryComparison): Option[BinaryComparison] =
    if (e.left.dataType == e.right.dataType && SupportedTypes.contains(e.left.dataType)) Some(e) else None
}

/** `value IN (literals)`, in either of Catalyst's forms. */
private object LiteralList {
  def unapply(e: Expression): Option[(Expression, Iterable[Any])] = e match {
    case In(value, list) if supports(value) && list.forall(isLiteralLike(value)) =>
      Some((value, list.collect { case Literal(element, _) => element }))
    // InSet looks floats up by Java's equality, which tells -0.0 from 0.0 where Spark's ordering does not.
    case InSet(value, elements) if supports(value) && !isFloatingPoint(value) => Some((value, elements))
    case _ => None
  }

  private def supports(value: Expression): Boolean = SupportedTypes.contains(value.dataType)

  private def isFloatingPoint(value: Expression): Boolean =
    value.dataType == FloatType || value.dataType == DoubleType

  private def isLiteralLike(value: Expression)(e: Expression): Boolean =
    e.isInstanceOf[Literal] && e.dataType == value.dataType
}
