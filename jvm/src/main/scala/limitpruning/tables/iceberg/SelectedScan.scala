package limitpruning.tables.iceberg

import java.util.OptionalLong

import scala.jdk.CollectionConverters._

import org.apache.iceberg.{BatchScan, FileScanTask}
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.types.StructType

import limitpruning.search.ChosenFiles
import limitpruning.tables.SelectedFiles

/**
 * Iceberg's own scan, restricted to files and row groups that were chosen for a LIMIT. Iceberg reads them, with the snapshot, the columns,
 * the filters and the settings of the original scan.
 *
 * It does not accept runtime filters: fewer rows of the chosen files may pass such a filter than the LIMIT needs.
 *
 * @param original Iceberg's scan of all files
 * @param tasks the chosen files and row groups
 */
private final class SelectedScan(
    override val original: Scan,
    internals: ScanInternals,
    planned: BatchScan,
    tasks: IndexedSeq[FileScanTask],
    override val chosen: ChosenFiles
) extends Scan
    with SupportsReportStatistics
    with SelectedFiles {

  private val read = tasks.map(task => (task.file.location, task.start, task.length))

  // Created at once: if it cannot be, the LIMIT is not pruned.
  private val batch: Batch = {
    // Rows that were found by reading, row groups that may have the first rows, and files of groups may be all over the table, so
    // many tasks read them, as they read the table without the extension.
    val splitSize =
      if (chosen.verified.isEmpty && chosen.order.isEmpty && chosen.groups.isEmpty) planned.targetSplitSize
      else internals.splitSize(planned, tasks)
    new SelectedBatch(this, internals.batch(TaskGroups(planned, tasks, splitSize).asJava, hashCode))
  }

  override def readSchema: StructType = original.readSchema

  override def description: String = {
    val groups = chosen.groups.fold("")(groups => s", groups=${groups.certain} by ${groups.keys}")
    val order = chosen.order.fold("")(order => s", orderBy=${order.key}, threshold=${order.threshold}")
    val skipped = if (chosen.skipped > 0) s", skippedByOffset=${chosen.skipped}" else ""
    val parts = chosen.rowGroups.fold("")(count => s", rowGroups=$count of ${chosen.counts.rowGroups}")
    s"${original.description} LimitPruned(files=${chosen.files.size} of ${chosen.counts.files}$parts, " +
      s"rows=${chosen.rows}$skipped$order$groups)"
  }

  override def toBatch: Batch = batch

  override def columnarSupportMode: Scan.ColumnarSupportMode = original.columnarSupportMode

  override def supportedCustomMetrics: Array[CustomMetric] = original.supportedCustomMetrics

  override def reportDriverMetrics: Array[CustomTaskMetric] = original.reportDriverMetrics

  override def estimateStatistics: Statistics = new Statistics {
    override def sizeInBytes: OptionalLong = OptionalLong.of(readSchema.defaultSize.max(1) * chosen.rows)
    override def numRows: OptionalLong = OptionalLong.of(chosen.rows)
  }

  override def toString: String = description

  /** Two scans are equal if they read the same parts of the same files in the same way. */
  override def equals(other: Any): Boolean = other match {
    case that: SelectedScan => original == that.original && read == that.read
    case _ => false
  }

  // Not of the original scan, whose hash code changes when it gets a runtime filter.
  override def hashCode: Int = read.hashCode
}

/** Iceberg's own batch of the chosen files. Iceberg compares batches by a hash code only. */
private final class SelectedBatch(private val scan: SelectedScan, batch: Batch) extends Batch {
  override def planInputPartitions: Array[InputPartition] = batch.planInputPartitions
  override def createReaderFactory: PartitionReaderFactory = batch.createReaderFactory

  override def equals(other: Any): Boolean = other match {
    case that: SelectedBatch => scan == that.scan
    case _ => false
  }

  override def hashCode: Int = scan.hashCode
}
