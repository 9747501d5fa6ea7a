package limitpruning.search

import scala.concurrent.duration.{Deadline, DurationInt}

import org.apache.spark.sql.catalyst.expressions.Expression

import limitpruning.predicate.{LeafColumn, MatchState, Obstacle}

/**
 * Inspects all files of a [[ManifestTable]], and their row groups, for one predicate, even if that would not pay for a
 * LIMIT. Not thread-safe.
 *
 * @param conjuncts the predicate, over the table's columns
 */
final class InspectFiles(conjuncts: Seq[Expression], val table: ManifestTable) {
  import InspectFiles._

  private val classify = new ClassifyFiles(conjuncts, table.columns.take(MostColumns), table)

  /** The inspected columns: first those of the predicate, then all others. */
  def columns: IndexedSeq[LeafColumn] = classify.columns

  /** Number of columns of the predicate. */
  val predicateColumns: Int = conjuncts.flatMap(LeafColumn.in).distinctBy(_.id).size

  /**
   * Inspects some files of the table.
   *
   * @return the row groups of each file; the whole file if its row groups cannot be read on their own
   */
  def inspect(files: Seq[ManifestFile]): Seq[InspectedPart] = {
    val divided = files.filter(_.parts > 1)
    val rowGroups = divided.zip(table.rowGroups(divided, columns, Deadline.now + Patience)).toMap
    files.flatMap { file =>
      rowGroups.get(file).flatten match {
        case Some(all) =>
          all.map(each => part(file, Some(each.ordinal), each.rows, each.bytes, classify(file, each)))
        case None => Seq(part(file, None, file.rows, file.bytes, classify(file)))
      }
    }
  }

  private def part(
      file: ManifestFile,
      rowGroup: Option[Int],
      rows: Long,
      bytes: Long,
      found: ClassifiedRows
  ): InspectedPart = {
    val live = file.deletedRows.fold(0L)(deleted => math.max(0L, rows - deleted))
    val matching = if (found.state == MatchState.FullyMatching) live else 0L
    InspectedPart(
      file,
      rowGroup,
      rows,
      matching,
      bytes,
      found.state,
      found.facts,
      found.neverTrue,
      found.obstacle
    )
  }
}

private object InspectFiles {

  /** Maximum number of inspected columns, in addition to those of the predicate. */
  private val MostColumns = 200

  /** Maximum time to read the footers of some files. */
  private val Patience = 10.minutes
}

/**
 * A row group, or a file that is read as a whole.
 *
 * @param rowGroup its position in the file; none for the whole file
 * @param rows number of rows, including deleted rows
 * @param rowsMatching number of rows of the table that are proved to match
 * @param bytes compressed bytes of all columns
 * @param facts the facts about the inspected columns
 * @param neverTrue the first conjunct that holds for none of the rows
 * @param obstacle why it is not proved that all rows match; none if it is
 */
final case class InspectedPart(
    file: ManifestFile,
    rowGroup: Option[Int],
    rows: Long,
    rowsMatching: Long,
    bytes: Long,
    state: MatchState,
    facts: IndexedSeq[ManifestFacts],
    neverTrue: Option[Expression],
    obstacle: Option[Obstacle]
)
