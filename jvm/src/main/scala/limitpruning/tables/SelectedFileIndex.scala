package limitpruning.tables

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.{
  And, AttributeReference, BoundReference, Expression, Predicate
}
import org.apache.spark.sql.execution.datasources.{FileIndex, PartitionDirectory}
import org.apache.spark.sql.types.StructType

import limitpruning.parquet.ReadSettings
import limitpruning.search.LimitPlan
import limitpruning.select.ChosenRows

/**
 * The relation's own file index, narrowed to the files of a selection. It carries the selection from the rule to
 * the strategy, and is the mark that the rule has run. Equal to another only if both select the same row groups of
 * the same table, so that a truncated scan is never reused for a full one.
 *
 * A plan with this index is right on its own, whoever plans it: the filters are still there, every file is listed with the
 * partition values that it had while planning, and the files hold the rows that the LIMIT needs.
 *
 * @param original lists the partitions that the predicate leaves, without us
 * @param plan what was chosen
 * @param settings those with which the rows were chosen
 */
final class SelectedFileIndex(
    val original: FileIndex,
    val plan: LimitPlan,
    val settings: ReadSettings
) extends FileIndex {
  def chosen: ChosenRows = plan.rows

  override def rootPaths: Seq[Path] = original.rootPaths
  override def partitionSchema: StructType = original.partitionSchema
  override def metadataOpsTimeNs: Option[Long] = original.metadataOpsTimeNs
  override def inputFiles: Array[String] = original.inputFiles
  override def refresh(): Unit = original.refresh()

  /** Compressed bytes of the selected row groups. */
  override def sizeInBytes: Long = chosen.selection.bytes

  /**
   * The selected files alone, as they were listed while planning: nothing is listed again. Where there is a filter for which
   * they were not selected, fewer of their rows may pass than the LIMIT needs: then all files are listed.
   */
  override def listFiles(
      partitionFilters: Seq[Expression],
      dataFilters: Seq[Expression]
  ): Seq[PartitionDirectory] =
    if (chosen.isChosenForAll(partitionFilters ++ dataFilters)) selected(partitionFilters)
    else original.listFiles(partitionFilters, dataFilters)

  private def selected(partitionFilters: Seq[Expression]): Seq[PartitionDirectory] = {
    val files = chosen.selection.listed
    val byValues = files.groupBy(_.partitionValues)
    val values = files.map(_.partitionValues).distinct
    predicate(partitionFilters)
      .fold(values)(passes => values.filter(passes.eval))
      .map(values => PartitionDirectory(values, byValues(values).map(_.file)))
  }

  /** The filters on partition columns, as Spark's own indexes evaluate them. */
  private def predicate(filters: Seq[Expression]) = {
    val names = partitionSchema.fieldNames
    filters
      .filter(_.references.forall(column => names.contains(column.name)))
      .reduceOption(And(_, _))
      .map { filter =>
        Predicate.createInterpreted(filter.transform { case column: AttributeReference =>
          val ordinal = names.indexOf(column.name)
          BoundReference(ordinal, partitionSchema(ordinal).dataType, nullable = true)
        })
      }
  }

  override def equals(other: Any): Boolean = other match {
    case that: SelectedFileIndex => original == that.original &&
      chosen.canonicalized == that.chosen.canonicalized
    case _ => false
  }

  override def hashCode(): Int = chosen.selection.hashCode()
}
