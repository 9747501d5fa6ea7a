package limitpruning.tables.delta

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.delta.{DeltaParquetFileFormat, PreprocessTableWithDVsStrategy}
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.files.TahoeFileIndexWithSnapshotDescriptor
import org.apache.spark.sql.delta.stats.PreparedDeltaFileIndex
import org.apache.spark.sql.execution.SparkPlan

import limitpruning.search.LimitPlan
import limitpruning.tables.SelectedIndex

/**
 * A prepared Delta scan, restricted to the files of a selection. Delta recognizes it as one of its own indexes. If Delta
 * plans a scan over it, the scan therefore hides the deleted rows, whichever strategy comes first.
 *
 * @param original the scan as Delta prepared it
 * @param selected the files of the selection
 */
private final class SelectedDeltaIndex(
    override val original: PreparedDeltaFileIndex,
    selected: Seq[AddFile],
    override val plan: LimitPlan
) extends TahoeFileIndexWithSnapshotDescriptor(
      original.spark,
      original.deltaLog,
      original.path,
      original.preparedScan.scannedSnapshot
    )
    with SelectedIndex {

  /**
   * The selected files, if the filters are those that they were selected for. If there is another filter, fewer of their
   * rows may pass than the LIMIT needs, so these are all files that Delta finds. Delta calls this with the literal `true`
   * to find out whether any file of the table has deleted rows.
   */
  override def matchingFiles(partitionFilters: Seq[Expression], dataFilters: Seq[Expression]): Seq[AddFile] =
    if (chosen.isChosenForAll((partitionFilters ++ dataFilters).filterNot(hidesDeletedRows))) selected
    else original.matchingFiles(partitionFilters, dataFilters)

  /** Whether it is the filter that Delta adds to scans of files with deletion vectors. */
  private def hidesDeletedRows(filter: Expression): Boolean =
    filter.references.nonEmpty &&
      filter.references.forall(_.name == DeltaParquetFileFormat.IS_ROW_DELETED_COLUMN_NAME)

  override def reasonForFileScan: Option[String] =
    if (selected.exists(_.deletionVector != null))
      Some("Delta's reader hides deleted rows of the selected files")
    else None

  override def planAsIs(plan: LogicalPlan): Seq[SparkPlan] =
    PreprocessTableWithDVsStrategy(original.spark)(plan)
}
