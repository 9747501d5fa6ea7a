package limitpruning.search

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.Expression

import limitpruning.predicate.{Evaluator, LeafColumn, MatchState, RowUnit}
import limitpruning.select.Reason

/**
 * Chooses files of a [[ManifestTable]] for a LIMIT without ORDER BY: the first files in which every row is proved to match
 * and none is deleted, until they have as many rows as the LIMIT needs. Otherwise gives the reason why none are chosen.
 *
 * @param stop why the search stops, if it does, given the files that were not proved, the nanoseconds it has taken, and the
 *   rows found so far
 */
final class ChooseFiles(
    limit: Int,
    conjuncts: Seq[Expression],
    table: ManifestTable,
    stop: (Int, Long, Long) => Option[Reason]
) {
  private val started = System.nanoTime()
  private val obstacles = new ObstacleCounts
  private val chosen = ArrayBuffer.empty[ManifestFile]
  private var rows = 0L
  private var inspected = 0

  def apply(): Either[Reason, ChosenFiles] = {
    val files = table.files
    // A file with deleted rows is never counted on: its live rows are not known.
    val countable = files.filter(file => !file.mayHaveDeletes && file.rows > 0)
    if (files.isEmpty) Left(Reason.NoFiles)
    else if (files.sizeIs == 1) Left(Reason.NothingToSkip)
    else if (countable.iterator.map(_.rows).sum < limit)
      Left(notEnough(countable.iterator.map(_.rows).sum, countable.size, files.size))
    else {
      search(countable) match {
        case Some(reason) => Left(reason)
        case None if rows < limit => Left(notEnough(rows, chosen.size, files.size))
        case None if chosen.sizeIs == files.size => Left(Reason.NothingToSkip)
        case None =>
          val counts = ManifestCounts(files.size, files.iterator.map(_.bytes).sum, inspected)
          Right(
            ChosenFiles(
              table.name,
              limit,
              conjuncts,
              chosen.toIndexedSeq,
              counts,
              System.nanoTime() - started
            )
          )
      }
    }
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
        rows += file.rows
      } else stopped = stop(inspected - chosen.size, System.nanoTime() - started, rows)
    }
    stopped
  }

  /** Whether every row of a file is proved to match. */
  private def proof: ManifestFile => Boolean =
    if (conjuncts.isEmpty) _ => true
    else {
      // An attribute of the predicate may have another spelling of its name than the column of the table.
      val columns = for {
        column <- conjuncts.flatMap(LeafColumn.in).distinctBy(_.id).toIndexedSeq
        attribute <- table.output.find(_.exprId == column.attribute.exprId)
      } yield column.copy(attribute = attribute)
      val evaluator = new Evaluator(conjuncts, columns)
      val facts = table.facts(columns)
      file => {
        val known = facts(file)
        val unit: RowUnit = known(_)
        val isFull = MatchState.of(evaluator.outcomes(unit)) == MatchState.FullyMatching
        if (!isFull) evaluator.obstacle(unit).foreach(obstacles.add)
        isFull
      }
    }

  private def notEnough(found: Long, provable: Int, files: Int): Reason =
    Reason.NotEnoughRowsInFiles(found, limit, provable, files, obstacles.summary(inspected, "files"))
}
