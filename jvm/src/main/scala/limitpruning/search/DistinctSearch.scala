package limitpruning.search

import java.util.IdentityHashMap

import scala.collection.mutable.ArrayBuffer

import limitpruning.predicate.Work
import limitpruning.search.KeyTuples.{Ends, Tuple}
import limitpruning.select.{DisjointRanges, ListedFile, MatchingRows, Reason, SearchCounts}

/**
 * Rows with distinct keys.
 *
 * @param rows the rows, by file, in reading order
 * @param groups number of distinct keys that they are certain to have
 * @param areAll whether all rows that match have one of these keys
 */
final case class FoundGroups(rows: Seq[(ClassifiedFile, Seq[MatchingRows])], groups: Int, areAll: Boolean)

/**
 * Searches for rows with distinct keys: rows of row groups whose keys are between ends that do not overlap. It stops when
 * `limit` keys are found, when all other rows have a key that was found, when a wave finds none, or when the budget is
 * used up.
 *
 * @param limit keys that the LIMIT needs, at least 1
 * @param refine decides more row groups of a file by metadata besides the footer
 * @param narrow reads more about the keys in the files of a wave
 * @param occurring counts keys that rows of whole row groups have
 */
final class DistinctSearch(
    limit: Int,
    keys: GroupKeys,
    inputs: WaveInputs,
    refine: Seq[ClassifiedFile] => Seq[ClassifiedFile],
    narrow: Seq[ClassifiedFile] => Seq[ClassifiedFile],
    occurring: Option[OccurringKeys] = None
) extends WaveSearch[FoundGroups](inputs) {
  import DistinctSearch._

  private val order = keys.orders.head
  private val certain = ArrayBuffer.empty[Certain]
  // The keys of rows that may match.
  private var areAllEqual = true
  private val possible = collection.mutable.TreeSet.empty[Tuple](order)
  private var found: Seq[Certain] = Nil
  private var isStalled = false
  private val endsOfFile = new IdentityHashMap[ListedFile, Ends]
  private var mayHaveOneKey = true

  /** The files that were inspected, sorted by path. */
  override def seen: Seq[ClassifiedFile] = inspectedFiles.sortBy(_.listed.path)

  override protected def what: String = "groups"

  /** Unlimited, because a file may have no key that other files do not have. */
  override protected def missingRows: Long = Long.MaxValue
  override protected def matchingRows(file: ClassifiedFile): Long = 0

  private def ends(file: ListedFile): Ends = endsOfFile.computeIfAbsent(file, keys.ends(_))

  /** Whether all rows of a file have the same key, which is known before the footer is read. */
  private def hasOneKey(file: ListedFile): Boolean = mayHaveOneKey && ends(file).areEqual(order)

  /**
   * First one file of each key that partition values alone decide. Neighbours in the order of paths often have the same
   * keys, so each wave has files from all parts of the table.
   */
  override protected def inOrder(files: IndexedSeq[ListedFile]): IndexedSeq[ListedFile] = {
    // Partition values decide the keys of all files, or of none. What is known by a log is known of similar files, too.
    mayHaveOneKey = files.iterator.take(FewFiles).exists(hasOneKey)
    val spread = files.indices.sortBy(i => (Integer.reverse(i) >>> 1, i)).map(files(_))
    val (known, unknown) = spread.partition(hasOneKey)
    val times = collection.mutable.TreeMap.empty[Tuple, Int](order)
    val rounds = known.map { file =>
      val round = times.getOrElse(ends(file).from, 0)
      times.update(ends(file).from, round + 1)
      file -> round
    }
    rounds.sortBy(_._2).map(_._1) ++ unknown
  }

  /** Without the files in which all rows have a key that was found. */
  override protected def remaining(files: IndexedSeq[ListedFile]): IndexedSeq[ListedFile] =
    files.filterNot(file => hasOneKey(file) && isFound(ends(file).from))

  override protected def add(wave: Seq[ClassifiedFile]): Seq[ClassifiedFile] = {
    val refined = narrow(refine(wave))
    val before = found.size
    for (file <- refined; rowGroup <- file.rowGroups.indices if file.mayMatch(rowGroup)) {
      Work.checkInterrupted()
      val all = keys.ends(file, rowGroup)
      if (all.areEqual(order)) possible += all.from else areAllEqual = false
      file.rowGroups(rowGroup).obstacle.orElse(keys.obstacle(file, rowGroup)).foreach(obstacles.add)
    }
    for (file <- refined; matching <- file.matching; (ends, rows) <- keys.certain(file, matching))
      certain += Certain(certain.size, file, rows, ends)
    found = keys.orders.iterator.map(DisjointRanges.of(certain.toSeq)(one => (one.ends.from, one.ends.to))(_))
      .toVector.sortBy(-_.size).headOption.getOrElse(Nil)
    points = found.filter(_.ends.areEqual(order)).map(_.ends.from)
      .foldLeft(collection.immutable.TreeSet.empty[Tuple](order))(_ + _)
    isStalled = found.size == before && !isEachFound
    if (found.size < limit && !areAllEqual) occurring.foreach(_.add(refined))
    refined
  }

  // The keys of which a row was found.
  private var points = collection.immutable.TreeSet.empty[Tuple](order)

  private def isFound(tuple: Tuple): Boolean = points.contains(tuple)

  /** Whether each inspected row that may match has a key that was found. */
  private def isEachFound: Boolean = areAllEqual && possible.forall(isFound)

  override protected def outcome(
      rest: IndexedSeq[ListedFile],
      now: SearchCounts
  ): Option[Either[Reason, FoundGroups]] = {
    val areAll = rest.isEmpty && isEachFound
    val occur = if (found.size >= limit || areAll) None else occurring.flatMap(_.found)
    if (found.size >= limit || areAll) Some(Right(result(areAll && found.size <= limit)))
    // Otherwise, all of the table is read anyway.
    else if (occur.exists(groups => rest.nonEmpty || groups.rows.map(_._2.size).sum < now.matched))
      occur.map(Right(_))
    else if (rest.isEmpty) Some(Left(notEnough(now)))
    else
      outOfMemory(found.size.toLong, limit)
        .orElse(if (isStalled) Some(notEnough(now)) else None)
        .orElse(outOfBudget(now, found.size.toLong, limit))
        .map(Left(_))
  }

  private def notEnough(seen: SearchCounts): Reason =
    Reason.NotEnoughGroups(
      found.size.max(occurring.fold(0)(_.most)),
      limit,
      keys.sql,
      seen.filesInspected,
      obstacles.summary(seen.rowGroups)
    )

  private def result(areAll: Boolean): FoundGroups = {
    // Those that were found first are in the fewest files.
    val needed = found.sortBy(_.number).take(limit)
    val byFile = needed.groupBy(_.file).toSeq.map { case (file, of) =>
      file -> of.map(_.rows).sortBy(_.ordinal)
    }
    FoundGroups(byFile.sortBy { case (file, _) => file.listed.position }, needed.size, areAll)
  }
}

private object DistinctSearch {

  /** The files that show whether the keys of files are known before their footers are read. */
  private val FewFiles = 16

  /**
   * Rows that match.
   *
   * @param number how many others were found before
   * @param ends the keys of at least one of the rows are between these
   */
  final case class Certain(number: Int, file: ClassifiedFile, rows: MatchingRows, ends: Ends)
}
