package limitpruning.search

import limitpruning.search.KeyTuples.Tuple
import limitpruning.select.{ListedFile, Reason, SearchCounts}

/**
 * Searches for keys that have a matching row. Partition values alone decide the keys of a file, so all rows of a group are
 * in the files of its keys. It stops when `limit` keys are found, when a wave finds none, or when the budget is used up.
 *
 * @param limit keys that the LIMIT needs, at least 1; fewer than all files have
 * @param filesOf all files of each key
 * @param refine decides more row groups of a file by metadata besides the footer
 * @param sql the keys as SQL
 */
final class WholeGroupsSearch(
    limit: Int,
    filesOf: IndexedSeq[IndexedSeq[ListedFile]],
    inputs: WaveInputs,
    refine: Seq[ClassifiedFile] => Seq[ClassifiedFile],
    sql: String
) extends WaveSearch[Seq[ListedFile]](inputs) {
  private val keyOf: Map[Int, Int] =
    (for ((files, key) <- filesOf.zipWithIndex; file <- files) yield file.position -> key).toMap
  private val bytes = filesOf.map(_.iterator.map(_.length).sum)
  private val found = collection.mutable.Set.empty[Int]
  private var isStalled = false

  /** The files that were inspected, sorted by path. */
  override def seen: Seq[ClassifiedFile] = inspectedFiles.sortBy(_.listed.path)

  override protected def what: String = "groups"

  /** Unlimited, because only files are counted. */
  override protected def missingRows: Long = Long.MaxValue
  override protected def matchingRows(file: ClassifiedFile): Long = 0

  /** One file of each key, those of the fewest bytes first; then another one of each key, and so on. */
  override protected def inOrder(files: IndexedSeq[ListedFile]): IndexedSeq[ListedFile] = {
    val rounds = for ((of, key) <- filesOf.zipWithIndex; (file, round) <- of.zipWithIndex)
      yield (round, bytes(key), key) -> file
    rounds.sortBy(_._1).map(_._2)
  }

  override protected def remaining(files: IndexedSeq[ListedFile]): IndexedSeq[ListedFile] =
    files.filterNot(file => found(keyOf(file.position)))

  override protected def add(wave: Seq[ClassifiedFile]): Seq[ClassifiedFile] = {
    val before = found.size
    val refined = refine(wave)
    for (file <- refined if file.matchingRows > 0) found += keyOf(file.listed.position)
    refined.flatMap(_.rowGroups).flatMap(_.obstacle).foreach(obstacles.add)
    isStalled = found.size == before && refined.exists(_.rowGroups.exists(!_.isDecided))
    refined
  }

  override protected def outcome(
      rest: IndexedSeq[ListedFile],
      now: SearchCounts
  ): Option[Either[Reason, Seq[ListedFile]]] =
    if (found.size >= limit)
      Some(Right(found.toSeq.sortBy(bytes(_)).take(limit).flatMap(filesOf(_)).sortBy(_.position)))
    else if (rest.isEmpty) Some(Left(notEnough(now)))
    else
      outOfMemory(found.size.toLong, limit)
        .orElse(if (isStalled) Some(notEnough(now)) else None)
        .orElse(outOfBudget(now, found.size.toLong, limit))
        .map(Left(_))

  private def notEnough(seen: SearchCounts): Reason =
    Reason.NotEnoughGroups(found.size, limit, sql, seen.filesInspected, obstacles.summary(seen.rowGroups))
}

private[search] object WholeGroupsSearch {

  /** All files by their keys; none if the keys of a file are not known before its footer is read. */
  def filesByKeys(
      files: IndexedSeq[ListedFile],
      keys: GroupKeys
  ): Option[IndexedSeq[IndexedSeq[ListedFile]]] = {
    val order = keys.orders.head
    val ends = files.iterator.map(keys.ends(_)).takeWhile(_.areEqual(order)).toVector
    if (ends.size < files.size) None
    else {
      val byKeys = collection.mutable.TreeMap.empty[Tuple, Vector[ListedFile]](order)
      for ((file, one) <- files.zip(ends))
        byKeys.update(one.from, byKeys.getOrElse(one.from, Vector.empty) :+ file)
      Some(byKeys.values.toIndexedSeq)
    }
  }
}
