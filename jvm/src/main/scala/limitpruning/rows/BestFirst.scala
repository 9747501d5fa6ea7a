package limitpruning.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.SparkPlan

import limitpruning.parquet.ReadSettings
import limitpruning.predicate.FirstKey
import limitpruning.search.LimitPlan
import limitpruning.select.{ChosenRows, ListedFile, SelectedFile, SelectedRowGroup, Selection}

/**
 * The row groups that may have the first rows in the order of a [[PositionScan]], best first; those whose best key value is not
 * known come first. Jobs read them in waves, and rows that were found exclude row groups of later waves. Immutable.
 *
 * @param rows the predicate and the limit, with the row groups that are left; each file has one
 * @param key the first sort key
 * @param settings for which the row groups were chosen
 * @param readsDictionaries whether it pays to read the dictionaries of a row group before its columns
 */
private[rows] final case class BestFirst private (
    scan: PositionScan,
    rows: ChosenRows,
    key: FirstKey,
    settings: ReadSettings,
    readsDictionaries: Boolean
) {
  import BestFirst._

  private def files: Seq[SelectedFile] = rows.selection.files

  def isEmpty: Boolean = files.isEmpty && rows.selection.unseen.isEmpty

  /**
   * The row groups that may have a row before `last`, or one with the same first key.
   *
   * @param last of the rows of the scan that were found and that the LIMIT needs, the last one
   */
  def notAfter(last: InternalRow): BestFirst = {
    val place =
      if (last.isNullAt(PositionScan.FirstKey)) null else last.get(PositionScan.FirstKey, key.dataType)
    copyOf(
      files.filterNot(rowGroupOf(_).best.exists(best => key.order.gt(best.place, place))),
      rows.selection.unseen
    )
  }

  /**
   * @param jobs so far
   * @param cores a job that reads fewer row groups would not be faster
   * @return the plan of the next job, and what it leaves
   */
  def wave(jobs: Int, cores: Int): (SparkPlan, BestFirst) = {
    val first = Seq(cores.toLong, Least, rows.limit * RowGroupsOfRow).max
    val unknown = files.count(rowGroupOf(_).best.isEmpty)
    val size = unknown + first * math.pow(Growth.toDouble, jobs.toDouble).toLong
    val isLast = jobs == Most - 1 || areAlike || files.size <= size + first
    val (now, later) = if (isLast) (files, Nil) else files.splitAt(size.toInt)
    // A task opens a file once for row groups that follow each other.
    val inFileOrder = now.sortBy(file => (file.listed.position, rowGroupOf(file).ordinal))
    val unseen = if (isLast) rows.selection.unseen else Nil
    val wave = rows.copy(selection = Selection(inFileOrder, unseen))
    (scan.of(wave, settings, readsDictionaries), copyOf(later, if (isLast) Nil else rows.selection.unseen))
  }

  /** Whether no row group can be skipped by the rows of others. */
  private def areAlike: Boolean = {
    val known = files.iterator.flatMap(rowGroupOf(_).best).map(_.place)
    known.isEmpty || {
      val first = known.next()
      known.forall(key.order.equiv(first, _))
    }
  }

  private def copyOf(files: Seq[SelectedFile], unseen: Seq[ListedFile]): BestFirst =
    copy(rows = rows.copy(selection = Selection(files, unseen)))
}

private[rows] object BestFirst {

  /** The number of jobs of which the last one reads all that is left. */
  private val Most = 4

  /** The least row groups of the first job: the best row of each may not match. */
  private val Least = 8L

  /** The same for each row of the LIMIT. */
  private val RowGroupsOfRow = 2L

  /** The bytes of columns that are read in the time that it takes to read their dictionaries before. */
  private val SmallColumns = 1024L * 1024

  /** A job reads so many times as many row groups as the one before it. */
  private val Growth = 4L

  /** @return none if metadata found no row groups in an order */
  def apply(scan: PositionScan, found: LimitPlan): Option[BestFirst] = {
    val rows = found.rows
    rows.top.map { top =>
      val files = rows.selection.files.flatMap(file =>
        file.rowGroups.map(one => file.copy(rowGroups = Seq(one)))
      )
      new BestFirst(
        scan,
        rows.copy(selection = Selection(files.toVector, rows.selection.unseen)),
        top.order,
        found.settings,
        readsDictionaries = files.map(rowGroupOf(_).columns.lengths.sum).sum >= SmallColumns * files.size
      )
    }
  }

  private def rowGroupOf(file: SelectedFile): SelectedRowGroup = file.rowGroups.head
}
