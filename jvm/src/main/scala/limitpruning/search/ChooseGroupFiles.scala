package limitpruning.search

import scala.collection.immutable.TreeSet
import scala.collection.mutable
import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.Expression

import limitpruning.predicate.{LeafColumn, MatchState, Obstacle, Unprovable, Values, Work}
import limitpruning.search.KeyTuples.{Ends, Tuple}
import limitpruning.select.{DisjointRanges, Groups, Reason, SearchCounts}

/**
 * Chooses files of a [[ManifestTable]] for GROUP BY … LIMIT and DISTINCT … LIMIT. If a group consists of its keys, these are files
 * and row groups in which every row is proved to match, and whose keys are between ends that do not overlap. Otherwise, these are all
 * files of some groups: the keys of each file are known, and of each group, a row is proved to match. Gives the reason why none are
 * chosen.
 *
 * @param limit groups that the LIMIT needs, at least 1
 * @param keys over the table's columns; at least one
 * @param stop why the search stops, if it does, given the files that show no group, and the nanoseconds it has taken; the reason
 *   names the groups found so far
 * @param footers how many footers may be read
 */
final class ChooseGroupFiles(
    limit: Int,
    conjuncts: Seq[Expression],
    keys: Seq[Expression],
    table: ManifestTable,
    stop: (Int, Long) => Option[Long => Reason],
    footers: FooterBudget
) {
  import ChooseGroupFiles._

  private val started = System.nanoTime()
  private val columns = LeafColumn.inAll(KeyTuples.compared(keys))
  private lazy val classify = new ClassifyFiles(conjuncts, columns, table, footers.deadline)
  private lazy val tuples = new KeyTuples(keys, classify.columns)
  private lazy val order = tuples.orders.head
  private val obstacles = new ObstacleCounts
  private var inspected = 0
  private var inVain = 0
  private var rowGroups = SearchCounts.Zero

  /** Chooses rows with distinct keys, if a group consists of its keys. */
  def distinct(): Either[Reason, ChosenFiles] = provable(table.files).flatMap { files =>
    val seen = ArrayBuffer.empty[Inspected]
    val mostInParts = files.iterator.map(_.parts).sum
    var before = Progress(0, 0)
    var isInVain = false
    val (whole, others) = inOrder(files).partition(_.deletedRows.contains(0L))
    val stopped = inspect(whole ++ others) { one =>
      seen += one
      // Then the groups are not all known, and each row group has one.
      isInVain = mostInParts < limit && one.mayMatch && !one.ends.areEqual(order)
      isInVain || Integer.bitCount(seen.size) == 1 && { // each time, all ranges are sorted
        val certain = certainIn(seen.toSeq)
        val found = groupsOf(certain)
        val now = Progress(certain.size, found.size)
        isInVain = seen.size >= Many && now.groups == before.groups && now.files > before.files &&
          !areFound(seen.toSeq, found)
        before = now
        now.groups >= limit || isInVain
      }
    }
    val inFiles = certainIn(seen.toSeq)
    val found = groupsOf(inFiles)
    val areAll = found.nonEmpty && found.size <= limit && seen.size == files.size &&
      areFound(seen.toSeq, found)
    if (found.size >= limit || areAll)
      chosen(files, oneOfEach(found.sortBy(_.bytes).take(limit)), found.size.min(limit), areAll)
    else {
      val inRowGroups =
        if (isInVain || stopped.nonEmpty || mostGroups(seen.toSeq) < limit) Nil
        else openedFor(seen.toSeq, inFiles, found.size)
      val most = found.size.max(inRowGroups.size)
      if (inRowGroups.size < limit) Left(stopped.fold(notEnough(most))(_(most.toLong)))
      else chosen(files, together(inRowGroups.sortBy(_.bytes).take(limit)), limit, areAll = false)
    }
  }

  /** Chooses all files that may have rows of some groups. */
  def whole(): Either[Reason, ChosenFiles] = provable(table.files).flatMap { files =>
    byPartition(files) match {
      case None => Left(Reason.GroupsNotComplete(tuples.sql, Reason.GroupsNotComplete.NotInManifests))
      case Some(known) if known.size <= limit => Left(Reason.NothingToSkip)
      case Some(known) =>
        val seen = mutable.Map.empty[Int, Inspected]
        val stopped = inspect(files) { one =>
          seen.update(one.file.position, one)
          false
        }
        val groups =
          known.map(_.flatMap(file => seen.get(file.position)).filter(_.mayMatch)).filter(_.nonEmpty)
        val certain = groups.filter(_.exists(_.isCertain)).sortBy(_.iterator.map(_.file.bytes).sum)
        if (stopped.nonEmpty) Left(stopped.get(certain.size.toLong))
        else if (groups.size <= limit) Left(Reason.NothingToSkip)
        else if (certain.size < limit) Left(notEnough(certain.size))
        else {
          val read = certain.take(limit).flatten.map(one => ChosenFile(one.file))
          chosen(files, read.sortBy(_.file.position), limit, areAll = false)
        }
    }
  }

  /**
   * The files of each tuple, if each file has one; for files that are partitioned by the keys, no manifest is read. None if the table is
   * not partitioned by them.
   */
  private def byPartition(files: IndexedSeq[ManifestFile]): Option[Vector[Vector[ManifestFile]]] =
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

  private def provable(files: IndexedSeq[ManifestFile]): Either[Reason, IndexedSeq[ManifestFile]] = {
    def noFacts = if (columns.exists(table.mayHaveFacts)) None else Some(Obstacle.NoStatistics(keys.head.sql))
    if (files.isEmpty) Left(Reason.NoFiles)
    else if (files.size == 1 && files.head.parts == 1) Left(Reason.NothingToSkip)
    else Unprovable.obstacle(conjuncts, table.mayHaveFacts).orElse(noFacts) match {
      case Some(obstacle) => Left(notEnough(0, obstacle.sentence))
      case None => Right(files)
    }
  }

  /** First one file of each tuple, then another one, if each file has one; otherwise files of the same manifest. */
  private def inOrder(files: IndexedSeq[ManifestFile]): IndexedSeq[ManifestFile] =
    byPartition(files).fold(files)(_.flatMap(_.zipWithIndex).sortBy(_._2).map(_._1))

  /**
   * Inspects `files` until `isEnough`.
   *
   * @return why the search stopped early, if it did
   */
  private def inspect(files: Seq[ManifestFile])(isEnough: Inspected => Boolean): Option[Long => Reason] = {
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

  private def certainIn(seen: Seq[Inspected]): Seq[Certain] =
    seen.flatMap(one => one.certain.map(Certain(one.file, None, _)))

  /** As many as are in different groups. Of equal ones, Iceberg reads the deletes of those with deleted rows, too. */
  private def groupsOf(certain: Seq[Certain]): Seq[Certain] = {
    val cheapest = certain.sortBy(one => (!one.file.deletedRows.contains(0L), one.bytes))
    var most = Seq.empty[Certain]
    val orders = tuples.orders.iterator
    while (most.size < limit && orders.hasNext) {
      Work.checkInterrupted()
      val found = DisjointRanges.of(cheapest)(one => (one.ends.from, one.ends.to))(orders.next())
      if (found.size > most.size) most = found
    }
    most
  }

  /** Whether each row that may match has keys that were found. */
  private def areFound(seen: Seq[Inspected], found: Seq[Certain]): Boolean = {
    val points = tuplesOf(found.map(_.ends).filter(_.areEqual(order)).map(_.from))
    seen.forall(one => !one.mayMatch || (one.ends.areEqual(order) && points(one.ends.from)))
  }

  /**
   * Of each file, one row group with a row of the group. The whole files if they are many, because each footer is read, or if nothing
   * is read of them but partition values.
   */
  private def oneOfEach(found: Seq[Certain]): IndexedSeq[ChosenFile] = {
    val divided = found.map(_.file).filter(_.parts > 1)
    val files =
      if (divided.size > footers.first || classify.columns.forall(table.isPartition)) Nil else divided
    val first = mutable.Map.empty[Int, Certain]
    val ends = found.map(one => one.file.position -> one.ends).toMap
    open(files) { wave =>
      for (
        (file, parts) <- wave; part <- parts.filter(one => isWithin(one.ends, ends(file.position))).headOption
      )
        first.update(file.position, part)
      true
    }
    together(found.map(one => first.getOrElse(one.file.position, one)))
  }

  private def isWithin(part: Ends, all: Ends): Boolean =
    tuples.orders.forall(order => order.lteq(all.from, part.from) && order.lteq(part.to, all.to))

  private def tuplesOf(points: Seq[Tuple]): TreeSet[Tuple] =
    points.foldLeft(TreeSet.empty[Tuple](order))(_ + _)

  /** At most so many groups can be certain: those of files with one tuple, and one of each row group of other files. */
  private def mostGroups(seen: Seq[Inspected]): Long = {
    val (ofOne, others) = seen.filter(_.mayMatch).partition(_.ends.areEqual(order))
    tuplesOf(ofOne.map(_.ends.from)).size + others.iterator.map(_.file.parts.toLong).sum
  }

  /**
   * Groups in row groups of files, the other files as they are.
   *
   * @param before groups that files have
   */
  private def openedFor(seen: Seq[Inspected], inFiles: Seq[Certain], before: Int): Seq[Certain] = {
    var known = Map.empty[Int, Seq[Certain]]
    var found = Seq.empty[Certain]
    var most = before
    open(seen.filter(_.mayMatch).map(_.file).filter(classify.isWorthOpening)) { wave =>
      known ++= wave.map { case (file, parts) => file.position -> parts }
      found =
        groupsOf(known.values.flatten.toSeq ++ inFiles.filterNot(one => known.contains(one.file.position)))
      val goesOn = found.size > most && found.size < limit
      most = most.max(found.size)
      goesOn
    }
    found
  }

  private def open(files: Seq[ManifestFile])(helped: Seq[(ManifestFile, Seq[Certain])] => Boolean): Unit = {
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

  private def together(found: Seq[Certain]): IndexedSeq[ChosenFile] =
    found.groupBy(_.file.position).toIndexedSeq.sortBy(_._1).map { case (_, of) =>
      val parts = of.flatMap(_.rowGroup).sortBy(_.ordinal)
      ChosenFile(of.head.file, if (parts.size < of.size) None else Some(parts))
    }

  private def chosen(
      files: IndexedSeq[ManifestFile],
      read: IndexedSeq[ChosenFile],
      certain: Int,
      areAll: Boolean
  ): Either[Reason, ChosenFiles] =
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

  private def notEnough(found: Int): Reason = notEnough(found, obstacles.summary(inspected, "files"))

  private def notEnough(found: Int, obstacles: String): Reason = {
    val metadata = if (rowGroups.rowGroups > 0) "manifests and footers" else "manifests"
    Reason.NotEnoughGroups(found, limit, tuples.sql, inspected, obstacles, metadata)
  }
}

private object ChooseGroupFiles {

  /** If twice as many files as before, so many or more, show no further group, others probably have none. */
  private val Many = 1024

  /**
   * @param files those that count
   * @param groups those that they are certain to have
   */
  private final case class Progress(files: Int, groups: Int)

  /**
   * A file.
   *
   * @param ends of the keys of all its rows
   * @param certain of the keys of at least one row, which is in the table, and matches; none if there may be none
   */
  private final case class Inspected(
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
  private final case class Certain(file: ManifestFile, rowGroup: Option[ManifestRowGroup], ends: Ends) {
    def bytes: Long = rowGroup.fold(file.bytes)(_.bytes)
  }
}
