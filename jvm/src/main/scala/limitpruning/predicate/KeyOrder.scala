package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions.{Descending, NullsFirst, SortOrder}
import org.apache.spark.sql.types.DataType

/**
 * The order of rows by one sort key. A place is a value of the key in Catalyst's representation, or null for
 * SQL's NULL. A place is better than another one if it sorts before it.
 *
 * @param values Spark's own ordering of the key's type
 */
final class KeyOrder(values: Ordering[Any], isDescending: Boolean, nullsFirst: Boolean)
    extends Ordering[Any] {
  private val direction = if (isDescending) values.reverse else values

  override def compare(a: Any, b: Any): Int =
    if (a == null || b == null) {
      val byNull = java.lang.Boolean.compare(a == null, b == null) // above 0 if only a is null
      if (nullsFirst) -byNull else byNull
    } else direction.compare(a, b)

  /** A place such that no row of a unit sorts before it. None if every place is possible. */
  def best(key: ColumnFacts): Option[Any] = end(key, nullsFirst, if (isDescending) _.max else _.min)

  /** A place such that no row of a unit sorts after it. None if every place is possible. */
  def worst(key: ColumnFacts): Option[Any] = end(key, !nullsFirst, if (isDescending) _.min else _.max)

  /** As [[worst]], but only for the rows that are not null. */
  def worstValue(key: ColumnFacts): Option[Any] = worst(key.withoutNulls)

  private def end(key: ColumnFacts, nullsAreThere: Boolean, of: Values.Range => Any): Option[Any] =
    if ((key.canBeNull && nullsAreThere) || !key.canBeValue) Some(null)
    else key.values.hull(values).map(of)
}

/** The first sort key. It is sent to executors. */
final case class FirstKey(dataType: DataType, isDescending: Boolean, nullsFirst: Boolean) {
  @transient lazy val order: KeyOrder =
    new KeyOrder(SupportedTypes.ordering(dataType), isDescending, nullsFirst)
}

object FirstKey {
  def of(key: SortOrder): FirstKey =
    FirstKey(key.dataType, key.direction == Descending, key.nullOrdering == NullsFirst)
}
