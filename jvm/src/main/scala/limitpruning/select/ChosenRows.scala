package limitpruning.select

import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionSet}

import limitpruning.predicate.{FirstKey, LeafColumn, MatchState, WorkCounts}

/**
 * What a scan reads for one LIMIT: the selected rows, the predicate for which they were selected, and the
 * numbers of the search.
 *
 * If all selected rows match, they are as many as the limit needs, or all rows that match. If the limit counts groups, they have as
 * many groups as the limit needs, or all groups.
 *
 * Otherwise they include the result, in the order in which the scan reads them best. They may also include other rows, so
 * the plan keeps its filter, and reading more rows than these is safe.
 *
 * @param limit the rows that the LIMIT needs, with its OFFSET
 * @param conjuncts the predicate, over the relation's columns: every selected row is proved to satisfy it, or all other rows
 *   were skipped for it
 * @param selection the rows to read
 * @param counts the numbers of files and row groups that the search inspected
 * @param planningNanos the time that the search took, in nanoseconds
 * @param allRowsMatch whether every selected row is proved to satisfy the predicate. If not, the plan keeps its filter
 * @param top why the first rows in an order are among the selected rows; none if any rows would do
 * @param groups why the selected rows have enough groups, if the LIMIT counts groups: their groups, of which these are all rows,
 *   or one row each if a group consists of its keys; none if it counts rows
 * @param notCovered why the selected rows are not known to be enough; none if they are, or if the first rows in an order are
 *   needed
 * @param skipped the rows of the LIMIT that are not selected, because its OFFSET skips them; the selection has as many fewer rows
 *   than the limit needs
 * @param verified how the rows were found by reading columns first; none if only metadata were read
 */
final case class ChosenRows(
    limit: Int,
    conjuncts: Seq[Expression],
    selection: Selection,
    counts: SearchCounts,
    planningNanos: Long,
    allRowsMatch: Boolean,
    top: Option[TopRows] = None,
    groups: Option[Groups] = None,
    notCovered: Option[Reason] = None,
    skipped: SkippedRows = SkippedRows.Zero,
    verified: Option[VerifiedRows] = None
) {

  /** The parts that make two scans equal: the rows that they read. */
  def canonicalized: ChosenRows =
    // Of rows that need not match, those that are skipped while reading depend on the limit and the order. For files that were
    // not inspected, they depend on the limit.
    copy(
      limit = if (allRowsMatch || (top.isEmpty && selection.unseen.isEmpty)) 0 else limit,
      conjuncts = Nil,
      selection = selection.canonicalized,
      counts = SearchCounts.Zero,
      planningNanos = 0,
      top = top.map(wanted => TopRows("", wanted.order, None, 0, 0)),
      groups = None,
      notCovered = None,
      skipped = SkippedRows.Zero,
      verified = None
    )

  @transient private lazy val chosenFor = normalized(conjuncts)

  /** Whether the rows were selected for exactly these filters. */
  def isChosenFor(filters: Seq[Expression]): Boolean = chosenFor == normalized(filters)

  /** Whether the rows were selected for each of these filters, and possibly for others. */
  def isChosenForAll(filters: Seq[Expression]): Boolean = normalized(filters).subsetOf(chosenFor)

  private def normalized(predicates: Seq[Expression]): ExpressionSet =
    ExpressionSet(predicates.map(LeafColumn.normalized))
}

/**
 * The numbers of files and row groups that a search inspected.
 *
 * @param files files after partition pruning
 * @param filesInspected inspected files. Of Parquet, their footers were read, and the row groups are those of these files;
 *   otherwise, they are those of the files whose footers were read, too.
 * @param matched row groups that are not proved to be not matching
 * @param fullyMatched those of them that are proved to match fully
 * @param footersCached inspected files whose footers were cached
 * @param bytes the length of all files
 * @param filesPrunedByLog the files of the table that its log has proved to be unnecessary; none if there is no log, or if
 *   it does not say how many files there are
 * @param work the work with expressions, dictionaries and pages
 */
final case class SearchCounts(
    files: Int,
    filesInspected: Int,
    rowGroups: Int,
    matched: Int,
    fullyMatched: Int,
    footersCached: Int = 0,
    bytes: Long = 0,
    filesPrunedByLog: Option[Long] = None,
    work: WorkCounts = WorkCounts()
) {

  /** These, and row groups in these states. */
  def withRowGroups(states: Iterable[MatchState]): SearchCounts = copy(
    rowGroups = rowGroups + states.size,
    matched = matched + states.count(_ != MatchState.NotMatching),
    fullyMatched = fullyMatched + states.count(_ == MatchState.FullyMatching)
  )
}

object SearchCounts {

  /** Nothing was inspected. */
  val Zero: SearchCounts = SearchCounts(0, 0, 0, 0, 0)
}

/**
 * Rows that jobs found before the scan, by reading the columns of the predicate and of the sort keys.
 *
 * @param rows number of rows that were found: as many as the LIMIT needs, or all that match
 * @param areAll whether no other row of the table matches
 * @param jobs number of jobs
 * @param bytes that the jobs read
 */
final case class VerifiedRows(rows: Long, areAll: Boolean, jobs: Int, bytes: Long)

/**
 * The groups that the selected rows are certain to have.
 *
 * @param keys the keys of the groups, as SQL
 * @param certain number of groups that are certain
 * @param areAll whether these are all groups of the query
 */
final case class Groups(keys: String, certain: Int, areAll: Boolean)

/**
 * Why the first rows in an order are among the selected rows.
 *
 * @param key the first sort key with its direction, as SQL
 * @param order the order that the key defines
 * @param threshold the top-k threshold, as SQL: `rowsCertain` rows are certain to be at it or before it; none if
 *   these are fewer than the limit
 * @param rowsCertain see `threshold`; all rows that are certain to be anywhere, if there is no threshold
 * @param rowGroupsDropped row groups in which all rows sort after the threshold, although rows may match
 */
final case class TopRows(
    key: String,
    order: FirstKey,
    threshold: Option[String],
    rowsCertain: Long,
    rowGroupsDropped: Int
)
