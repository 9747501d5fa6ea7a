package limitpruning.search

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.Expression

import limitpruning.predicate.{MatchState, Unprovable}
import limitpruning.select.Reason

/**
 * Chooses files of a [[ManifestTable]] for a LIMIT without ORDER BY: the first files in which every row is proved to match,
 * until as many rows of them as the LIMIT needs are in the table. Otherwise gives the reason why none are chosen.
 *
 * @param stop why the search stops, if it does, given the files that were not proved, and the nanoseconds it has taken; the
 *   reason names the rows found so far
 */
final class ChooseFiles(
    limit: Int,
    conjuncts: Seq[Expression],
    table: ManifestTable,
    stop: (Int, Long) => Option[Long => Reason]
) {
  private val started = System.nanoTime()
  private val obstacles = new ObstacleCounts
  private val chosen = ArrayBuffer.empty[ManifestFile]
  private var rows = 0L
  private var inspected = 0

  def apply(): Either[Reason, ChosenFiles] = {
    val files = table.files
    // Of files with deleted rows, Iceberg also reads the deletes. So they come last.
    val (whole, others) = files.filter(_.liveRows > 0).partition(_.deletedRows.contains(0L))
    val countable = whole ++ others
    if (files.isEmpty) Left(Reason.NoFiles)
    else if (files.sizeIs == 1) Left(Reason.NothingToSkip)
    else if (countable.iterator.map(_.liveRows).sum < limit)
      Left(notEnough(countable.iterator.map(_.liveRows).sum, countable.size, files.size))
    else
      Unprovable.obstacle(conjuncts, table.mayHaveFacts) match {
        case Some(obstacle) => Left(Reason.NotEnoughRowsInFiles(0, limit, 0, files.size, obstacle.sentence))
        case None => search(countable).toLeft(()).flatMap(_ => found(files))
      }
  }

  private def found(files: IndexedSeq[ManifestFile]): Either[Reason, ChosenFiles] =
    if (rows < limit) Left(notEnough(rows, chosen.size, files.size))
    else if (chosen.sizeIs == files.size) Left(Reason.NothingToSkip)
    else {
      val counts = ManifestCounts(files.size, files.iterator.map(_.bytes).sum, inspected)
      val nanos = System.nanoTime() - started
      Right(ChosenFiles(table.name, limit, conjuncts, chosen.toIndexedSeq, counts, nanos))
    }

  /** Adds files to `chosen`. Returns why the search stopped early, if it did. */
  private def search(countable: IndexedSeq[ManifestFile]): Option[Reason] = {
    val isProved = proof
    val remaining = countable.iterator
    var stopped = Option.empty[Reason]
    while (rows < limit && stopped.isEmpty && remaining.hasNext) {
      val file = remaining.next()
      inspected += 1
      if (isProved(file)) {
        chosen += file
        rows += file.liveRows
      } else stopped = stop(inspected - chosen.size, System.nanoTime() - started).map(_(rows))
    }
    stopped
  }

  /** Whether every row of a file is proved to match. */
  private def proof: ManifestFile => Boolean =
    if (conjuncts.isEmpty) _ => true
    else {
      val classify = new ClassifyFiles(conjuncts, None, table, obstacles)
      classify(_)._1 == MatchState.FullyMatching
    }

  private def notEnough(found: Long, provable: Int, files: Int): Reason =
    Reason.NotEnoughRowsInFiles(found, limit, provable, files, obstacles.summary(inspected, "files"))
}
