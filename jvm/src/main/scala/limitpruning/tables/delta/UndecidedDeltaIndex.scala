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
 * @param columns the columns of the relation, over which `wanted` is
 */
private final class UndecidedDeltaIndex(
    override val original: PreparedDeltaFileIndex,
    override val wanted: WantedRows,
    columns: Seq[Attribute]
) extends TahoeFileIndexWithSnapshotDescriptor(
      original.spark,
      original.deltaLog,
      original.path,
      original.preparedScan.scannedSnapshot
    )
    with UndecidedIndex {
  private lazy val canonicalized = wanted.canonicalized(columns)

  override def matchingFiles(partitionFilters: Seq[Expression], dataFilters: Seq[Expression]): Seq[AddFile] =
    original.matchingFiles(partitionFilters, dataFilters)

  override def planAsIs(plan: LogicalPlan): Seq[SparkPlan] =
    PreprocessTableWithDVsStrategy(original.spark)(plan)

  override def inputFiles: Array[String] = original.inputFiles
  override def refresh(): Unit = original.refresh()
  override def sizeInBytes: Long = original.sizeInBytes

  override def equals(other: Any): Boolean = other match {
    case that: UndecidedDeltaIndex =>
      original == that.original && canonicalized == that.canonicalized
    case _ => false
  }

  override def hashCode(): Int = (original, wanted.limit).hashCode()
}
