package limitpruning.search

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.Expression

import limitpruning.predicate.{LeafColumn, MatchState, Obstacle, Unprovable, Values, Work}
import limitpruning.search.KeyTuples.{Ends, Tuple}
import limitpruning.select.{Groups, Reason, SearchCounts}

/**
 * Inspects files of a [[ManifestTable]], and their row groups, for [[ChooseGroupFiles]]: which keys their rows have, and whether a
 * row is certain to match. Not thread-safe.
 *
 * @param scan its limit is a number of groups
 * @param keys over the table's columns; at least one
 * @param stop see [[ChooseGroupFiles]]
 */
private[search] final class GroupsOfFiles(
    scan: LimitedScan[ManifestTable],
    keys: Seq[Expression],
    stop: (Int, Long) => Option[Long => Reason],
    footers: FooterBudget
) {
  import GroupsOfFiles._
  import scan.{conjuncts, limit, table}

  private val started = System.nanoTime()
  private val columns = LeafColumn.inAll(KeyTuples.compared(keys))
  lazy val classify = new ClassifyFiles(conjuncts, columns, table, footers.deadline)
  lazy val tuples = new KeyTuples(keys, classify.columns)
  private val obstacles = new ObstacleCounts
  private var inspected = 0
  private var inVain = 0
  private var rowGroups = SearchCounts.Zero

  /**
   * The files of each tuple, if each file has one; for files that are partitioned by the keys, no manifest is read. None if the table is
   * not partitioned by them.
   */
  def byPartition(files: IndexedSeq[ManifestFile]): Option[Vector[Vector[ManifestFile]]] =
    if (!columns.forall(table.isPartition)) None
    else {
      val ofKeys = LeafColumn.distinct(columns).toIndexedSeq
      val facts = table.facts(ofKeys, footers.deadline)
      val ofFile = new KeyTuples(keys, ofKeys)
      val byKeys = mutable.TreeMap.empty[Tuple, Vector[ManifestFile]](ofFile.orders.head)
      val areKnown = files.forall { file =>
        Work.checkInterrupted()
        val known = facts(file)
        val ends = ofFile.ends(ofFile.facts((ordinal: Int) => known(ordinal).known))
        val isOne = ends.areEqual(ofFile.orders.head)
        if (isOne) byKeys.update(ends.from, byKeys.getOrElse(ends.from, Vector.empty) :+ file)
        isOne
      }
      if (areKnown) Some(byKeys.values.toVector) else None
    }

  /** The files of the table, or the reason why no group can be certain. */
  def provable: Either[Reason, IndexedSeq[ManifestFile]] = {
    val files = table.files
    def noFacts = if (columns.exists(table.mayHaveFacts)) None else Some(Obstacle.NoStatistics(keys.head.sql))
    if (files.isEmpty) Left(Reason.NoFiles)
    else if (files.size == 1 && files.head.parts == 1) Left(Reason.NothingToSkip)
    else Unprovable.obstacle(conjuncts, table.mayHaveFacts).orElse(noFacts) match {
      case Some(obstacle) => Left(notEnough(0, obstacle.sentence))
      case None => Right(files)
    }
  }

  /**
   * Inspects `files` until `isEnough`.
   *
   * @return why the search stopped early, if it did
   */
  def inspect(files: Seq[ManifestFile])(isEnough: Inspected => Boolean): Option[Long => Reason] = {
    val remaining = files.iterator
    var stopped = Option.empty[Long => Reason]
    var goesOn = true
    while (goesOn && stopped.isEmpty && remaining.hasNext) {
      Work.checkInterrupted()
      val one = inspect(remaining.next())
      goesOn = !isEnough(one)
      if (!one.isCertain) inVain += 1
      stopped = stop(inVain, System.nanoTime() - started)
    }
    // The whole table was inspected, so nothing was stopped.
    stopped.filter(_ => goesOn && remaining.hasNext)
  }

  private def inspect(file: ManifestFile): Inspected = {
    inspected += 1
    val found = classify(file)
    found.obstacle.foreach(obstacles.add)
    val known = tuples.facts(found.unit)
    known.zip(tuples.names).find(_._1.values == Values.Unknown).foreach { case (_, name) =>
      obstacles.add(Obstacle.NoStatistics(name))
    }
    Inspected(file, found.state, tuples.ends(known), certain(file, found, file.rows))
  }

  /** The ends of the keys of at least one row of a file or of a row group, which is in the table, and matches; none if there may be none. */
  private def certain(file: ManifestFile, found: ClassifiedRows, rows: Long): Option[Ends] = {
    val live = file.liveRowsOf(rows)
    if (found.state != MatchState.FullyMatching || live == 0) None
    else {
      val known = tuples.facts(found.unit)
      // Deleted rows may have been any. So of live rows, as many may have nulls as of all rows.
      val some = tuples.withoutNulls(known, live)(found.facts(_).nullCount)
      Some(tuples.ends(some.getOrElse(known)))
    }
  }

  /**
   * Reads footers of `files` in waves.
   *
   * @param helped takes what is certain about the row groups of one wave; whether there should be another wave
   */
  def open(files: Seq[ManifestFile])(helped: Seq[(ManifestFile, Seq[Certain])] => Boolean): Unit = {
    val waves = new OpenFiles(table, classify.columns, footers)
    waves(() => files) { wave =>
      helped(wave.map { case (file, all) =>
        val states = classify(file, all)
        rowGroups = rowGroups.withRowGroups(states.map(_.state))
        file -> all.zip(states).flatMap { case (rowGroup, rows) =>
          certain(file, rows, rowGroup.rows).map(Certain(file, Some(rowGroup), _))
        }
      })
    }
  }

  /** What is read, or why nothing is skipped. */
  def chosen(
      read: IndexedSeq[ChosenFile],
      certain: Int,
      areAll: Boolean
  ): Either[Reason, ChosenFiles] = {
    val files = table.files
    if (read.count(_.rowGroups.isEmpty) == files.size) Left(Reason.NothingToSkip)
    else Right(ChosenFiles(
      table.name,
      limit,
      conjuncts,
      read,
      rowGroups.copy(files.size, inspected, bytes = ManifestFile.bytes(files)),
      System.nanoTime() - started,
      inspected = classify.inspected,
      columns = classify.columns,
      groups = Some(Groups(tuples.sql, certain, areAll))
    ))
  }

  def notEnough(found: Int): Reason = notEnough(found, obstacles.summary(inspected, "files"))

  private def notEnough(found: Int, obstacles: String): Reason = {
    val metadata = if (rowGroups.rowGroups > 0) "manifests and footers" else "manifests"
    Reason.NotEnoughGroups(found, limit, tuples.sql, inspected, obstacles, metadata)
  }
}

private[search] object GroupsOfFiles {

  /**
   * A file.
   *
   * @param ends of the keys of all its rows
   * @param certain of the keys of at least one row, which is in the table, and matches; none if there may be none
   */
  final case class Inspected(
      file: ManifestFile,
      state: MatchState,
      ends: Ends,
      certain: Option[Ends]
  ) {
    def mayMatch: Boolean = state != MatchState.NotMatching
    def isCertain: Boolean = certain.nonEmpty
  }

  /**
   * Rows of which at least one is in the table, and matches.
   *
   * @param rowGroup none for the whole file
   * @param ends of the keys of at least one of these rows
   */
  final case class Certain(file: ManifestFile, rowGroup: Option[ManifestRowGroup], ends: Ends) {
    def bytes: Long = rowGroup.fold(file.bytes)(_.bytes)
  }
}
