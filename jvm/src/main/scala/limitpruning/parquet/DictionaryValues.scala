package limitpruning.parquet

import org.apache.parquet.schema.PrimitiveType
import org.apache.spark.sql.types.{DataType, DoubleType, FloatType}

import limitpruning.predicate.{ColumnFacts, SupportedTypes, Values}

/** Turns the dictionary of a chunk, all of whose pages use it, into the values that the column can have. */
private[parquet] final class DictionaryValues(
    sparkType: DataType,
    column: PrimitiveType,
    calendar: Calendar
) {
  private val toRange = TrustedTypes.rangeOf(sparkType, column, calendar)
  private lazy val ordering = SupportedTypes.ordering(sparkType)

  /** Whether values of this pair of types are believed at all. */
  def isReadable: Boolean = toRange.nonEmpty

  /**
   * @param dictionary the entries as they are stored
   * @param known what the footer tells; entries outside of its range belong to no row
   * @return `known` with the values alone that are left, or `known` itself where the two contradict each other
   */
  def within(dictionary: Seq[Any], known: ColumnFacts): ColumnFacts = {
    val converted = dictionary.map(toValue)
    val values = converted.flatten.filter(isWithin(known.values, _))
    if (converted.contains(None) || values.isEmpty || !known.canBeValue) known
    else known.copy(values = Values.Finite(values))
  }

  private def toValue(stored: Any): Option[Any] = (sparkType, stored) match {
    // A range of floats ends with NaN whatever its bounds, but an entry is just what it is.
    case (FloatType, _: Float) | (DoubleType, _: Double) => Some(stored).filter(_ => isReadable)
    case (DoubleType, value: Float) => Some(value.toDouble).filter(_ => isReadable)
    case _ => toRange.flatMap(_(stored, stored)).map(_.min)
  }

  private def isWithin(values: Values, value: Any): Boolean =
    values.hull(ordering).forall(hull => ordering.lteq(hull.min, value) && ordering.lteq(value, hull.max))
}
