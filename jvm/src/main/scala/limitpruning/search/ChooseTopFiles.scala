package limitpruning.search

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.{Expression, IsNotNull, Literal, SortOrder}

import limitpruning.predicate.{FirstKey, LeafColumn, MatchState, Obstacle, Unprovable, Values, Work}
import limitpruning.select.{Reason, SearchCounts, Threshold}

/**
 * Chooses files of a [[ManifestTable]] for ORDER BY … LIMIT: those whose rows may be among the first rows. A file is skipped
 * if no row of it matches, or if all its rows sort strictly after a threshold. At least as many matching rows as the LIMIT
 * needs are certain to be in the table, at the threshold or before it. Of the chosen files, row groups are skipped in the
 * same way. Otherwise gives the reason why none are chosen.
 *
 * A file that was not inspected, or whose key values are unknown, is chosen. For several orders, whatever one of them needs
 * is chosen, and nothing if one of them has no threshold.
 *
 * @param keys the first sort key of each order, over the table's columns; at least one
 * @param stop why the search stops, if it does, given the files in which a key has unknown values, and the nanoseconds it has
 *   taken; the reason names the rows found so far
 * @param footers how many footers may be read
 * @param leastSkipped the share of the table that must be skipped; the search ends early if it is not expected to be. None if
 *   anything that is skipped pays.
 */
final class ChooseTopFiles(
    scan: LimitedScan[ManifestTable],
    keys: Seq[SortOrder],
    stop: (Int, Long) => Option[Long => Reason],
    footers: FooterBudget,
    leastSkipped: Option[Double] = None
) {
  import ChooseTopFiles._
  import scan.{conjuncts, limit, table}

  private val started = System.nanoTime()
  private val obstacles = new ObstacleCounts
  private var inspected = 0

  def apply(): Either[Reason, ChosenFiles] = {
    val files = table.files
    if (files.isEmpty) Left(Reason.NoFiles)
    else if (files.size == 1 && files.head.parts == 1) Left(Reason.NothingToSkip)
    else {
      val columns = keys.map(key => columnOf(key).toRight(Reason.KeyNotColumn(key.child.sql)))
      columns.collectFirst { case Left(reason) => reason }.toLeft(columns.collect { case Right(column) =>
        column
      })
        .flatMap(choose(files, _))
    }
  }

  private def choose(
      files: IndexedSeq[ManifestFile],
      columns: Seq[LeafColumn]
  ): Either[Reason, ChosenFiles] = {
    def unprovableIn(key: SortOrder, column: LeafColumn) =
      unprovable(column).map(obstacle =>
        Reason.KeyNotClusteredInFiles(key.sql, files.size, obstacle.sentence)
      )
    keys.zip(columns).flatMap { case (key, column) => unprovableIn(key, column) }.headOption match {
      case Some(reason) => Left(reason)
      // No manifest is read if there can be no threshold.
      case None if files.iterator.map(_.liveRows).sum < limit =>
        Left(notClustered(keys.head, certain = Some(0), files.size))
      case None =>
        val classify = new ClassifyFiles(conjuncts, columns, table, footers.deadline)
        val orders = keys.zip(columns).map { case (key, column) => new InOrder(key, column, classify) }
        val stopped = inspect(files, classify, orders)
        val refined = refinedInAll(files, orders)
        val read = together(files, refined)
        if (refined.size == orders.size && skips(files, read))
          Right(chosen(files, read, orders.zip(refined)).copy(
            inspected = classify.inspected,
            columns = classify.columns
          ))
        else Left(stopped.getOrElse(notClustered(files, orders)))
    }
  }

  /** Why there can be no threshold, whatever the manifests have. */
  private def unprovable(column: LeafColumn): Option[Obstacle] =
    if (table.mayHaveFacts(column)) Unprovable.obstacle(conjuncts, table.mayHaveFacts)
    else Some(Obstacle.NoStatistics(column.name))

  /** What is read for each order. Fewer than there are orders if one of them has no threshold, or skips too little. */
  private def refinedInAll(files: IndexedSeq[ManifestFile], orders: Seq[InOrder]): Seq[RefinedFiles] = {
    lazy val all = ManifestFile.bytes(files)
    def isEnough(bytes: Long) = leastSkipped.forall(share => bytes <= (1 - share) * all)
    // If not all footers may be read, reading them is in vain.
    def mayBeEnough(left: Seq[ManifestFile]) =
      leastSkipped.isEmpty || isEnough(ManifestFile.bytes(left)) || left.size <= footers.most
    orders.iterator.takeWhile(order => mayBeEnough(order.left(files))).map(_.refined(files))
      .takeWhile(one =>
        one.threshold.place.nonEmpty && isEnough(one.chosen.iterator.map(_.bytes).sum)
      ).toVector
  }

  /** Whatever one of the orders needs, in the order of `files`. */
  private def together(files: IndexedSeq[ManifestFile], each: Seq[RefinedFiles]): IndexedSeq[ChosenFile] =
    each match {
      case Seq(one) => one.chosen
      case several =>
        val parts = several.flatMap(_.chosen).groupBy(_.file.position)
        val rowGroups = opened(several)
        files.flatMap(file => parts.get(file.position)).map { same =>
          val some = same.flatMap(_.rowGroups)
          val read = some.flatten.groupBy(_.ordinal).toSeq.sortBy(_._1).map(_._2.head)
          val file = same.head.file
          if (some.size < same.size || read.size == rowGroups(file.position).size) ChosenFile(file)
          else ChosenFile(file, Some(read))
        }
    }

  private def opened(each: Seq[RefinedFiles]): Map[Int, IndexedSeq[MatchState]] =
    each.map(_.opened).foldLeft(Map.empty[Int, IndexedSeq[MatchState]])(_ ++ _)

  /** Whether these are not all rows of the table. */
  private def skips(files: IndexedSeq[ManifestFile], read: Seq[ChosenFile]): Boolean =
    read.size < files.size || read.exists(_.rowGroups.nonEmpty)

  private def chosen(
      files: IndexedSeq[ManifestFile],
      read: IndexedSeq[ChosenFile],
      orders: Seq[(InOrder, RefinedFiles)]
  ): ChosenFiles = {
    val states = opened(orders.map(_._2)).values.flatten.toVector
    val thresholds = for ((order, refined) <- orders; place <- refined.threshold.place)
      yield Literal(place, order.key.dataType).sql
    ChosenFiles(
      table.name,
      limit,
      conjuncts,
      read,
      SearchCounts.Zero.copy(files.size, inspected, bytes = ManifestFile.bytes(files)).withRowGroups(states),
      System.nanoTime() - started,
      Some(ChosenOrder(
        keys.map(_.sql).mkString(", "),
        thresholds.mkString(", "),
        orders.map(_._2.threshold.rows).min
      ))
    )
  }

  private def notClustered(files: IndexedSeq[ManifestFile], orders: Seq[InOrder]): Reason = {
    val order = orders.find(_.threshold.place.isEmpty).getOrElse(orders.head)
    val tooFew = if (order.threshold.place.isEmpty) Some(order.threshold.rows) else None
    notClustered(order.key, tooFew, files.size)
  }

  /** @param certain number of rows that are certain to match, if these are too few */
  private def notClustered(key: SortOrder, certain: Option[Long], files: Int): Reason = {
    val tooFew = certain.map(rows => s"$rows of the $limit rows that the LIMIT needs certainly match")
    val others = Some(obstacles.summary(inspected, "files")).filter(_.nonEmpty)
    Reason.KeyNotClusteredInFiles(key.sql, files, (tooFew ++ others).mkString("; "))
  }

  /**
   * Adds the first of `files` to each order.
   *
   * @return why the search stopped early, if it did
   */
  private def inspect(
      files: IndexedSeq[ManifestFile],
      classify: ClassifyFiles,
      orders: Seq[InOrder]
  ): Option[Reason] = {
    var unknown = 0
    var stopped = Option.empty[Reason]
    while (inspected < files.size && stopped.isEmpty) {
      Work.checkInterrupted()
      val file = files(inspected)
      inspected += 1
      val found = classify(file)
      found.obstacle.foreach(obstacles.add)
      val areKnown = orders.map(_.add(file, found))
      if (areKnown.contains(false)) unknown += 1
      stopped = stop(unknown, System.nanoTime() - started).map(_(orders.map(_.threshold.rows).min))
      if (stopped.isEmpty && leastSkipped.nonEmpty && inspected == Sample)
        stopped = orders.find(!_.skipsHalf).map(order => notClustered(order.key, None, files.size))
    }
    // The whole table was inspected, so nothing was stopped.
    stopped.filter(_ => inspected < files.size)
  }

  /** The inspected files in one of the orders. */
  private final class InOrder(val key: SortOrder, column: LeafColumn, classify: ClassifyFiles) {
    private val order = FirstKey.of(key).order
    private val places = new KeyPlaces(order, conjuncts.exists(excludesNulls(_, column)))
    private val keyOrdinal = classify.columns.indexWhere(_.id == column.id)
    private val units = ArrayBuffer.empty[KeyUnit]
    private val noStatistics = Obstacle.NoStatistics(key.child.sql)
    val threshold = new Threshold(limit.toLong, order)

    /** @return whether the values of the key are known */
    def add(file: ManifestFile, found: ClassifiedRows): Boolean = {
      val facts = found.facts(keyOrdinal)
      val unit = places.unit(found.state, facts, file.rows, file.deletedRows)
      units += unit
      for ((place, rows) <- unit.certain) threshold.add(place, rows)
      val isKnown = facts.known.values != Values.Unknown
      if (!isKnown) obstacles.add(noStatistics)
      isKnown
    }

    /** Whether half of the files that were added are skipped. */
    def skipsHalf: Boolean = 2 * units.count(_.isSkipped(threshold)) >= units.size

    /** Those of `files`, of which the first were added, that manifests do not skip. */
    def left(files: IndexedSeq[ManifestFile]): Seq[ManifestFile] =
      files.indices.filterNot(i => i < units.size && units(i).isSkipped(threshold)).map(files)

    /** What is read for the order, if the first of `files` are those that were added. */
    def refined(files: IndexedSeq[ManifestFile]): RefinedFiles = {
      val refine = new RefineTopFiles(
        limit,
        order,
        table,
        classify,
        keyOrdinal,
        places,
        footers,
        leastSkipped.getOrElse(Half)
      )
      refine(files.zip(units), files.drop(units.size), threshold)
    }
  }
}

private object ChooseTopFiles {

  /** The share of the row groups that must be skipped so that more footers are read. */
  private val Half = 0.5

  /** So many files show whether the table is clustered by a key. */
  private val Sample = 2048

  private def columnOf(key: SortOrder): Option[LeafColumn] =
    LeafColumn.unapply(key.child).filter(_.path.isEmpty)

  private def excludesNulls(conjunct: Expression, column: LeafColumn): Boolean = conjunct match {
    case IsNotNull(LeafColumn(notNull)) => notNull.id == column.id
    case _ => false
  }
}
