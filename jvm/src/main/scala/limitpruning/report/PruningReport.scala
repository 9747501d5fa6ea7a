package limitpruning.report

import limitpruning.select.Reason

/**
 * The report on one LIMIT over Parquet. Numbers are `None` if they are not known: no footer was read, or the
 * query has not run.
 *
 * @param table the table's name, or the paths that are read
 * @param limit the rows that the LIMIT needs from the scan, `None` if it is not a constant
 * @param order the ORDER BY, if there is one
 * @param predicate as SQL, `None` if there is none
 * @param rowGroups row groups of the inspected files: total → matched → fully matched → scanned
 * @param files files after partition pruning: total → inspected → scanned
 * @param planningMs the time that planning of this LIMIT took, in milliseconds
 * @param rowsToRead rows that are scanned, `None` if another scan reads the selected files whole
 * @param rowRanges ranges of rows that are scanned in row groups that are not scanned whole
 * @param rowsCut rows of the selected row groups that are not scanned
 * @param rowsSkipped rows that an OFFSET skips, and that are counted and not scanned
 * @param pagesSkipped data pages, in the selected row groups and the columns that are read, that are not
 *   scanned
 * @param noPageSkipping why row groups are scanned whole, even if the LIMIT needs few of their rows; `None`
 *   if pages can be skipped
 * @param rowsVerified rows that jobs found before the scan, by reading columns; `None` if there was no such job
 * @param bytesReadFirst bytes that these jobs read
 * @param bytesToRead compressed bytes of the column chunks, or of their pages, that are scanned
 * @param rowsRead rows that the scan has returned so far, after the query has run
 * @param rowGroupsRead row groups that the scan has opened, after the query has run
 * @param rowGroupsSkipped row groups that the scan has skipped while reading, because enough rows that it has
 *   read sort before all their rows
 * @param bytesRead compressed bytes of the column chunks, or of their pages, that the scan has read, after
 *   the query has run
 * @param map the inspected row groups
 */
final case class LimitReport(
    table: String,
    limit: Option[Int],
    order: Option[OrderReport],
    predicate: Option[String],
    reason: Option[Reason],
    rowGroups: Option[RowGroupCounts],
    files: Option[FileCounts],
    planningMs: Option[Double],
    rowsToRead: Option[Long] = None,
    rowRanges: Option[Int] = None,
    rowsCut: Option[Long] = None,
    rowsSkipped: Option[Long] = None,
    pagesSkipped: Option[Long] = None,
    noPageSkipping: Option[String] = None,
    rowsVerified: Option[Long] = None,
    bytesReadFirst: Option[Long] = None,
    bytesToRead: Option[Long] = None,
    rowFilterSkipped: Boolean = false,
    rowsRead: Option[Long] = None,
    rowGroupsRead: Option[Long] = None,
    rowGroupsSkipped: Option[Long] = None,
    bytesRead: Option[Long] = None,
    map: RowGroupMap = RowGroupMap.Empty
) {
  def covered: Boolean = reason.isEmpty

  /** Bytes that the jobs before the scan, and the scan, have read; `None` if the query has not run. */
  def bytesReadInAll: Option[Long] = bytesRead.map(_ + bytesReadFirst.getOrElse(0L))

  /** Whether the LIMIT is not covered, but its scan reads a selection. */
  def isNarrowed: Boolean = reason.nonEmpty && files.exists(_.scanned.nonEmpty)
}

/**
 * The ORDER BY of a LIMIT.
 *
 * @param key the first sort key with its direction, as SQL
 * @param threshold the top-k threshold, as SQL, that enough rows are certain to reach; `None` if there is none
 *   before reading
 * @param rowsCertain rows that are certain to reach the threshold; all rows that are certain to be anywhere,
 *   if there is none
 * @param rowGroupsDropped row groups that may match, but have no row that reaches the threshold
 */
final case class OrderReport(
    key: String,
    threshold: Option[String],
    rowsCertain: Option[Long],
    rowGroupsDropped: Option[Int]
)

/** @param reserve row groups that are read if selected ones are missing or corrupt; `None` if there is no reserve */
final case class RowGroupCounts(
    total: Int,
    matched: Int,
    fullyMatched: Int,
    scanned: Option[Int],
    reserve: Option[Int] = None
)

/**
 * @param footersCached inspected files whose footers were cached by earlier queries
 * @param bytes the length of all files
 * @param prunedByLog further files of the table, which its log has proved to be unnecessary; `None` if there is no log
 * @param chosen the paths of files that were chosen whole, the first of them if they are many
 * @param reserve files that are read whole if selected row groups are missing or corrupt; `None` if there is no reserve
 */
final case class FileCounts(
    total: Int,
    lookedAt: Int,
    footersCached: Int,
    scanned: Option[Int],
    bytes: Long,
    prunedByLog: Option[Long] = None,
    chosen: Seq[String] = Nil,
    reserve: Option[Int] = None
)

/** The reports on every LIMIT over Parquet in a query, in the order of its plan. */
final case class PruningReport(limits: Seq[LimitReport])
