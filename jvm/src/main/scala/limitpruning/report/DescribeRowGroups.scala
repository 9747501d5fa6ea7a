package limitpruning.report

import org.apache.spark.sql.catalyst.expressions.Expression

import limitpruning.predicate.{BriefSql, MatchState}
import limitpruning.search.{ClassifiedFile, ClassifyRowGroups, Layer}
import limitpruning.select.{ListedFile, RowRange, Selection, VerifiedRows}

/**
 * Describes inspected row groups: the result of their classification, and the rows to read. Not thread-safe,
 * as `classify` is not.
 *
 * @param classify the classification of the row groups
 * @param selection what the scan reads, `None` if the LIMIT is not pruned
 * @param threshold the top-k threshold, if row groups are skipped because they sort after it
 * @param verified the rows that were found by reading columns first; none if no rows were
 * @param columns the number of columns of `classify` that are described
 */
private[report] final class DescribeRowGroups(
    classify: ClassifyRowGroups,
    selection: Option[Selection],
    threshold: Option[String] = None,
    verified: Option[VerifiedRows] = None,
    columns: Int = DescribeRowGroups.MostColumns
) {
  import DescribeRowGroups._

  // If the order matters, a file can occur in the selection more than once.
  private val chosen: Map[(Any, Int), Long] = (for {
    file <- selection.toSeq.flatMap(_.files)
    rowGroup <- file.rowGroups
  } yield (idOf(file.listed), rowGroup.ordinal) -> rowGroup.rowsToRead).groupBy(_._1).map {
    case (id, parts) => id -> parts.map(_._2).sum
  }

  /** Describes at most `most` row groups. */
  def apply(files: Seq[ClassifiedFile], most: Int): RowGroupMap = {
    val told = files.iterator.flatMap(file => file.rowGroups.indices.iterator.map(describe(file, _)))
    RowGroupMap(told.take(most).toVector, math.max(0, files.map(_.rowGroups.size).sum - most))
  }

  /** Describes one row group. */
  def describe(file: ClassifiedFile, ordinal: Int): RowGroupReport = {
    val rowGroup = file.rowGroups(ordinal)
    val byRows = if (rowGroup.isDecided) None else verified.map(byReading(file, ordinal, _))
    RowGroupReport(
      file.listed.path,
      ordinal,
      file.footer.rowGroups(ordinal).getRowCount,
      file.footer.offsets.bytes(ordinal),
      nameOf(byRows.fold(rowGroup.state)(_.state)),
      if (byRows.exists(_.isDecided)) Some("rows")
      else if (rowGroup.isDecided) Some(nameOf(rowGroup.by))
      else None,
      byRows.fold(sentenceOf(file, ordinal))(_.why),
      if (file.isBelieved) factsOf(file, ordinal) else Nil,
      chosen.get((idOf(file.listed), ordinal))
    )
  }

  /** What is known of an undecided row group because columns were read first. */
  private def byReading(file: ClassifiedFile, ordinal: Int, verified: VerifiedRows): ByReading =
    if (isChosen(file, ordinal))
      ByReading(
        MatchState.PartiallyMatching,
        isDecided = true,
        "columns were read first, and some of its rows match"
      )
    else if (verified.areAll)
      ByReading(MatchState.NotMatching, isDecided = true, "columns were read first, and no row matches")
    else ByReading(MatchState.PartiallyMatching, isDecided = false, "none of its rows is needed")

  private def isChosen(file: ClassifiedFile, ordinal: Int): Boolean =
    chosen.contains((idOf(file.listed), ordinal))

  /** Rows that were found when the query ran are those of another listing, in which each path has one file. */
  private def idOf(file: ListedFile): Any =
    if (verified.nonEmpty) (file.path, file.length) else file.position

  private def factsOf(file: ClassifiedFile, ordinal: Int): Seq[String] = {
    val known = file.known(ordinal)
    classify.columns.indices.take(columns.min(MostColumns)).map(i =>
      DescribeFacts(classify.columns(i), known.facts(i))
    )
  }

  private def sentenceOf(file: ClassifiedFile, ordinal: Int): String = {
    val rowGroup = file.rowGroups(ordinal)
    def rest = if (rowGroup.isDecided) "no others do" else "others may"
    if (file.footer.rowGroups(ordinal).getRowCount == 0) "it has no rows"
    else
      DescribeRowGroups.why(
        rowGroup.state,
        threshold.filter(_ => !isChosen(file, ordinal)),
        classify.hasPredicate,
        classify.neverTrue(file.known(ordinal)),
        if (rowGroup.matching.isEmpty) rowGroup.obstacle.map(_.sentence)
        else Some(s"${RowRange.rowsOf(rowGroup.matching)} rows match, $rest")
      )
  }
}

private[report] object DescribeRowGroups {

  /** The maximum number of columns whose facts are described. */
  val MostColumns = 20

  /** @param isDecided whether it is known which rows match */
  private final case class ByReading(state: MatchState, isDecided: Boolean, why: String)

  /** The name of a state in reports. */
  def nameOf(state: MatchState): String = state match {
    case MatchState.NotMatching => "not"
    case MatchState.PartiallyMatching => "partially"
    case MatchState.FullyMatching => "fully"
  }

  /**
   * The fact that decided a state, or the obstacle, as a sentence.
   *
   * @param missed the top-k threshold, if no row is read, because none reaches it
   * @param neverTrue a conjunct that holds for no row, if the state is "not"
   * @param partially why only some rows may match, if the state is "partially"
   */
  def why(
      state: MatchState,
      missed: Option[String],
      hasPredicate: Boolean,
      neverTrue: => Option[Expression],
      partially: => Option[String]
  ): String = state match {
    case MatchState.NotMatching =>
      neverTrue.fold("no row matches")(conjunct => s"${BriefSql(conjunct)} holds for no row")
    case _ if missed.nonEmpty => s"no row reaches the threshold ${missed.get}"
    case MatchState.FullyMatching => if (hasPredicate) "every row matches" else "there is no predicate"
    case MatchState.PartiallyMatching => partially.getOrElse("some rows may match")
  }

  private def nameOf(layer: Layer): String = layer match {
    case Layer.Statistics => "statistics"
    case Layer.Values => "values"
    case Layer.Pages => "pages"
  }
}

/**
 * The inspected row groups for one LIMIT, in file order.
 *
 * @param omitted the number of inspected row groups that are not in `rowGroups`
 */
final case class RowGroupMap(rowGroups: Seq[RowGroupReport], omitted: Int)

object RowGroupMap {

  /** No row group was inspected, or the result was dropped. */
  val Empty: RowGroupMap = RowGroupMap(Nil, 0)
}

/**
 * The description of one row group.
 *
 * @param file its path
 * @param ordinal its position in the file, from 0
 * @param bytes compressed bytes of all its columns
 * @param state "not", "partially" or "fully": whether its rows are proved to match
 * @param decidedBy "statistics", "values" (dictionaries and bloom filters), "pages", or "rows" (columns were read first);
 *   `None` if it is undecided
 * @param why the fact that decided it, or the obstacle, as a sentence
 * @param facts the facts from the footer about each column of the predicate
 * @param rowsToRead rows of it that are scanned, `None` if it is not selected
 */
final case class RowGroupReport(
    file: String,
    ordinal: Int,
    rows: Long,
    bytes: Long,
    state: String,
    decidedBy: Option[String],
    why: String,
    facts: Seq[String],
    rowsToRead: Option[Long]
)
