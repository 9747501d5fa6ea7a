package limitpruning.search

import scala.collection.immutable.TreeSet
import scala.collection.mutable
import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.Expression

import limitpruning.predicate.Work
import limitpruning.search.KeyTuples.{Ends, Tuple}
import limitpruning.select.{DisjointRanges, Reason}

/**
 * Chooses files of a [[ManifestTable]] for GROUP BY … LIMIT and DISTINCT … LIMIT. If a group consists of its keys, these are files
 * and row groups in which every row is proved to match, and whose keys are between ends that do not overlap. Otherwise, these are all
 * files of some groups: the keys of each file are known, and of each group, a row is proved to match. Gives the reason why none are
 * chosen.
 *
 * @param scan its limit is a number of groups
 * @param keys over the table's columns; at least one
 * @param stop why the search stops, if it does, given the files that show no group, and the nanoseconds it has taken; the reason
 *   names the groups found so far
 * @param footers how many footers may be read
 */
final class ChooseGroupFiles(
    scan: LimitedScan[ManifestTable],
    keys: Seq[Expression],
    stop: (Int, Long) => Option[Long => Reason],
    footers: FooterBudget
) {
  import ChooseGroupFiles._
  import scan.{limit, table}
  import GroupsOfFiles.{Certain, Inspected}

  private val groups = new GroupsOfFiles(scan, keys, stop, footers)
  import groups.{byPartition, chosen, classify, inspect, notEnough, open, provable, tuples}

  private lazy val order = tuples.orders.head

  /** Chooses rows with distinct keys, if a group consists of its keys. */
  def distinct(): Either[Reason, ChosenFiles] = provable.flatMap { files =>
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
      chosen(oneOfEach(found.sortBy(_.bytes).take(limit)), found.size.min(limit), areAll)
    else {
      val inRowGroups =
        if (isInVain || stopped.nonEmpty || mostGroups(seen.toSeq) < limit) Nil
        else openedFor(seen.toSeq, inFiles, found.size)
      val most = found.size.max(inRowGroups.size)
      if (inRowGroups.size < limit) Left(stopped.fold(notEnough(most))(_(most.toLong)))
      else chosen(together(inRowGroups.sortBy(_.bytes).take(limit)), limit, areAll = false)
    }
  }

  /** Chooses all files that may have rows of some groups. */
  def whole(): Either[Reason, ChosenFiles] = provable.flatMap { files =>
    byPartition(files) match {
      case None => Left(Reason.GroupsNotComplete(tuples.sql, Reason.GroupsNotComplete.NotInManifests))
      case Some(known) if known.size <= limit => Left(Reason.NothingToSkip)
      case Some(known) =>
        val seen = mutable.Map.empty[Int, Inspected]
        val stopped = inspect(files) { one =>
          seen.update(one.file.position, one)
          false
        }
        val matching =
          known.map(_.flatMap(file => seen.get(file.position)).filter(_.mayMatch)).filter(_.nonEmpty)
        val certain = matching.filter(_.exists(_.isCertain)).sortBy(_.iterator.map(_.file.bytes).sum)
        if (stopped.nonEmpty) Left(stopped.get(certain.size.toLong))
        else if (matching.size <= limit) Left(Reason.NothingToSkip)
        else if (certain.size < limit) Left(notEnough(certain.size))
        else {
          val read = certain.take(limit).flatten.map(one => ChosenFile(one.file))
          chosen(read.sortBy(_.file.position), limit, areAll = false)
        }
    }
  }

  /** First one file of each tuple, then another one, if each file has one; otherwise files of the same manifest. */
  private def inOrder(files: IndexedSeq[ManifestFile]): IndexedSeq[ManifestFile] =
    byPartition(files).fold(files)(_.flatMap(_.zipWithIndex).sortBy(_._2).map(_._1))

  private def certainIn(seen: Seq[Inspected]): Seq[Certain] =
    seen.flatMap(one => one.certain.map(Certain(one.file, None, _)))

  /** As many as are in different groups. Of equal ones, Iceberg reads the deletes of those with deleted rows, too. */
  private def groupsOf(certain: Seq[Certain]): Seq[Certain] = {
    val cheapest = certain.sortBy(one => (!one.file.deletedRows.contains(0L), one.bytes))
    def in(order: Ordering[Tuple]) = {
      Work.checkInterrupted()
      DisjointRanges.of(cheapest)(one => (one.ends.from, one.ends.to))(order)
    }
    var most = in(tuples.orders.head)
    // Another order may show more groups. In each, all files are sorted.
    val others = tuples.orders.iterator.drop(1)
    while (most.size < limit && footers.deadline.hasTimeLeft() && others.hasNext) {
      val found = in(others.next())
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

  private def together(found: Seq[Certain]): IndexedSeq[ChosenFile] =
    found.groupBy(_.file.position).toIndexedSeq.sortBy(_._1).map { case (_, of) =>
      val parts = of.flatMap(_.rowGroup).sortBy(_.ordinal)
      ChosenFile(of.head.file, if (parts.size < of.size) None else Some(parts))
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
}
