package limitpruning.search

import scala.concurrent.duration.Deadline

import limitpruning.parquet.{ColumnPages, PageIndexReader, PartOfFile, RowGroupDetails, Storage}
import limitpruning.predicate.{Evaluator, Expectation, RowUnit}
import limitpruning.predicate.Expectation.{EachValue, ShortRange}
import limitpruning.select.RowRange

/**
 * Decides row groups that the footer leaves undecided, by dictionaries and bloom filters, then by pages. It inspects
 * them in order, as long as rows are missing, bytes and time are left, row groups can be decided, and what is read in vain
 * is little compared with what the scan would read. One instance per search.
 *
 * @param narrow decides whether some rows of a row group can be read without the others
 * @param maxBytes maximum bytes to read for one LIMIT
 * @param deadline no row group is inspected after it: each row group may take several requests, one after the other
 * @param prefetch reads parts of files at the same time
 * @param unproved what earlier queries with such a predicate read in vain
 */
final class RefineRowGroups(
    classify: ClassifyRowGroups,
    storage: Storage,
    narrow: NarrowRowGroups,
    maxBytes: Long,
    deadline: Deadline,
    prefetch: Seq[PartOfFile] => Unit = _ => (),
    unproved: UnprovedForm = UnprovedForm.none
) {
  import RefineRowGroups._

  private var bytesLeft = maxBytes
  // Row groups in succession that were read in vain, and those about which nothing was read.
  private var inVain, unread = 0
  // Bytes that were read since a row group was decided, and the bytes that the scan would have read instead.
  private var bytesInVain, bytesOfScan = 0L
  private val ahead = new ReadAhead(parts => prefetch(PartOfFile.within(bytesLeft, parts)))

  /** Announces files that are refined next, in this order, so that parts of several files are read at the same time. */
  def expect(files: Seq[ClassifiedFile]): Unit = if (classify.hasPredicate)
    ahead.expect(for {
      file <- files if file.isComplete
      ordinal <- file.rowGroups.indices
      if isUndecided(file.rowGroups(ordinal))
    } yield (file, ordinal))

  /**
   * @param needed rows that are missing before the first row group of this file
   * @return the file with more of its row groups decided
   */
  def apply(file: ClassifiedFile, needed: Long): ClassifiedFile = classify.evaluator match {
    case Some(evaluator) if file.isComplete && file.rowGroups.exists(isUndecided) =>
      val refiner = new FileRefiner(file, evaluator)
      try file.withRowGroups(refiner.refined(needed))
      finally refiner.close()
    case _ => file
  }

  /** The dictionaries and bloom filters that are read first for a row group. No I/O. */
  private def valueParts(file: ClassifiedFile, ordinal: Int): Seq[PartOfFile] = {
    val details = detailsOf(file)
    val known = file.known(ordinal)
    classify.undecidedColumns(known).flatMap(i =>
      details.firstPart(classify.columns(i), ordinal, known.facts(i))
    )
  }

  /** The parts of the page index that are read for a row group. No I/O. */
  private def pageParts(file: ClassifiedFile, ordinal: Int): Seq[PartOfFile] = {
    val indexes = indexesOf(file)
    classify.undecidedColumns(file.known(ordinal)).flatMap { column =>
      ColumnPages.parts(file.facts, indexes, classify.columns(column), ordinal)
    }
  }

  /** Those that are read together with dictionaries: on remote storage, a second round of requests takes longer than the bytes. */
  private def pagePartsAtOnce(file: ClassifiedFile, ordinal: Int): Seq[PartOfFile] =
    if (PrefetchParts.isLocal(file.listed.status) || !narrow.isPossible(file.footer, ordinal)) Nil
    else pageParts(file, ordinal)

  private def detailsOf(file: ClassifiedFile): RowGroupDetails =
    new RowGroupDetails(file.listed.status, file.footer, file.facts, storage, math.min(maxBytes, LargestPart))

  private def indexesOf(file: ClassifiedFile): PageIndexReader =
    new PageIndexReader(file.listed.status, file.footer, storage, bytesLeft)

  /** The inspection of one file. */
  private final class FileRefiner(file: ClassifiedFile, evaluator: Evaluator) {
    private val details = detailsOf(file)
    private val indexes = indexesOf(file)
    // Whether nothing is read about the last row group because it is not expected to decide it.
    private var isRefused = false

    def close(): Unit = {
      bytesLeft -= bytesRead
      classify.work.addDecoded(details.valuesDecoded)
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

    private def pays: Boolean = bytesRead < bytesLeft && deadline.hasTimeLeft() && inVain < MostInVain &&
      unread < MostUnread && !classify.work.isUsedUp

    private def refine(rowGroup: ClassifiedRowGroup, ordinal: Int): ClassifiedRowGroup = {
      bytesOfScan += narrow.bytes(file.footer, ordinal)
      unread += 1
      if (!isCheap(ordinal)) rowGroup
      else if (unproved.mayRead(file.listed)) refineByReading(rowGroup, ordinal)
      else {
        unread = MostUnread
        rowGroup
      }
    }

    /** Whether reading about the row group takes little compared with scanning what is not decided. No I/O. */
    private def isCheap(ordinal: Int): Boolean = {
      val known = file.known(ordinal)
      val parts = classify.undecidedColumns(known).flatMap { column =>
        val leaf = classify.columns(column)
        details.firstPart(leaf, ordinal, known.facts(column)) ++
          ColumnPages.parts(file.facts, indexes, leaf, ordinal)
      }
      bytesInVain + parts.map(_.length).sum <= AlwaysInVain.max(bytesOfScan / LeastScanned)
    }

    private def refineByReading(rowGroup: ClassifiedRowGroup, ordinal: Int): ClassifiedRowGroup = {
      val before = bytesRead
      isRefused = false
      val (byValues, unit) = refineByValues(rowGroup, ordinal)
      val refined = if (isUndecided(byValues)) refineByPages(byValues, ordinal, unit) else byValues
      if (bytesRead > before) unread = 0
      if (!isUndecided(refined) || refined.matching.nonEmpty) {
        inVain = 0
        unread = 0
        bytesInVain = 0
        bytesOfScan = 0
        if (bytesRead > before) unproved.decided()
      } else if (bytesRead > before) {
        inVain += 1
        bytesInVain += bytesRead - before
        // What could not be read, or not within the budget, may prove something the next time.
        if (!details.hasFailed && !indexes.hasFailed && !classify.work.isUsedUp)
          unproved.readInVain()
      } else if (isRefused) inVain += 1
      refined
    }

    /** Reads nothing unless dictionaries and bloom filters can decide all undecided conjuncts. */
    private def refineByValues(rowGroup: ClassifiedRowGroup, ordinal: Int): (ClassifiedRowGroup, RowUnit) = {
      val known = file.known(ordinal)
      if (mayBeDecided(known, valuesOf(_, ordinal, known))) {
        ahead.values(file, ordinal)((next, row) => valueParts(next, row) ++ pagePartsAtOnce(next, row))
        val helpful = evaluator.undecided(known).flatten.toSet
        val unit = new DetailedFacts(known, classify.columns, helpful, ordinal, details)
        (classify.classify(rows(ordinal), unit).copy(by = Layer.Values), unit)
      } else (rowGroup, known)
    }

    /** Reads nothing unless pages can decide all undecided conjuncts. */
    private def refineByPages(
        rowGroup: ClassifiedRowGroup,
        ordinal: Int,
        known: RowUnit
    ): ClassifiedRowGroup = {
      // If all values of a column are known, there are few, and a page may have one of them.
      def expected(column: Int): Option[Expectation] =
        if (ColumnPages.exist(file.facts, indexes, classify.columns(column), ordinal))
          valuesOf(column, ordinal, known).orElse(Some(ShortRange))
        else None
      if (narrow.isPossible(file.footer, ordinal) && mayBeDecided(known, expected)) {
        ahead.pages(file, ordinal)(pageParts)
        val pages = evaluator.undecided(known).flatten.distinct.flatMap { column =>
          ColumnPages.of(file.facts, indexes, classify.columns(column), ordinal).map(column -> _)
        }
        ClassifyPages(
          evaluator,
          classify.work,
          classify.columns,
          rows(ordinal),
          known,
          pages.toMap,
          rowGroup
        )
          .copy(by = Layer.Pages)
      } else rowGroup
    }

    /**
     * Whether there is something about each undecided conjunct that may decide it.
     *
     * @param expected what it is expected to say about a column; none if there is nothing about the column
     */
    private def mayBeDecided(known: RowUnit, expected: Int => Option[Expectation]): Boolean =
      evaluator.undecided(known).forall(_.exists(expected(_).nonEmpty)) && {
        val may = evaluator.mayBeDecided(known)(expected)
        isRefused ||= !may
        may
      }

    /** What dictionaries and bloom filters say about a column. */
    private def valuesOf(column: Int, ordinal: Int, known: RowUnit): Option[Expectation] =
      if (details.exist(classify.columns(column), ordinal, known.facts(column))) Some(EachValue) else None

    private def rows(ordinal: Int): Long = file.footer.rowGroups(ordinal).getRowCount
  }
}

private object RefineRowGroups {

  /** After this many consecutive row groups that were read in vain, no further one is read. */
  private val MostInVain = ReadAhead.First

  /** After so many consecutive row groups about which there is nothing to read, no further one is looked at. */
  private val MostUnread = 1024

  /** Bytes that are read in vain are at most one in this many bytes that the scan reads. */
  private val LeastScanned = 20L

  /** These bytes are read in vain even if the scan reads little. */
  private val AlwaysInVain = 1024L * 1024

  /** Maximum bytes of one dictionary or bloom filter. */
  private val LargestPart = 1024L * 1024

  private def isUndecided(rowGroup: ClassifiedRowGroup): Boolean = !rowGroup.isDecided
}
