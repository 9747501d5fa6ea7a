package limitpruning.search

import scala.concurrent.duration.{Deadline, DurationInt}

import org.apache.spark.sql.catalyst.expressions.Expression

import limitpruning.predicate.LeafColumn

/**
 * Inspects all files of a [[ManifestTable]], and their row groups, for one predicate, even if that would not pay for a
 * LIMIT. Not thread-safe.
 *
 * @param conjuncts the predicate, over the table's columns
 */
final class InspectFiles(conjuncts: Seq[Expression], val table: ManifestTable) {
  import InspectFiles._

  private val classify =
    new ClassifyFiles(conjuncts, table.columns.take(MostColumns), table, Deadline.now + LongPatience)

  /** The inspected columns: first those of the predicate, then all others. */
  def columns: IndexedSeq[LeafColumn] = classify.columns

  /** Number of columns of the predicate. */
  val predicateColumns: Int = LeafColumn.inAll(conjuncts).size

  /**
   * Inspects some files of the table.
   *
   * @return the row groups of each file; the whole file if its row groups cannot be read on their own
   */
  def inspect(files: Seq[ManifestFile]): Seq[InspectedPart] = {
    val divided = files.filter(classify.isWorthOpening)
    val rowGroups = divided.zip(table.rowGroups(divided, columns, Deadline.now + Patience)).toMap
    files.flatMap { file =>
      rowGroups.get(file).flatten match {
        case Some(all) =>
          all.zip(classify(file, all)).map { case (each, found) =>
            InspectedPart(file, Some(each.ordinal), each.rows, each.bytes, found)
          }
        case None => Seq(InspectedPart(file, None, file.rows, file.bytes, classify(file)))
      }
    }
  }
}

private object InspectFiles {

  /** Maximum number of inspected columns, in addition to those of the predicate. */
  private val MostColumns = 200

  /** Maximum time to read the footers of some files. */
  private val Patience = 10.minutes

  /** Maximum time to read manifests. */
  private val LongPatience = 1.hour
}
