package limitpruning.search

import scala.collection.mutable
import scala.concurrent.duration.Deadline

import limitpruning.parquet.{ColumnPages, PageIndexReader, PartOfFile, Storage}
import limitpruning.predicate.{MatchState, RowUnit}
import limitpruning.select.{RowRange, Threshold}

/**
 * Inspects the pages of the row groups that the threshold does not skip, best first, as long as bytes are left and
 * pages can be skipped. Pages give a better threshold, and pages that sort after it are skipped. One instance per
 * search.
 *
 * @param narrow decides whether some rows of a row group can be read without the others
 * @param maxBytes maximum bytes of page indexes to read for one LIMIT
 * @param deadline no row group is inspected after it
 * @param prefetch reads parts of files at the same time
 */
final class RefineTopRows(
    limit: Int,
    key: KeyFacts,
    classify: ClassifyRowGroups,
    storage: Storage,
    narrow: NarrowRowGroups,
    maxBytes: Long,
    deadline: Deadline,
    prefetch: Seq[PartOfFile] => Unit = _ => ()
) {
  import RefineTopRows._

  private val threshold = new Threshold(limit.toLong, key.order)
  private var tried, inVain = 0
  private val ahead = new ReadAhead(prefetch)
  private val readers = mutable.Map.empty[ClassifiedFile, PageIndexReader]

  /** @return what was found, with fewer rows of some row groups, or with fewer row groups */
  def apply(found: FoundTopRows): FoundTopRows =
    try refined(found)
    finally readers.values.foreach(_.close())

  private def refined(found: FoundTopRows): FoundTopRows = {
    def isBehind(best: Option[Any]): Boolean = found.threshold.excludes(best) || threshold.excludes(best)
    ahead.expect(() => found.candidates.iterator.map(c => (c.file, c.rowGroup)).take(MostRowGroups).toVector)
    val looked = found.candidates.map { candidate =>
      val parts = if (!pays || isBehind(candidate.best)) None else partsOf(candidate)
      parts match {
        case Some(parts) =>
          parts.foreach(part => part.certain.foreach(threshold.add(_, part.range.rows)))
          if (!parts.exists(part => isBehind(part.best))) inVain += 1
        case None => certain(candidate).foreach { case (place, rows) => threshold.add(place, rows) }
      }
      (candidate, parts)
    }
    val kept = looked.map { case (candidate, parts) =>
      candidate.copy(ranges =
        parts.fold(candidate.ranges)(_.filterNot(part => isBehind(part.best)).map(_.range))
      )
    }.filter(candidate => candidate.ranges.nonEmpty && !isBehind(candidate.best))
    val better = if (threshold.place.exists(place => found.threshold.place.forall(key.order.lteq(place, _))))
      threshold
    else found.threshold
    val unseen = found.unseen.filterNot(file => isBehind(key.best(file)))
    val dropped = found.dropped + found.candidates.size - kept.size
    found.copy(candidates = kept, unseen = unseen, threshold = better, dropped = dropped)
  }

  private def certain(candidate: Candidate): Seq[(Any, Long)] =
    if (candidate.file.rowGroups(candidate.rowGroup).state != MatchState.FullyMatching) Nil
    else key.certain(candidate.file, candidate.rowGroup)

  private def pays: Boolean =
    tried < MostRowGroups && inVain < MostInVain && readers.size < MostFiles && deadline.hasTimeLeft() &&
      readers.values.map(_.bytesRead).sum < maxBytes

  /** None if the row group has no usable page statistics, or if reading them does not pay. */
  private def partsOf(candidate: Candidate): Option[Seq[Part]] = {
    tried += 1
    val file = candidate.file
    val indexes = readers.getOrElseUpdate(
      file,
      new PageIndexReader(file.listed.status, file.footer, storage, maxBytes)
    )
    def exist(column: Int): Boolean =
      ColumnPages.exist(file.facts, indexes, classify.columns(column), candidate.rowGroup)
    val isWorthIt = key.columns.exists(exist) &&
      narrow.isPossible(file.footer, candidate.rowGroup) &&
      narrow.isLarge(file.footer, candidate.rowGroup)
    if (!file.isComplete || !isWorthIt) None
    else {
      val known = file.known(candidate.rowGroup)
      ahead.pages(file, candidate.rowGroup)(pageParts)
      val pages = (key.columns ++ classify.undecidedColumns(known)).distinct.flatMap { column =>
        ColumnPages.of(file.facts, indexes, classify.columns(column), candidate.rowGroup).map(column -> _)
      }.toMap
      val rows = file.footer.rowGroups(candidate.rowGroup).getRowCount
      if (pages.isEmpty) None
      else Some(for (
        (range, unit) <- ClassifyPages.units(classify.work, classify.columns, rows, known, pages);
        part <- part(file, range, unit)
      )
        yield part)
    }
  }

  /** The parts of the page index that are read for a row group. No I/O. */
  private def pageParts(file: ClassifiedFile, rowGroup: Int): Seq[PartOfFile] = {
    val indexes = new PageIndexReader(file.listed.status, file.footer, storage, maxBytes)
    (key.columns ++ classify.undecidedColumns(file.known(rowGroup))).distinct.flatMap { column =>
      ColumnPages.parts(file.facts, indexes, classify.columns(column), rowGroup)
    }
  }

  /** None if no row of the range matches. */
  private def part(file: ClassifiedFile, range: RowRange, unit: RowUnit): Option[Part] = {
    val (best, worst) = key.ends(file, unit)
    classify.classify(range.rows, unit).state match {
      case MatchState.NotMatching => None
      case MatchState.PartiallyMatching => Some(Part(range, best, None))
      case MatchState.FullyMatching => Some(Part(range, best, worst))
    }
  }
}

private object RefineTopRows {

  /** After this many row groups without a skipped page, no more pages are inspected. */
  private val MostInVain = 2

  /** Maximum number of row groups whose pages are inspected. */
  private val MostRowGroups = 64

  /** Maximum number of files whose page indexes are read. The best row groups determine the threshold. */
  private val MostFiles = 16

  /**
   * Some rows of a row group.
   *
   * @param best the best key value that one of them may have; none if any value is possible
   * @param certain the key value that all of them are certain to reach; none if not all of them are proved to match,
   *   or if there is no such value
   */
  private final case class Part(range: RowRange, best: Option[Any], certain: Option[Any])
}
