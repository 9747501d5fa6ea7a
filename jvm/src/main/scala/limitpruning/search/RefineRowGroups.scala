package limitpruning.search

import scala.collection.mutable
import scala.concurrent.duration.Deadline

import limitpruning.parquet.{ColumnPages, FileId, PageIndexReader, PartOfFile, RowGroupDetails, Storage}
import limitpruning.predicate.{Evaluator, Expectation, RowUnit, Values}
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
 * @param unproved what earlier queries did in vain
 * @param vain what this search reads in vain
 */
final class RefineRowGroups(
    classify: ClassifyRowGroups,
    storage: Storage,
    narrow: NarrowRowGroups,
    maxBytes: Long,
    deadline: Deadline,
    prefetch: Seq[PartOfFile] => Unit = _ => (),
    unproved: UnprovedForm = UnprovedForm.none,
    vain: ReadInVain = new ReadInVain(isOneTask = false)
) {
  import RefineRowGroups._

  private val partsOf = new PartsOfRowGroups(classify, storage)
  private var bytesLeft = maxBytes
  // Row groups in succession that were read in vain, and those about which nothing was read.
  private var inVain, unread = 0
  private val ahead = new ReadAhead(
    parts => prefetch(PartOfFile.within(bytesLeft, parts)),
    first = if (vain.isOneTask) 1 else ReadAhead.First
  )

  /** Announces files that are refined next, in this order, so that parts of several files are read at the same time. */
  def expect(files: Seq[ClassifiedFile]): Unit = if (classify.hasPredicate)
    ahead.expect(() =>
      for {
        file <- files if file.isComplete
        ordinal <- file.rowGroups.indices
        if isUndecided(file.rowGroups(ordinal))
      } yield (file, ordinal)
    )

  /**
   * @param needed rows that are missing before the first row group of this file
   * @return the file with more of its row groups decided
   */
  def apply(file: ClassifiedFile, needed: Long): ClassifiedFile = classify.evaluator match {
    case Some(evaluator) if file.isComplete && file.undecided > 0 =>
      val refiner = new FileRefiner(file, evaluator)
      try refiner.refined(needed)
      finally refiner.close()
    case _ => file
  }

  /** What is read first about the values of a row group. */
  private def valueParts(file: ClassifiedFile, ordinal: Int): Seq[PartOfFile] =
    partsOf.values(detailsOf(file), ordinal, file.known(ordinal))

  private def pageParts(file: ClassifiedFile, ordinal: Int): Seq[PartOfFile] =
    partsOf.pages(file, indexesOf(file), ordinal, file.known(ordinal))

  /** Those that are read together with dictionaries: on remote storage, a second round of requests takes longer than the bytes. */
  private def pagePartsAtOnce(file: ClassifiedFile, ordinal: Int): Seq[PartOfFile] =
    if (PrefetchParts.isLocal(file.listed.status) || !narrow.isPossible(file.footer, ordinal)) Nil
    else {
      val pages = pageParts(file, ordinal)
      if (vain.allows(reading(file, file.known(ordinal), valueParts(file, ordinal) ++ pages))) pages else Nil
    }

  private def reading(file: ClassifiedFile, known: RowUnit, parts: Seq[PartOfFile]): Reading =
    Reading(bytesOf(parts), partsOf.request(file, parts), isFirstEvidence(known))

  /** Whether footers say nothing about the values of an undecided column. */
  private def isFirstEvidence(known: RowUnit): Boolean = vain.isOneTask &&
    classify.undecidedColumns(known).exists(known.facts(_).values == Values.Unknown)

  private def bytesOf(parts: Seq[PartOfFile]): Long = parts.iterator.map(_.length).sum

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

    def refined(needed: Long): ClassifiedFile = {
      val changed = mutable.LongMap.empty[ClassifiedRowGroup]
      var found = 0L
      var ordinal = 0
      def isDone = found >= needed || (isUndecided(file.rowGroups(ordinal)) && !pays)
      while (ordinal < file.rowGroups.size && !isDone) {
        val rowGroup = file.rowGroups(ordinal)
        val refined = if (isUndecided(rowGroup)) refine(rowGroup, ordinal) else rowGroup
        if (refined ne rowGroup) changed.update(ordinal.toLong, refined)
        found += RowRange.rowsOf(refined.matching)
        ordinal += 1
      }
      // Most searches change nothing. The file may have thousands of row groups.
      if (changed.isEmpty) file
      else
        file.withRowGroups(file.rowGroups.indices.map(i => changed.getOrElse(i.toLong, file.rowGroups(i))))
    }

    private def bytesRead: Long = details.bytesRead + indexes.bytesRead

    private def pays: Boolean = bytesRead < bytesLeft && deadline.hasTimeLeft() && inVain < MostInVain &&
      unread < MostUnread && !classify.work.isUsedUp

    private def refine(rowGroup: ClassifiedRowGroup, ordinal: Int): ClassifiedRowGroup = {
      vain.addScanned(narrow.bytes(file.footer, ordinal))
      unread += 1
      val known = file.known(ordinal)
      if (!unproved.mayRead(FileId.of(file.listed.status), vain.isOneTask && !isFirstEvidence(known))) {
        unread = MostUnread
        rowGroup
      } else if (!vain.allows(reading(file, known, Nil))) rowGroup
      else {
        val values = partsOf.values(details, ordinal, known)
        val pages = partsOf.pages(file, indexes, ordinal, known)
        val readsValues = vain.allows(reading(file, known, values))
        // Values and pages are read at the same time.
        val all = reading(file, known, if (readsValues) values ++ pages else pages)
        if (readsValues || vain.allows(reading(file, known, pages)))
          refineByReading(rowGroup, ordinal, known, readsValues, bytesOf(pages), all)
        else rowGroup
      }
    }

    /**
     * @param readsValues whether dictionaries and bloom filters may be read
     * @param pageBytes the bytes of the page index that may be read, too
     * @param all what may be read at most, as far as its size is known
     */
    private def refineByReading(
        rowGroup: ClassifiedRowGroup,
        ordinal: Int,
        known: RowUnit,
        readsValues: Boolean,
        pageBytes: Long,
        all: Reading
    ): ClassifiedRowGroup = {
      val before = bytesRead
      isRefused = false
      val (byValues, unit) =
        if (readsValues) refineByValues(rowGroup, ordinal, known) else (rowGroup, known)
      val mayReadPages =
        isUndecided(byValues) && vain.allows(all.copy(bytes = bytesRead - before + pageBytes))
      val refined = if (mayReadPages) refineByPages(byValues, ordinal, unit, readsValues) else byValues
      if (bytesRead > before) unread = 0
      if (!isUndecided(refined) || refined.matching.nonEmpty) {
        inVain = 0
        unread = 0
        vain.restart()
        classify.work.hasResult()
        if (bytesRead > before) unproved.decided()
      } else if (bytesRead > before) {
        vain.add(all.copy(bytes = bytesRead - before))
        val isRead = !details.hasFailed && !indexes.hasFailed
        // The first task of plain Spark may end before a second row group is decided.
        inVain = if (vain.isOneTask && isRead && !all.isFirstEvidence) MostInVain else inVain + 1
        // What could not be read, or not within the budget, may prove something the next time.
        if (isRead && !classify.work.isUsedUp) unproved.readInVain()
      } else if (isRefused) {
        inVain += 1
        // Compared with one task, to find this out takes long, too.
        if (vain.isOneTask && !classify.work.isUsedUp) unproved.readInVain()
      }
      refined
    }

    /** Reads nothing unless dictionaries and bloom filters can decide all undecided conjuncts. */
    private def refineByValues(
        rowGroup: ClassifiedRowGroup,
        ordinal: Int,
        known: RowUnit
    ): (ClassifiedRowGroup, RowUnit) =
      if (mayBeDecided(known, valuesOf(_, ordinal, known))) {
        ahead.values(file, ordinal)((next, row) => valueParts(next, row) ++ pagePartsAtOnce(next, row))
        val helpful = evaluator.undecided(known).flatten.toSet
        val unit = new DetailedFacts(known, classify.columns, helpful, ordinal, details)
        (classify.classify(rows(ordinal), unit).copy(by = Layer.Values), unit)
      } else (rowGroup, known)

    /**
     * Reads nothing unless pages can decide all undecided conjuncts.
     *
     * @param known also by dictionaries and bloom filters, if they are read
     */
    private def refineByPages(
        rowGroup: ClassifiedRowGroup,
        ordinal: Int,
        known: RowUnit,
        readsValues: Boolean
    ): ClassifiedRowGroup = {
      // If all values of a column are known, there are few, and a page may have one of them.
      def expected(column: Int): Option[Expectation] =
        if (ColumnPages.exist(file.facts, indexes, classify.columns(column), ordinal)) {
          val each = if (readsValues) valuesOf(column, ordinal, known) else None
          each.orElse(Some(ShortRange))
        } else None
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

  /** Maximum bytes of one dictionary or bloom filter. */
  private val LargestPart = 1024L * 1024

  private def isUndecided(rowGroup: ClassifiedRowGroup): Boolean = !rowGroup.isDecided
}
