package limitpruning.search

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.{Expression, IsNotNull, Literal, SortOrder}

import limitpruning.predicate.{FirstKey, LeafColumn, Obstacle, Unprovable, Values, Work}
import limitpruning.select.{Reason, Threshold}

/**
 * Chooses files of a [[ManifestTable]] for ORDER BY … LIMIT: those whose rows may be among the first rows. A file is skipped
 * if no row of it matches, or if all its rows sort strictly after a threshold. At least as many matching rows as the LIMIT
 * needs are certain to be in the table, at the threshold or before it. Of the chosen files, row groups are skipped in the
 * same way. Otherwise gives the reason why none are chosen.
 *
 * A file that was not inspected, or whose key values are unknown, is chosen.
 *
 * @param key the first sort key, over the table's columns
 * @param stop why the search stops, if it does, given the files whose key values are unknown, and the nanoseconds it has
 *   taken; the reason names the rows found so far
 * @param footers how many footers may be read
 */
final class ChooseTopFiles(
    limit: Int,
    conjuncts: Seq[Expression],
    key: SortOrder,
    table: ManifestTable,
    stop: (Int, Long) => Option[Long => Reason],
    footers: FooterBudget
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
    else if (files.size == 1 && files.head.parts == 1) Left(Reason.NothingToSkip)
    else columnOf(key).toRight(Reason.KeyNotColumn(key.child.sql)).flatMap(choose(files, _))
  }

  private def choose(files: IndexedSeq[ManifestFile], column: LeafColumn): Either[Reason, ChosenFiles] =
    unprovable(column) match {
      case Some(obstacle) => Left(Reason.KeyNotClusteredInFiles(key.sql, files.size, obstacle.sentence))
      // No manifest is read if there can be no threshold.
      case None if files.iterator.map(_.liveRows).sum < limit => Left(notClustered(files))
      case None =>
        val classify = new ClassifyFiles(conjuncts, Seq(column), table, footers.deadline)
        val places = new KeyPlaces(order, conjuncts.exists(excludesNulls(_, column)))
        val key = classify.columns.indexWhere(_.id == column.id)
        val (units, stopped) = inspect(files, classify, key, places)
        val refine = new RefineTopFiles(limit, order, table, classify, key, places, footers)
        val refined = refine(files.zip(units), files.drop(inspected), threshold)
        refined.threshold.place match {
          case Some(place) if refined.skips =>
            Right(chosen(files, refined, place).copy(
              inspected = classify.inspected,
              columns = classify.columns
            ))
          case _ => Left(stopped.getOrElse(notClustered(files)))
        }
    }

  /** Why there can be no threshold, whatever the manifests have. */
  private def unprovable(column: LeafColumn): Option[Obstacle] =
    if (table.mayHaveFacts(column)) Unprovable.obstacle(conjuncts, table.mayHaveFacts)
    else Some(Obstacle.NoStatistics(column.name))

  private def chosen(files: IndexedSeq[ManifestFile], refined: RefinedFiles, place: Any): ChosenFiles =
    ChosenFiles(
      table.name,
      limit,
      conjuncts,
      refined.chosen,
      ManifestCounts(files.size, files.iterator.map(_.bytes).sum, inspected, refined.counts),
      System.nanoTime() - started,
      Some(ChosenOrder(key.sql, Literal(place, key.dataType).sql, refined.threshold.rows))
    )

  private def notClustered(files: IndexedSeq[ManifestFile]): Reason = {
    val tooFew =
      if (threshold.place.isEmpty)
        Some(s"${threshold.rows} of the $limit rows that the LIMIT needs certainly match")
      else None
    val others = Some(obstacles.summary(inspected, "files")).filter(_.nonEmpty)
    Reason.KeyNotClusteredInFiles(key.sql, files.size, (tooFew ++ others).mkString("; "))
  }

  /**
   * @param keyOrdinal the position of the key among the columns of `classify`
   * @return the inspected files, which are the first of `files`, and why the search stopped early, if it did
   */
  private def inspect(
      files: IndexedSeq[ManifestFile],
      classify: ClassifyFiles,
      keyOrdinal: Int,
      places: KeyPlaces
  ): (IndexedSeq[KeyUnit], Option[Reason]) = {
    val units = ArrayBuffer.empty[KeyUnit]
    val noStatistics = Obstacle.NoStatistics(key.child.sql)
    var unknown = 0
    var stopped = Option.empty[Reason]
    while (inspected < files.size && stopped.isEmpty) {
      Work.checkInterrupted()
      val file = files(inspected)
      inspected += 1
      val found = classify(file)
      found.obstacle.foreach(obstacles.add)
      val facts = found.facts(keyOrdinal)
      val unit = places.unit(found.state, facts, file.rows, file.deletedRows)
      units += unit
      for ((place, rows) <- unit.certain) threshold.add(place, rows)
      if (facts.known.values == Values.Unknown) {
        obstacles.add(noStatistics)
        unknown += 1
      }
      stopped = stop(unknown, System.nanoTime() - started).map(_(threshold.rows))
    }
    // The whole table was inspected, so nothing was stopped.
    (units.toIndexedSeq, stopped.filter(_ => inspected < files.size))
  }
}

private object ChooseTopFiles {

  private def columnOf(key: SortOrder): Option[LeafColumn] =
    LeafColumn.unapply(key.child).filter(_.path.isEmpty)

  private def excludesNulls(conjunct: Expression, column: LeafColumn): Boolean = conjunct match {
    case IsNotNull(LeafColumn(notNull)) => notNull.id == column.id
    case _ => false
  }
}
