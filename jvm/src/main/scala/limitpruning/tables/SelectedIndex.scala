package limitpruning.tables

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.{
  And, AttributeReference, BoundReference, Expression, Predicate
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.{FileIndex, FileSourceStrategy, PartitionDirectory}
import org.apache.spark.sql.types.StructType

import limitpruning.search.LimitPlan
import limitpruning.select.ChosenRows

/**
 * A file index that is restricted to the files of a selection. It carries the selection from the rule to the strategy,
 * and marks a relation that the rule has already changed. Two of these indexes are equal only if they are of the same class,
 * and select the same row groups of the same table. Spark therefore never reuses a pruned scan in place of a full one.
 */
trait SelectedIndex extends FileIndex {

  /** The table's own index, which lists the files that remain after partition pruning. */
  def original: FileIndex

  /** The rows to read, and how they were chosen. */
  def plan: LimitPlan

  /**
   * Plans a scan over this index, or over the original index, as without the extension. Over this index, the format's own
   * reader reads the files of the selection completely.
   */
  def planAsIs(plan: LogicalPlan): Seq[SparkPlan]

  /** Why only the format's own reader can read the selected files; none if single row groups can be read. */
  def reasonForFileScan: Option[String] = None

  final def chosen: ChosenRows = plan.rows

  override def inputFiles: Array[String] = original.inputFiles
  override def refresh(): Unit = original.refresh()

  /** Compressed bytes of the selected row groups. */
  override lazy val sizeInBytes: Long = chosen.selection.bytes

  private lazy val canonicalized = chosen.canonicalized

  override def equals(other: Any): Boolean = other match {
    case that: SelectedIndex =>
      getClass == that.getClass && original == that.original && canonicalized == that.canonicalized
    case _ => false
  }

  override lazy val hashCode: Int = canonicalized.selection.hashCode()
}

/**
 * The relation's own file index, restricted to the files of a selection.
 *
 * A plan with this index gives correct rows with any planner strategy: the plan still has its filters, each file is
 * listed with the partition values that it had while planning, and the files contain the rows that the LIMIT needs.
 *
 * @param original the table's own index, which lists the files that remain after partition pruning
 * @param plan the rows to read, and how they were chosen
 */
final class SelectedFileIndex(
    override val original: FileIndex,
    override val plan: LimitPlan
) extends FileIndex
    with SelectedIndex {

  override def planAsIs(plan: LogicalPlan): Seq[SparkPlan] = FileSourceStrategy(plan)

  override def rootPaths: Seq[Path] = original.rootPaths
  override def partitionSchema: StructType = original.partitionSchema
  override def metadataOpsTimeNs: Option[Long] = original.metadataOpsTimeNs

  /**
   * Lists only the selected files, as they were listed while planning; nothing is listed again. If there is a filter
   * that the files were not selected for, fewer of their rows may pass than the LIMIT needs. Then the table's own index
   * lists all files.
   */
  override def listFiles(
      partitionFilters: Seq[Expression],
      dataFilters: Seq[Expression]
  ): Seq[PartitionDirectory] =
    if (chosen.isChosenForAll(partitionFilters ++ dataFilters)) selected(partitionFilters)
    else original.listFiles(partitionFilters, dataFilters)

  private def selected(partitionFilters: Seq[Expression]): Seq[PartitionDirectory] = {
    val files = chosen.selection.available
    val byValues = files.groupBy(_.partitionValues)
    val values = files.map(_.partitionValues).distinct
    predicate(partitionFilters)
      .fold(values)(passes => values.filter(passes.eval))
      .map(values => PartitionDirectory(values, byValues(values).map(_.file)))
  }

  /** The filters on partition columns, evaluated as in Spark's own indexes. */
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
}
