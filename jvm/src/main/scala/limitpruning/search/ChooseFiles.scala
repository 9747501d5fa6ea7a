package limitpruning.search

import scala.collection.mutable.ArrayBuffer

import limitpruning.predicate.{MatchState, Unprovable, Work}
import limitpruning.select.{Reason, SearchCounts, SkippedRows}

/**
 * Chooses files of a [[ManifestTable]] for a LIMIT without ORDER BY: the first files in which every row is proved to match,
 * until as many rows of them as the LIMIT needs are in the table. If their rows are too few, it also chooses row groups of
 * files in which some rows may match. Otherwise gives the reason why none are chosen.
 *
 * @param stop why the search stops, if it does, given the files that were not proved, and the nanoseconds it has taken; the
 *   reason names the rows found so far
 * @param footers how many footers may be read
 * @param scan the LIMIT; files and row groups with only rows that its OFFSET skips are not chosen
 */
final class ChooseFiles(
    scan: LimitedScan[ManifestTable],
    stop: (Int, Long) => Option[Long => Reason],
    footers: FooterBudget
) {
  import scan.{conjuncts, limit, offset, table}

  private val started = System.nanoTime()
  private val obstacles = new ObstacleCounts
  private val chosen = ArrayBuffer.empty[ChosenFile]
  private val partial = ArrayBuffer.empty[ManifestFile]
  private var rowGroups = SearchCounts.Zero
  private var rows = 0L
  private var inspected = 0
  private lazy val classify = new ClassifyFiles(conjuncts, Nil, table, footers.deadline)

  def apply(): Either[Reason, ChosenFiles] = {
    val files = table.files
    // Of files with deleted rows, Iceberg also reads the deletes. So they come last.
    val (whole, others) = files.filter(_.liveRows > 0).partition(_.deletedRows.contains(0L))
    val countable = whole ++ others
    val live = countable.iterator.map(_.liveRows).sum
    if (files.isEmpty) Left(Reason.NoFiles)
    else if (files.size == 1 && (files.head.parts == 1 || conjuncts.isEmpty)) Left(Reason.NothingToSkip)
    else if (live < limit)
      Left(Reason.NotEnoughRowsInFiles(live, limit, countable.size, files.size, obstacles = ""))
    else
      Unprovable.obstacle(conjuncts, table.mayHaveFacts) match {
        case Some(obstacle) => Left(Reason.NotEnoughRowsInFiles(0, limit, 0, files.size, obstacle.sentence))
        case None => search(countable).toLeft(()).flatMap(_ => found(files))
      }
  }

  private def found(files: IndexedSeq[ManifestFile]): Either[Reason, ChosenFiles] =
    if (rows < limit) Left(notEnough(files.size))
    else {
      val (read, skipped) = withoutSkipped
      if (read.count(_.rowGroups.isEmpty) == files.size) Left(Reason.NothingToSkip)
      else Right(found(files, read, skipped))
    }

  /** The chosen files without those, and without row groups, of which the OFFSET skips all rows; and the number of these rows. */
  private def withoutSkipped: (Seq[ChosenFile], Long) = {
    def live(one: ChosenFile): Long =
      one.rowGroups.fold(one.file.liveRows)(_.iterator.map(group => one.file.liveRowsOf(group.rows)).sum)
    val (skipped, rest) = SkippedRows.split(chosen.toSeq, offset)(live)
    val rows = skipped.iterator.map(live).sum
    rest match {
      case ChosenFile(file, Some(all)) +: others =>
        val (more, left) = SkippedRows.split(all, offset - rows)(group => file.liveRowsOf(group.rows))
        (ChosenFile(file, Some(left)) +: others, rows + live(ChosenFile(file, Some(more))))
      case _ => (rest, rows)
    }
  }

  private def found(
      files: IndexedSeq[ManifestFile],
      read: Seq[ChosenFile],
      skipped: Long
  ): ChosenFiles = {
    val counts = rowGroups.copy(files.size, inspected, bytes = ManifestFile.bytes(files))
    val nanos = System.nanoTime() - started
    val found = ChosenFiles(table.name, limit, conjuncts, read.toIndexedSeq, counts, nanos, skipped = skipped)
    if (conjuncts.isEmpty) found
    else found.copy(inspected = classify.inspected, columns = classify.columns)
  }

  /** Adds files and row groups to `chosen`. Returns why the search stopped early, if it did. */
  private def search(countable: IndexedSeq[ManifestFile]): Option[Reason] = {
    def stateOf(file: ManifestFile): MatchState =
      if (conjuncts.isEmpty) MatchState.FullyMatching
      else {
        val found = classify(file)
        found.obstacle.foreach(obstacles.add)
        found.state
      }
    val remaining = countable.iterator
    var stopped = Option.empty[Reason]
    while (rows < limit && stopped.isEmpty && remaining.hasNext) {
      Work.checkInterrupted()
      val file = remaining.next()
      inspected += 1
      stateOf(file) match {
        case MatchState.FullyMatching =>
          chosen += ChosenFile(file)
          rows += file.liveRows
        case state =>
          if (state == MatchState.PartiallyMatching) partial += file
          stopped = stop(inspected - chosen.size, System.nanoTime() - started).map(_(rows))
      }
    }
    if (rows < limit && stopped.isEmpty && conjuncts.nonEmpty) searchRowGroups()
    stopped
  }

  /** Adds row groups of partially matching files to `chosen`. */
  private def searchRowGroups(): Unit = {
    val divided = partial.toIndexedSeq.filter(classify.isWorthOpening)
    val open = new OpenFiles(table, classify.columns, footers)
    open(() => divided) { wave =>
      val before = rows
      for ((file, all) <- wave) {
        def live(rowGroup: ManifestRowGroup): Long = file.liveRowsOf(rowGroup.rows)
        val states = classify(file, all).map(_.state)
        rowGroups = rowGroups.withRowGroups(states)
        val fully = all.zip(states).collect { case (rowGroup, MatchState.FullyMatching) => rowGroup }
        val counted = fully.filter(live(_) > 0)
        val needed = counted.zip(counted.scanLeft(rows)(_ + live(_)))
          .collect { case (rowGroup, found) if found < limit => rowGroup }
        if (needed.nonEmpty) chosen += ChosenFile(file, Some(needed))
        rows += needed.iterator.map(live).sum
      }
      rows > before && rows < limit
    }
  }

  private def notEnough(files: Int): Reason = {
    val whole = chosen.filter(_.rowGroups.isEmpty).map(_.file)
    val inFiles = whole.iterator.map(_.liveRows).sum
    val rowGroups = chosen.flatMap(_.rowGroups).map(_.size).sum
    val summary = obstacles.summary(inspected, "files")
    Reason.NotEnoughRowsInFiles(inFiles, limit, whole.size, files, summary, rowGroups, rows - inFiles)
  }
}
