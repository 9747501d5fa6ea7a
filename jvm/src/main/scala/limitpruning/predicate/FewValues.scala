package limitpruning.predicate

import org.apache.spark.sql.types.{BooleanType, DataType, DoubleType, FloatType, LongType}

/** The single values of a column, if there are few: finite sets, and short ranges of integers and dates. */
private[predicate] object FewValues {

  /** The maximum number of values of an integer or date range that are enumerated. */
  private val LongestRange = 64L

  /** Whether [[of]] returns values. Allocates nothing. */
  def exist(facts: ColumnFacts, dataType: DataType): Boolean = count(facts, dataType) != Many

  /** How many values [[of]] returns. [[Many]] if it returns none. Allocates nothing. */
  def count(facts: ColumnFacts, dataType: DataType): Long = {
    val nulls = if (facts.canBeNull) 1L else 0L
    facts.values match {
      case Values.Empty => nulls
      case Values.Finite(values) => values.size + nulls
      case range: Values.Range if isConstant(range, dataType) => 1 + nulls
      case range: Values.Range if isShort(range, dataType) => distance(range) + 1 + nulls
      case Values.Unknown if dataType == BooleanType => 2 + nulls
      case _ => Many
    }
  }

  /** More values than there can be. */
  val Many: Long = Long.MaxValue

  /** All values that the column can have, with null if it may be null. None if there are too many. */
  def of(facts: ColumnFacts, dataType: DataType): Option[Seq[Any]] = if (!exist(facts, dataType)) None
  else {
    val values = facts.values match {
      case Values.Empty => Nil
      case Values.Finite(values) => values
      case range: Values.Range => if (isConstant(range, dataType)) Seq(range.min) else enumerate(range)
      case Values.Unknown => Seq(false, true)
    }
    Some(if (facts.canBeNull) values :+ null else values)
  }

  // Floats are not constant: their range ends with NaN, and -0.0 equals 0.0.
  private def isConstant(range: Values.Range, dataType: DataType): Boolean =
    dataType != FloatType && dataType != DoubleType && range.min == range.max

  private def isShort(range: Values.Range, dataType: DataType): Boolean = range.min match {
    case _: Boolean => true
    case _: Byte | _: Short | _: Int => hasShortDistance(range)
    case _: Long => dataType == LongType && hasShortDistance(range)
    case _ => false
  }

  private def hasShortDistance(range: Values.Range): Boolean = {
    val values = distance(range)
    values >= 0 && values < LongestRange
  }

  /** Below 0 on overflow. */
  private def distance(range: Values.Range): Long = (range.min, range.max) match {
    case (min: Boolean, max: Boolean) => if (min == max) 0 else 1
    case (min, max) => asLong(max) - asLong(min)
  }

  private def enumerate(range: Values.Range): Seq[Any] = (range.min, range.max) match {
    case (min: Boolean, max: Boolean) => Seq(min, max).distinct
    case (min: Byte, max: Byte) => between(min.toLong, max.toLong).map(_.toByte)
    case (min: Short, max: Short) => between(min.toLong, max.toLong).map(_.toShort)
    case (min: Int, max: Int) => between(min.toLong, max.toLong).map(_.toInt)
    case (min, max) => between(asLong(min), asLong(max))
  }

  private def between(min: Long, max: Long): Seq[Long] = (0L to (max - min)).map(min + _)

  private def asLong(value: Any): Long = value.asInstanceOf[Number].longValue
}
