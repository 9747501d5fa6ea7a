package limitpruning.search

import scala.collection.mutable
import scala.concurrent.duration.{Deadline, DurationInt}

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.StringType

import limitpruning.predicate.{
  ColumnFacts, Evaluator, LeafColumn, MatchState, Obstacle, RowUnit, SupportedTypes, Values, Work
}

/**
 * Compares the facts about files of a [[ManifestTable]], and about their row groups, with a predicate. Not thread-safe.
 *
 * @param conjuncts the predicate, over the table's columns
 * @param others columns whose facts are needed besides those of the predicate
 * @param deadline after it, no further manifest is read
 */
private[search] final class ClassifyFiles(
    conjuncts: Seq[Expression],
    others: Seq[LeafColumn],
    table: ManifestTable,
    deadline: Deadline
) {
  import ClassifyFiles._

  /** The columns whose facts are known: those of the predicate, then the others. */
  val columns: IndexedSeq[LeafColumn] =
    LeafColumn.distinct(LeafColumn.inAll(conjuncts) ++ others).toIndexedSeq

  private val evaluator =
    new Evaluator(conjuncts, columns, new Work(mostTime = deadline.timeLeft.max(LeastTime)))
  // Reports ask later, when the time may be over.
  private lazy val ofReports = new Evaluator(conjuncts, columns)
  private val facts = table.facts(columns, deadline)
  private val defaults = columns.indices.filter(i => table.hasDefault(columns(i)))
  private val files = mutable.LinkedHashMap.empty[Int, (ManifestFile, ClassifiedRows)]
  private val rowGroups = mutable.Map.empty[Int, IndexedSeq[(ManifestRowGroup, ClassifiedRows)]]

  def apply(file: ManifestFile): ClassifiedRows = {
    Work.checkInterrupted()
    val rows = classified(facts(file))
    if (files.size < MostKept) files.update(file.position, (file, rows))
    rows
  }

  /** All row groups of a file. What is certain about the file is certain about each of them. */
  def apply(file: ManifestFile, all: IndexedSeq[ManifestRowGroup]): IndexedSeq[ClassifiedRows] = {
    val ofFile = facts(file)
    val found = all.map { rowGroup =>
      classified(columns.indices.map { i =>
        val inFooter = rowGroup.facts(i)
        inFooter.copy(known = both(columns(i), ofFile(i).known, inFooter))
      })
    }
    if (files.contains(file.position)) rowGroups.update(file.position, all.zip(found))
    found
  }

  /**
   * Whether the footer of a file may say more than its manifest: about its row groups, or about a column that the file may
   * lack.
   */
  def isWorthOpening(file: ManifestFile): Boolean = file.parts > 1 || defaults.nonEmpty && {
    val known = facts(file)
    defaults.exists(known(_) == ManifestFacts.Unknown)
  }

  /** The first files that were compared; of files whose row groups were compared, too, these. */
  def inspected: Seq[InspectedPart] = files.valuesIterator.flatMap { case (file, rows) =>
    rowGroups.get(file.position).fold(Seq(InspectedPart(file, None, file.rows, file.bytes, rows)))(_.map {
      case (rowGroup, ofPart) =>
        InspectedPart(file, Some(rowGroup.ordinal), rowGroup.rows, rowGroup.bytes, ofPart)
    })
  }.toVector

  private def classified(known: IndexedSeq[ManifestFacts]): ClassifiedRows = {
    val unit: RowUnit = new RowUnit {
      override def facts(ordinal: Int): ColumnFacts = known(ordinal).known
    }
    new ClassifiedRows(MatchState.of(evaluator.outcomes(unit)), known, unit, () => ofReports)
  }

  /** A footer has strings as they are stored. A manifest may not, so its bounds do not count where the footer has some. */
  private def both(column: LeafColumn, ofFile: ColumnFacts, inFooter: ManifestFacts): ColumnFacts =
    if (!SupportedTypes.contains(column.dataType)) ColumnFacts.Unknown
    else {
      val known = inFooter.known
      val isString = column.dataType == StringType
      val more =
        if (isString && known.values != Values.Unknown) ofFile.copy(values = Values.Unknown) else ofFile
      more.and(withoutNaN(ofFile, inFooter), SupportedTypes.ordering(column.dataType))
    }

  /** A footer does not say whether a float is NaN, so its ranges reach up to NaN. If one of the file does not, none is NaN. */
  private def withoutNaN(ofFile: ColumnFacts, inFooter: ManifestFacts): ColumnFacts =
    (ofFile.values, inFooter.known.values, inFooter.maxIfNeverNaN) match {
      case (Values.Range(_, ofAll), Values.Range(min, ofSome), Some(max))
          if KeyFacts.isNaN(ofSome) && !KeyFacts.isNaN(ofAll) =>
        inFooter.known.copy(values = Values.Range(min, max))
      case _ => inFooter.known
    }
}

private object ClassifyFiles {

  /** What partition values decide counts even if no time is left. */
  private val LeastTime = 100.millis

  /** The maximum number of files that are kept for reports. */
  private val MostKept = 1000
}

/**
 * The rows of a file or of a row group, compared with the predicate.
 *
 * @param state whether they match
 * @param facts the facts about the columns of [[ClassifyFiles]]
 */
final class ClassifiedRows private[search] (
    val state: MatchState,
    val facts: IndexedSeq[ManifestFacts],
    private[search] val unit: RowUnit,
    evaluatorOfReports: () => Evaluator
) {
  private def evaluator = evaluatorOfReports()

  /** Why it is not proved that all of them match; none if it is proved. */
  def obstacle: Option[Obstacle] =
    if (state == MatchState.FullyMatching) None else evaluator.synchronized(evaluator.obstacle(unit))

  /** The first conjunct that holds for none of them. */
  def neverTrue: Option[Expression] = evaluator.synchronized(evaluator.neverTrue(unit))
}

/**
 * A row group, or a file that is read as a whole, compared with the predicate.
 *
 * @param rowGroup its position in the file; none for the whole file
 * @param rows number of rows, including deleted rows
 * @param bytes compressed bytes of all columns
 */
final case class InspectedPart(
    file: ManifestFile,
    rowGroup: Option[Int],
    rows: Long,
    bytes: Long,
    found: ClassifiedRows
) {
  def state: MatchState = found.state

  /** Number of rows of the table that are proved to match. */
  def rowsMatching: Long =
    if (state == MatchState.FullyMatching) file.liveRowsOf(rows) else 0L
}
