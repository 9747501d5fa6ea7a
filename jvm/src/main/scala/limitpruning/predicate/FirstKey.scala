package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions.{Descending, NullsFirst, SortOrder}
import org.apache.spark.sql.types.DataType

/** By what rows are ordered first; travels to executors. */
final case class FirstKey(dataType: DataType, isDescending: Boolean, nullsFirst: Boolean) {
  @transient lazy val order: KeyOrder =
    new KeyOrder(SupportedTypes.ordering(dataType), isDescending, nullsFirst)
}

object FirstKey {
  def of(key: SortOrder): FirstKey =
    FirstKey(key.dataType, key.direction == Descending, key.nullOrdering == NullsFirst)
}
