package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions.{Descending, NullsFirst, SortOrder}
import org.apache.spark.sql.types.DataType

/**
 * Where rows stand in an order by one key. A place is a value in Catalyst's representation, or null for SQL's NULL;
 * what comes first is better.
 *
 * @param values Spark's own ordering of the key's type
 */
final class KeyOrder(values: Ordering[Any], isDescending: Boolean, nullsFirst: Boolean)
    extends Ordering[Any] {
  private val direction = if (isDescending) values.reverse else values

  override def compare(a: Any, b: Any): Int =
    if (a == null || b == null) {
      val byNull = java.lang.Boolean.compare(a == null, b == null) // above 0 where a alone is null
      if (nullsFirst) -byNull else byNull
    } else direction.compare(a, b)

  /** A place that no row of a unit is before, or none where any place is possible. */
  def best(key: ColumnFacts): Option[Any] = end(key, nullsFirst, if (isDescending) _.max else _.min)

  /** A place that no row of a unit is behind, or none where any place is possible. */
  def worst(key: ColumnFacts): Option[Any] = end(key, !nullsFirst, if (isDescending) _.min else _.max)

  /** As [[worst]], of the rows alone that are not null. */
  def worstValue(key: ColumnFacts): Option[Any] = worst(key.withoutNulls)

  private def end(key: ColumnFacts, nullsAreThere: Boolean, of: Values.Range => Any): Option[Any] =
    if ((key.canBeNull && nullsAreThere) || !key.canBeValue) Some(null)
    else key.values.hull(values).map(of)
}

/** By what rows are ordered first; travels to executors. */
final case class FirstKey(dataType: DataType, isDescending: Boolean, nullsFirst: Boolean) {
  @transient lazy val order: KeyOrder =
    new KeyOrder(SupportedTypes.ordering(dataType), isDescending, nullsFirst)
}

object FirstKey {
  def of(key: SortOrder): FirstKey =
    FirstKey(key.dataType, key.direction == Descending, key.nullOrdering == NullsFirst)
}
