package limitpruning.tables.delta

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.delta.PreprocessTableWithDVsStrategy
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.files.TahoeFileIndexWithSnapshotDescriptor
import org.apache.spark.sql.delta.stats.PreparedDeltaFileIndex
import org.apache.spark.sql.execution.SparkPlan

import limitpruning.tables.{UndecidedIndex, WantedRows}

/**
 * An [[UndecidedIndex]] of a Delta table. Delta recognizes it as one of its own indexes. If Delta plans a scan over it, the
 * scan therefore hides the deleted rows, whichever strategy comes first.
 *
 * @param original the scan as Delta prepared it
 */
private final class UndecidedDeltaIndex(
    override val original: PreparedDeltaFileIndex,
    override val wanted: WantedRows,
    override protected val columns: Seq[Attribute]
) extends TahoeFileIndexWithSnapshotDescriptor(
      original.spark,
      original.deltaLog,
      original.path,
      original.preparedScan.scannedSnapshot
    )
    with UndecidedIndex {

  override def matchingFiles(partitionFilters: Seq[Expression], dataFilters: Seq[Expression]): Seq[AddFile] =
    original.matchingFiles(partitionFilters, dataFilters)

  override def planAsIs(plan: LogicalPlan): Seq[SparkPlan] =
    PreprocessTableWithDVsStrategy(original.spark)(plan)
}
