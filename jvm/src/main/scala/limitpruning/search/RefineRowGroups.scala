package limitpruning.search

import scala.concurrent.duration.Deadline

import limitpruning.parquet.{ColumnPages, PageIndexReader, RowGroupDetails, Storage}
import limitpruning.predicate.{Evaluator, RowUnit}
import limitpruning.select.RowRange

/**
 * Decides row groups that the footer leaves undecided, by dictionaries and bloom filters, then by pages. It inspects
 * them in order, as long as rows are missing, bytes and time are left, and row groups can be decided. One instance per
 * search.
 *
 * @param narrow decides whether some rows of a row group can be read without the others
 * @param maxBytes maximum bytes to read for one LIMIT
 * @param deadline no row group is inspected after it: each row group may take several requests, one after the other
 */
final class RefineRowGroups(
    classify: ClassifyRowGroups,
    storage: Storage,
    narrow: NarrowRowGroups,
    maxBytes: Long,
    deadline: Deadline
) {
  import RefineRowGroups._

  private var bytesLeft = maxBytes
  private var inVain = 0

  /**
   * @param needed rows that are missing before the first row group of this file
   * @return the file with more of its row groups decided
   */
  def apply(file: ClassifiedFile, needed: Long): ClassifiedFile = classify.evaluator match {
    case Some(evaluator) if file.isBelieved && file.rowGroups.exists(isUndecided) =>
      val refiner = new FileRefiner(file, evaluator)
      try file.withRowGroups(refiner.refined(needed))
      finally refiner.close()
    case _ => file
  }

  /** The inspection of one file. */
  private final class FileRefiner(file: ClassifiedFile, evaluator: Evaluator) {
    private val status = file.listed.status
    private val details =
      new RowGroupDetails(status, file.footer, file.facts, storage, math.min(maxBytes, LargestPart))
    private val indexes = new PageIndexReader(status, file.footer, storage, bytesLeft)

    def close(): Unit = {
      bytesLeft -= bytesRead
      details.close()
      indexes.close()
    }

    def refined(needed: Long): IndexedSeq[ClassifiedRowGroup] = {
      var found = 0L
      file.rowGroups.zipWithIndex.map { case (rowGroup, ordinal) =>
        val refined =
          if (isUndecided(rowGroup) && found < needed && pays) refine(rowGroup, ordinal) else rowGroup
        found += RowRange.rowsOf(refined.matching)
        refined
      }
    }

    private def bytesRead: Long = details.bytesRead + indexes.bytesRead

    private def pays: Boolean = bytesRead < bytesLeft && deadline.hasTimeLeft() && inVain < MostInVain

    private def refine(rowGroup: ClassifiedRowGroup, ordinal: Int): ClassifiedRowGroup = {
      val before = bytesRead
      val (byValues, unit) = refineByValues(rowGroup, ordinal)
      val refined = if (isUndecided(byValues)) refineByPages(byValues, ordinal, unit) else byValues
      if (!isUndecided(refined) || refined.matching.nonEmpty) inVain = 0
      else if (bytesRead > before) inVain += 1
      refined
    }

    /** Reads nothing unless dictionaries and bloom filters can decide all undecided conjuncts. */
    private def refineByValues(rowGroup: ClassifiedRowGroup, ordinal: Int): (ClassifiedRowGroup, RowUnit) = {
      val known = file.known(ordinal)
      val undecided = evaluator.undecided(known)
      if (undecided.forall(_.exists(column => details.exist(classify.columns(column), ordinal)))) {
        val unit = new DetailedFacts(known, classify.columns, undecided.flatten.toSet, ordinal, details)
        (classify.classify(rows(ordinal), unit).copy(by = Layer.Values), unit)
      } else (rowGroup, known)
    }

    /** Reads nothing unless pages can decide all undecided conjuncts. */
    private def refineByPages(
        rowGroup: ClassifiedRowGroup,
        ordinal: Int,
        known: RowUnit
    ): ClassifiedRowGroup = {
      def exist(column: Int): Boolean =
        ColumnPages.exist(file.facts, indexes, classify.columns(column), ordinal)
      val undecided = evaluator.undecided(known)
      if (narrow.isPossible(file.footer, indexes, ordinal) && undecided.forall(_.exists(exist))) {
        val pages = undecided.flatten.distinct.flatMap { column =>
          ColumnPages.of(file.facts, indexes, classify.columns(column), ordinal).map(column -> _)
        }
        ClassifyPages(evaluator, classify.columns, rows(ordinal), known, pages.toMap, rowGroup)
          .copy(by = Layer.Pages)
      } else rowGroup
    }

    private def rows(ordinal: Int): Long = file.footer.rowGroups(ordinal).getRowCount
  }
}

private object RefineRowGroups {

  /** After this many consecutive row groups that were read in vain, no further one is read. */
  private val MostInVain = 8

  /** Maximum bytes of one dictionary or bloom filter. */
  private val LargestPart = 1024L * 1024

  private def isUndecided(rowGroup: ClassifiedRowGroup): Boolean = !rowGroup.isDecided
}
