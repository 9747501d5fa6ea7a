package limitpruning.search

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.{Expression, IsNotNull, Literal, SortOrder}

import limitpruning.predicate.{FirstKey, LeafColumn, MatchState, Obstacle, Unprovable, Values}
import limitpruning.select.{Reason, Threshold}

/**
 * Chooses files of a [[ManifestTable]] for ORDER BY … LIMIT: those whose rows may be among the first rows. A file is skipped
 * if no row of it matches, or if all its rows sort strictly after a threshold. At least as many matching rows as the LIMIT
 * needs are certain to be in the table, at the threshold or before it. Otherwise gives the reason why none are chosen.
 *
 * A file that was not inspected, or whose key values are unknown, is chosen.
 *
 * @param key the first sort key, over the table's columns
 * @param stop why the search stops, if it does, given the files whose key values are unknown, and the nanoseconds it has
 *   taken; the reason names the rows found so far
 */
final class ChooseTopFiles(
    limit: Int,
    conjuncts: Seq[Expression],
    key: SortOrder,
    table: ManifestTable,
    stop: (Int, Long) => Option[Long => Reason]
) {
  import ChooseTopFiles._

  private val started = System.nanoTime()
  private val order = FirstKey.of(key).order
  private val threshold = new Threshold(limit.toLong, order)
  private val obstacles = new ObstacleCounts
  private var inspected = 0

  def apply(): Either[Reason, ChosenFiles] = {
    val files = table.files
    if (files.isEmpty) Left(Reason.NoFiles)
    else if (files.sizeIs == 1) Left(Reason.NothingToSkip)
    else columnOf(key).toRight(Reason.KeyNotColumn(key.child.sql)).flatMap(choose(files, _))
  }

  private def choose(files: IndexedSeq[ManifestFile], column: LeafColumn): Either[Reason, ChosenFiles] =
    unprovable(column) match {
      case Some(obstacle) => Left(Reason.KeyNotClusteredInFiles(key.sql, files.size, obstacle.sentence))
      // No manifest is read if there can be no threshold.
      case None if files.iterator.map(_.liveRows).sum < limit => Left(notClustered(files))
      case None =>
        val (candidates, stopped) = inspect(files, column)
        threshold.place match {
          case Some(place) if candidates.exists(isSkipped) => Right(chosen(files, candidates, place))
          case _ => Left(stopped.getOrElse(notClustered(files)))
        }
    }

  /** Why there can be no threshold, whatever the manifests have. */
  private def unprovable(column: LeafColumn): Option[Obstacle] =
    if (table.mayHaveFacts(column)) Unprovable.obstacle(conjuncts, table.mayHaveFacts)
    else Some(Obstacle.NoStatistics(column.name))

  private def chosen(
      files: IndexedSeq[ManifestFile],
      candidates: IndexedSeq[Candidate],
      place: Any
  ): ChosenFiles = ChosenFiles(
    table.name,
    limit,
    conjuncts,
    candidates.filterNot(isSkipped).map(_.file) ++ files.drop(inspected),
    ManifestCounts(files.size, files.iterator.map(_.bytes).sum, inspected),
    System.nanoTime() - started,
    Some(ChosenOrder(key.sql, Literal(place, key.dataType).sql, threshold.rows))
  )

  private def notClustered(files: IndexedSeq[ManifestFile]): Reason = {
    val tooFew = Option.when(threshold.place.isEmpty)(
      s"${threshold.rows} of the $limit rows that the LIMIT needs certainly match"
    )
    val others = Some(obstacles.summary(inspected, "files")).filter(_.nonEmpty)
    Reason.KeyNotClusteredInFiles(key.sql, files.size, (tooFew ++ others).mkString("; "))
  }

  private def isSkipped(candidate: Candidate): Boolean = !candidate.mayMatch ||
    threshold.excludes(candidate.best)

  /** @return the inspected files, which are the first of `files`, and why the search stopped early, if it did */
  private def inspect(
      files: IndexedSeq[ManifestFile],
      column: LeafColumn
  ): (IndexedSeq[Candidate], Option[Reason]) = {
    val classify = new ClassifyFiles(conjuncts, Some(column), table, obstacles)
    val places = new KeyPlaces(order, conjuncts.exists(excludesNulls(_, column)))
    val candidates = ArrayBuffer.empty[Candidate]
    val noStatistics = Obstacle.NoStatistics(key.child.sql)
    var unknown = 0
    var stopped = Option.empty[Reason]
    while (inspected < files.size && stopped.isEmpty) {
      val file = files(inspected)
      inspected += 1
      val (state, ManifestFacts(known, nullCount)) = classify(file)
      candidates += Candidate(file, state != MatchState.NotMatching, places.best(known))
      if (state == MatchState.FullyMatching && file.liveRows > 0)
        for {
          deleted <- file.deletedRows
          (place, rows) <- places.certain(known, file.rows, nullCount, deleted)
        } threshold.add(place, rows)
      if (known.values == Values.Unknown) {
        obstacles.add(noStatistics)
        unknown += 1
      }
      stopped = stop(unknown, System.nanoTime() - started).map(_(threshold.rows))
    }
    // The whole table was inspected, so nothing was stopped.
    (candidates.toIndexedSeq, stopped.filter(_ => inspected < files.size))
  }
}

private object ChooseTopFiles {

  /** @param best the best key value that a row of the file may have in the result; none if any value is possible */
  private final case class Candidate(file: ManifestFile, mayMatch: Boolean, best: Option[Any])

  private def columnOf(key: SortOrder): Option[LeafColumn] =
    LeafColumn.unapply(key.child).filter(_.path.isEmpty)

  private def excludesNulls(conjunct: Expression, column: LeafColumn): Boolean = conjunct match {
    case IsNotNull(LeafColumn(notNull)) => notNull.id == column.id
    case _ => false
  }
}
