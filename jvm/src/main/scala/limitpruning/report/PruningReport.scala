package limitpruning.report

import limitpruning.select.Reason

/**
 * What became of one LIMIT over Parquet. Counts are `None` where they are not known: no footer was read, or the
 * query has not run.
 *
 * @param table the table's name, or the paths that are read
 * @param limit rows wanted, `None` where it is not a constant
 * @param order where the first rows in an order are wanted
 * @param predicate as SQL, `None` where there is none
 * @param rowGroups row groups of the files looked at: total → matched → fully matched → scanned
 * @param files files after partition pruning: total → looked at → scanned
 * @param planningMs how long looking took, in milliseconds
 * @param rowsToRead rows that are scanned
 * @param rowRanges ranges of rows that are scanned of row groups that are not scanned whole
 * @param rowsCut rows of the row groups that are not scanned
 * @param pagesSkipped data pages of the row groups and columns that are not scanned
 * @param noPageSkipping why row groups are scanned whole, however few of their rows are wanted; `None` where pages can be skipped
 * @param bytesToRead compressed bytes of the column chunks, or pages of them, that are scanned
 * @param rowsRead rows that the scan has given so far, after the query has run
 * @param rowGroupsRead row groups that the scan has begun to read, after the query has run
 * @param rowGroupsSkipped row groups that it has left out since, as rows that were read are before all of theirs
 * @param bytesRead compressed bytes of the column chunks, or pages of them, that it has read, after the query has run
 * @param map the row groups that were looked at
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
    pagesSkipped: Option[Long] = None,
    noPageSkipping: Option[String] = None,
    bytesToRead: Option[Long] = None,
    rowFilterSkipped: Boolean = false,
    rowsRead: Option[Long] = None,
    rowGroupsRead: Option[Long] = None,
    rowGroupsSkipped: Option[Long] = None,
    bytesRead: Option[Long] = None,
    map: RowGroupMap = RowGroupMap.Empty
) {
  def covered: Boolean = reason.isEmpty

  /** Whether less than the whole table is read although it is not covered. */
  def isNarrowed: Boolean = reason.nonEmpty && rowsToRead.nonEmpty
}

/**
 * What ORDER BY adds to a LIMIT.
 *
 * @param key the first sort key with its direction, as SQL
 * @param bound the place, as SQL, that enough rows are certain to reach; `None` where there is none before reading
 * @param rowsCertain the rows that are certain to reach it, or all that are certain to be anywhere
 * @param rowGroupsDropped row groups that may match, but have no row that reaches the bound
 */
final case class OrderReport(
    key: String,
    bound: Option[String],
    rowsCertain: Option[Long],
    rowGroupsDropped: Option[Int]
)

final case class RowGroupCounts(total: Int, matched: Int, fullyMatched: Int, scanned: Option[Int])

/**
 * @param footersCached files among those looked at whose footers were known from earlier queries
 * @param bytes the length of all files
 */
final case class FileCounts(total: Int, lookedAt: Int, footersCached: Int, scanned: Option[Int], bytes: Long)

/** What became of every LIMIT over Parquet in a query, in the order of its plan. */
final case class PruningReport(limits: Seq[LimitReport])
