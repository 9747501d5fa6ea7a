package limitpruning.scan

import java.util.IdentityHashMap

import org.apache.parquet.hadoop.metadata.BlockMetaData

import limitpruning.select.RowRange

/**
 * Reads the planned rows of a run of row groups with one open reader.
 *
 * @param run its row groups, between which the split may have others
 * @param reopen opens the split again, if the file is still the same
 * @param skip finds row groups that are no longer needed
 * @param counts what is read a second time
 * @param onRead is told each row group whose pages have been read
 */
private[scan] final class NarrowPlanned(
    run: PlannedRun,
    path: String,
    reopen: () => Iterator[Any],
    skip: Option[SkipBehindThreshold],
    counts: ReadCounts,
    onRead: PlannedRowGroup => Unit
) {

  /**
   * @param rows what Spark's format returned for the split
   * @param areFiltered whether the reader has filters of its own, which exclude row groups and pages
   * @return none if the reader is another one
   * @throws FileChangedException if the split has other row groups than planned
   */
  def apply(rows: Iterator[_], areFiltered: Boolean): Option[NarrowedRows] =
    VectorizedReader.of(rows).map { reader =>
      new NarrowedRows(
        reader,
        plannedOf(reader, areFiltered),
        path,
        reopen,
        onRead,
        i => counts.readsAgain(reader.rowGroups(i)),
        isSkipped = rowGroup => skip.exists(_(Seq(rowGroup)))
      )
    }

  /** Without the rows that the reader's filters exclude. */
  private def filtered(planned: PlannedRowGroup, reader: VectorizedReader, position: Int): PlannedRowGroup = {
    val left = reader.rangesByFilters(position)
    planned.copy(
      ranges = RowRange.intersection(planned.ranges, left),
      // Pages that the reader's filters exclude are skipped by the page index.
      inWholeChunks = planned.inWholeChunks && left == VectorizedReader.all(reader.rowGroups(position))
    )
  }

  /** By row group of the reader, what is planned for it. */
  private def plannedOf(
      reader: VectorizedReader,
      areFiltered: Boolean
  ): IndexedSeq[Option[PlannedRowGroup]] = {
    val all = (if (areFiltered) reader.ofSplit else reader.rowGroups).filter(_.getRowCount > 0)
    def found(rowGroup: PlannedRowGroup) = all.lift(rowGroup.ordinal - run.first)
    if (all.size != run.size || !run.rowGroups.forall(one => found(one).exists(_.getRowCount == one.rows)))
      throw new FileChangedException(
        path,
        s"its row groups have ${all.map(_.getRowCount).mkString(", ")} rows instead of ${run.rowGroups.map(_.rows).mkString(", ")}"
      )
    val planned = new IdentityHashMap[BlockMetaData, PlannedRowGroup]
    for (rowGroup <- run.rowGroups; block <- found(rowGroup)) planned.put(block, rowGroup)
    reader.rowGroups.zipWithIndex.map { case (block, position) =>
      Option(planned.get(block)).map(one => if (areFiltered) filtered(one, reader, position) else one)
    }
  }
}
