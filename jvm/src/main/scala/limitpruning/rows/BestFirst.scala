package limitpruning.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.SparkPlan

import limitpruning.parquet.ReadSettings
import limitpruning.predicate.FirstKey
import limitpruning.search.LimitPlan
import limitpruning.select.{CandidateRows, RowRange, SelectedFile, SelectedRowGroup, Selection}

/**
 * The row groups that may have the first rows in the order of a [[PositionScan]], best first; those whose best key value is not
 * known come first. Jobs read them in waves, and rows that were found exclude row groups of later waves. Immutable.
 *
 * @param rows the predicate and the limit, with the row groups that are left; each file has one
 * @param key the first sort key
 * @param settings for which the row groups were chosen
 */
private[rows] final case class BestFirst private (
    scan: PositionScan,
    rows: CandidateRows,
    key: FirstKey,
    settings: ReadSettings
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
    copyOf(files.filterNot(rowGroupOf(_).best.exists(best => key.order.gt(best.place, place))))
  }

  /**
   * @param before the number of jobs so far
   * @param cores a job that reads fewer row groups would not be faster
   * @return the plan of the next job, and what it leaves
   */
  def wave(before: Int, cores: Int): (SparkPlan, BestFirst) = {
    val first = Seq(cores.toLong, Least, rows.limit * RowGroupsOfRow).max
    val size =
      if (before == 0) first + files.count(rowGroupOf(_).best.isEmpty)
      else if (before < Most - 1) first * math.pow(Growth.toDouble, before.toDouble).toLong
      else Long.MaxValue
    val (now, later) = files.splitAt(math.min(size, files.size.toLong).toInt)
    // A task opens a file once for row groups that follow each other.
    val inFileOrder = now.sortBy(file => (file.listed.position, rowGroupOf(file).ordinal))
    val wave = rows.copy(selection = rows.selection.copy(files = inFileOrder))
    (scan.of(wave, settings), copyOf(later, areUnseenRead = true))
  }

  private def copyOf(left: Seq[SelectedFile], areUnseenRead: Boolean = false): BestFirst =
    copy(rows =
      rows.copy(selection =
        Selection(left, if (areUnseenRead) Nil else rows.selection.unseen)
      )
    )
}

private[rows] object BestFirst {

  /** The number of jobs of which the last one reads all that is left. */
  private val Most = 4

  /** The least row groups of the first job: the best row of each may not match. */
  private val Least = 8L

  /** The same for each row of the LIMIT. */
  private val RowGroupsOfRow = 2L

  /** How many times as many row groups as the job before it a job reads. */
  private val Growth = 4L

  /** @return none if metadata found no row groups in an order, or if Spark cannot read them without the others */
  def apply(scan: PositionScan, found: LimitPlan): Option[BestFirst] = found.rows match {
    case rows: CandidateRows if scan.readsRowGroups =>
      rows.top.map { top =>
        val files = rows.selection.files.flatMap(file =>
          file.rowGroups.map(one => file.copy(rowGroups = Seq(whole(one))))
        )
        new BestFirst(
          scan,
          rows.copy(selection = Selection(files.toVector, rows.selection.unseen)),
          top.order,
          found.settings
        )
      }
    case _ => None
  }

  private def rowGroupOf(file: SelectedFile): SelectedRowGroup = file.rowGroups.head

  /** Spark's reader numbers the rows of whole row groups. */
  private def whole(rowGroup: SelectedRowGroup): SelectedRowGroup = rowGroup.copy(
    ranges = RowRange.all(rowGroup.rows),
    columns = rowGroup.columns.copy(pages = Map.empty),
    reliesOnPages = false,
    inWholeChunks = false
  )
}
