package limitpruning.predicate

/**
 * The results that a predicate can have for the rows of a unit (row group, file, row range). They are a
 * subset of {true, false, null}, and always an over-approximation. A result that is not in the set is proved
 * to be impossible for every row. A result that is in the set is only not excluded.
 *
 * `and`, `or` and `unary_!` are Kleene's truth tables lifted to sets. They are over-approximations even if
 * both operands depend on the same column. A unit without rows has no outcome: [[Outcomes.Empty]].
 */
final class Outcomes private (private val bits: Int) {
  import Outcomes._

  def canBeTrue: Boolean = (bits & TrueBit) != 0
  def canBeFalse: Boolean = (bits & FalseBit) != 0
  def canBeNull: Boolean = (bits & NullBit) != 0

  /** Every row satisfies the predicate: the negated predicate (`p IS NOT TRUE`) is true for no row. */
  def isOnlyTrue: Boolean = bits == TrueBit

  def union(other: Outcomes): Outcomes = of(bits | other.bits)

  /**
   * The outcomes that two over-approximations both contain. If they contradict each other, nothing is proved.
   */
  def intersect(other: Outcomes): Outcomes =
    if ((bits & other.bits) == 0) Any else of(bits & other.bits)

  /** Whether each outcome of `other` is one of these. */
  def containsAll(other: Outcomes): Boolean = (bits & other.bits) == other.bits

  /** The results without null. */
  def withoutNull: Outcomes = of(bits & ~NullBit)

  /** Whether at most one result is possible. */
  def isDecided: Boolean = Integer.bitCount(bits) <= 1

  def unary_! : Outcomes = Outcomes(canBeTrue = canBeFalse, canBeFalse = canBeTrue, canBeNull = canBeNull)

  def and(other: Outcomes): Outcomes =
    if (bits == 0 || other.bits == 0) Empty
    else
      Outcomes(
        canBeTrue = canBeTrue && other.canBeTrue,
        canBeFalse = canBeFalse || other.canBeFalse,
        canBeNull = (canBeNull && (other.canBeTrue || other.canBeNull)) || (other.canBeNull && canBeTrue)
      )

  def or(other: Outcomes): Outcomes = !(!this).and(!other)

  override def toString: String = {
    val names = Seq(canBeTrue -> "true", canBeFalse -> "false", canBeNull -> "null")
    names.collect { case (true, name) => name }.mkString("{", ", ", "}")
  }
}

object Outcomes {
  private final val TrueBit = 1
  private final val FalseBit = 2
  private final val NullBit = 4

  def apply(canBeTrue: Boolean, canBeFalse: Boolean, canBeNull: Boolean): Outcomes =
    of((if (canBeTrue) TrueBit else 0) | (if (canBeFalse) FalseBit else 0) | (if (canBeNull) NullBit else 0))

  /** All subsets. An outcome is therefore never allocated, even if a predicate is evaluated often. */
  private val subsets: Array[Outcomes] = Array.tabulate(TrueBit + FalseBit + NullBit + 1)(new Outcomes(_))

  private def of(bits: Int): Outcomes = subsets(bits)

  /** The outcome of one row, whose result is true, false or null. */
  def ofResult(result: Any): Outcomes = if (result == null) Null else if (result == true) True else False

  val Empty: Outcomes = of(0)
  val True: Outcomes = of(TrueBit)
  val False: Outcomes = of(FalseBit)
  val Null: Outcomes = of(NullBit)

  /** Nothing is proved. */
  val Any: Outcomes = of(TrueBit | FalseBit | NullBit)

  /** Only one thing is proved: the result is never null, as for `IS NULL` and `<=>`. */
  val TrueOrFalse: Outcomes = of(TrueBit | FalseBit)

  /** The result is proved not to be true. */
  val NotTrue: Outcomes = of(FalseBit | NullBit)
}
