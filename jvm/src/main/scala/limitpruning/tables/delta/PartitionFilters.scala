package limitpruning.tables.delta

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, BoundReference, Expression, Predicate}

/**
 * Evaluates filters of partition columns for the partition of a file, as Spark does when it lists the files of a partitioned table:
 * Spark does not evaluate them for rows.
 */
private[delta] object PartitionFilters {

  /** @return whether all filters that partition values decide are true for these */
  def apply(table: DeltaTable, filters: Seq[Expression]): InternalRow => Boolean = {
    val ordinals = table.partitionColumns.map(_.exprId).zipWithIndex.toMap
    val evaluated = filters.filter(table.decides).map { filter =>
      Predicate.createInterpreted(filter.transform { case column: AttributeReference =>
        BoundReference(ordinals(column.exprId), column.dataType, nullable = true)
      })
    }
    values => evaluated.forall(_.eval(values))
  }
}
