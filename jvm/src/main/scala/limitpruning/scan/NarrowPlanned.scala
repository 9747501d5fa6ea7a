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
    override val path: String,
    reopen: () => Iterator[Any],
    skip: Option[SkipBehindThreshold],
    counts: ReadCounts,
    onRead: PlannedRowGroup => Unit
) extends NarrowedRows.Observer {
  private val byPosition = run.rowGroups.map(planned => (planned.ordinal - run.first, planned)).toMap
  private var opened: IndexedSeq[(BlockMetaData, Option[PlannedRowGroup])] = IndexedSeq.empty

  /**
   * @param rows what Spark's format returned for the split
   * @param areFiltered whether the reader has filters of its own, which exclude row groups and pages
   * @return none if the reader is another one
   * @throws FileChangedException if the split has other row groups than planned
   */
  def apply(rows: Iterator[_], areFiltered: Boolean): Option[NarrowedRows] =
    VectorizedReader.of(rows).map { reader =>
      opened = plannedOf(reader, areFiltered)
      new NarrowedRows(
        reader,
        i => if (areFiltered) dueFiltered(reader, i) else plannedRows(i),
        // Pages that the reader's filters exclude are skipped by the page index.
        inWholeChunks = i =>
          opened(i)._2.exists(_.inWholeChunks) &&
            (!areFiltered || reader.rangesByFilters(i) == VectorizedReader.all(reader.rowGroups(i))),
        reliesOnIndex = i => opened(i)._2.exists(_.reliesOnPages),
        isSkipped = i => skip.exists(skip => opened(i)._2.exists(planned => skip(Seq(planned)))),
        reopen,
        observer = this
      )
    }

  private def plannedRows(position: Int): Seq[RowRange] = opened(position)._2.toSeq.flatMap(_.ranges)

  private def dueFiltered(reader: VectorizedReader, position: Int): Seq[RowRange] =
    plannedRows(position) match {
      case Nil => Nil
      case planned => RowRange.intersection(planned, reader.rangesByFilters(position))
    }

  /** The row groups of the reader, with those that are planned for them. */
  private def plannedOf(
      reader: VectorizedReader,
      areFiltered: Boolean
  ): IndexedSeq[(BlockMetaData, Option[PlannedRowGroup])] = {
    val all = (if (areFiltered) reader.ofSplit else reader.rowGroups).filter(_.getRowCount > 0)
    val found = byPosition.keys.toSeq.sorted.map(all.lift(_).map(_.getRowCount))
    val planned = byPosition.toSeq.sortBy(_._1).map { case (_, rowGroup) => Some(rowGroup.rows) }
    if (all.size != run.size || found != planned)
      throw new FileChangedException(
        path,
        s"its row groups have ${all.map(_.getRowCount).mkString(", ")} rows instead of ${run.rowGroups.map(_.rows).mkString(", ")}"
      )
    val positions = new IdentityHashMap[BlockMetaData, Int]
    all.zipWithIndex.foreach { case (rowGroup, position) => positions.put(rowGroup, position) }
    reader.rowGroups.map { rowGroup =>
      (rowGroup, if (positions.containsKey(rowGroup)) byPosition.get(positions.get(rowGroup)) else None)
    }
  }

  override def read(rowGroup: Int): Unit = opened(rowGroup)._2.foreach(onRead)

  override def readsAgain(rowGroup: Int): Unit =
    counts.readsAgain(NarrowedRows.bytesOf(opened(rowGroup)._1))
}
