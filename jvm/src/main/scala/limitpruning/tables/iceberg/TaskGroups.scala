package limitpruning.tables.iceberg

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.iceberg.{BaseScanTaskGroup, BatchScan, FileScanTask, ScanTaskGroup}
import org.apache.iceberg.io.CloseableIterable
import org.apache.iceberg.util.TableScanUtil

/** Groups of files, and of parts of files, for Spark's tasks. */
private object TaskGroups {

  /**
   * @param planned Iceberg's scan, which decides how large groups are
   * @param splitSize bytes of a group
   */
  def apply(
      planned: BatchScan,
      tasks: Seq[FileScanTask],
      splitSize: Long
  ): Seq[ScanTaskGroup[FileScanTask]] = {
    val (files, parts) = tasks.partition(task => task.length == task.file.fileSizeInBytes)
    ofFiles(planned, files, splitSize) ++ ofParts(planned, parts, splitSize)
  }

  /** In Iceberg's own splits. */
  private def ofFiles(
      planned: BatchScan,
      files: Seq[FileScanTask],
      splitSize: Long
  ): Seq[ScanTaskGroup[FileScanTask]] =
    TableScanUtil.planTaskGroups[FileScanTask](
      files.asJava,
      splitSize,
      planned.splitLookback,
      planned.splitOpenFileCost
    ).asScala.toSeq

  /** Iceberg cannot divide parts of files further. */
  private def ofParts(
      planned: BatchScan,
      parts: Seq[FileScanTask],
      splitSize: Long
  ): Seq[ScanTaskGroup[FileScanTask]] =
    Using.resource(TableScanUtil.planTasks(
      CloseableIterable.withNoopClose(parts.asJava),
      splitSize,
      planned.splitLookback,
      planned.splitOpenFileCost
    ))(_.asScala.map(group => new BaseScanTaskGroup[FileScanTask](group.tasks)).toSeq)
}
