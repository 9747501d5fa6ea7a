package limitpruning.scan

import limitpruning.select.{FileVersion, RowRange, SelectedRowGroup}

/**
 * What a task is to read of one file; travels to executors.
 *
 * @param rowGroups neighbours, in file order
 */
private[scan] final case class PlannedRun(version: FileVersion, rowGroups: Seq[PlannedRowGroup])

/**
 * What a task is to read of one row group; travels to executors.
 *
 * @param rows how many it holds
 * @param ranges the rows to read, ascending
 * @param bytes compressed bytes that this costs
 */
private[scan] final case class PlannedRowGroup(rows: Long, ranges: Seq[RowRange], bytes: Long) {
  val rowsToRead: Long = RowRange.rowsOf(ranges)
  def isWhole: Boolean = rowsToRead == rows
}

private[scan] object PlannedRowGroup {
  def of(rowGroup: SelectedRowGroup, bytes: Long): PlannedRowGroup =
    PlannedRowGroup(rowGroup.rows, rowGroup.ranges.toVector, bytes)
}
