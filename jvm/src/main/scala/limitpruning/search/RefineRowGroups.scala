package limitpruning.search

import scala.concurrent.duration.Deadline

import org.apache.spark.sql.catalyst.expressions.Expression

import limitpruning.footers.UnprovedPredicates
import limitpruning.parquet.{ColumnPages, PageIndexReader, PartOfFile, RowGroupDetails, Storage}
import limitpruning.predicate.{Evaluator, LeafColumn, RowUnit}
import limitpruning.select.{ListedFile, RowRange}

/**
 * Decides row groups that the footer leaves undecided, by dictionaries and bloom filters, then by pages. It inspects
 * them in order, as long as rows are missing, bytes and time are left, and row groups can be decided. One instance per
 * search.
 *
 * @param narrow decides whether some rows of a row group can be read without the others
 * @param maxBytes maximum bytes to read for one LIMIT
 * @param deadline no row group is inspected after it: each row group may take several requests, one after the other
 * @param prefetch reads parts of files at the same time
 * @param unproved the files of which earlier queries with this predicate could decide no row group
 */
final class RefineRowGroups(
    classify: ClassifyRowGroups,
    storage: Storage,
    narrow: NarrowRowGroups,
    maxBytes: Long,
    deadline: Deadline,
    prefetch: Seq[PartOfFile] => Unit = _ => (),
    unproved: UnprovedFiles = UnprovedFiles.none
) {
  import RefineRowGroups._

  private var bytesLeft = maxBytes
  private var inVain = 0
  private val ahead = new ReadAhead(prefetch)

  /** Announces files that are refined next, in this order, so that parts of several files are read at the same time. */
  def expect(files: Seq[ClassifiedFile]): Unit = if (classify.hasPredicate)
    ahead.expect(for {
      file <- files if file.isBelieved && !unproved.contains(file.listed)
      ordinal <- file.rowGroups.indices if isUndecided(file.rowGroups(ordinal))
    } yield (file, ordinal))

  /**
   * @param needed rows that are missing before the first row group of this file
   * @return the file with more of its row groups decided
   */
  def apply(file: ClassifiedFile, needed: Long): ClassifiedFile = classify.evaluator match {
    case Some(evaluator)
        if file.isBelieved && file.rowGroups.exists(isUndecided) && !unproved.contains(file.listed) =>
      val refiner = new FileRefiner(file, evaluator)
      try {
        val refined = refiner.refined(needed)
        if (refiner.wasInVain(refined)) unproved.add(file.listed)
        file.withRowGroups(refined)
      } finally refiner.close()
    case _ => file
  }

  /** The dictionaries and bloom filters that are read first for a row group. No I/O. */
  private def valueParts(file: ClassifiedFile, ordinal: Int): Seq[PartOfFile] =
    undecidedColumns(file, ordinal).flatMap(detailsOf(file).firstPart(_, ordinal))

  /** The parts of the page index that are read for a row group. No I/O. */
  private def pageParts(file: ClassifiedFile, ordinal: Int): Seq[PartOfFile] =
    undecidedColumns(file, ordinal).flatMap(ColumnPages.parts(file.facts, indexesOf(file), _, ordinal))

  private def undecidedColumns(file: ClassifiedFile, ordinal: Int): Seq[LeafColumn] = for {
    evaluator <- classify.evaluator.toSeq
    column <- evaluator.undecided(file.known(ordinal)).flatten.distinct
  } yield classify.columns(column)

  private def detailsOf(file: ClassifiedFile): RowGroupDetails =
    new RowGroupDetails(file.listed.status, file.footer, file.facts, storage, math.min(maxBytes, LargestPart))

  private def indexesOf(file: ClassifiedFile): PageIndexReader =
    new PageIndexReader(file.listed.status, file.footer, storage, bytesLeft)

  /** The inspection of one file. */
  private final class FileRefiner(file: ClassifiedFile, evaluator: Evaluator) {
    private val details = detailsOf(file)
    private val indexes = indexesOf(file)

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

    /** Whether nothing was decided, although the budget allowed it. */
    def wasInVain(refined: Seq[ClassifiedRowGroup]): Boolean =
      decisions(refined) == decisions(file.rowGroups) && isInBudget && (bytesRead > 0 || inVain >= MostInVain)

    private def bytesRead: Long = details.bytesRead + indexes.bytesRead

    private def isInBudget: Boolean = bytesRead < bytesLeft && deadline.hasTimeLeft()

    private def pays: Boolean = isInBudget && inVain < MostInVain

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
        ahead.values(file, ordinal)(valueParts)
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
        ahead.pages(file, ordinal)(pageParts)
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
  private val MostInVain = ReadAhead.First

  /** Maximum bytes of one dictionary or bloom filter. */
  private val LargestPart = 1024L * 1024

  private def isUndecided(rowGroup: ClassifiedRowGroup): Boolean = !rowGroup.isDecided

  private def decisions(rowGroups: Seq[ClassifiedRowGroup]): Seq[(Boolean, Seq[RowRange])] =
    rowGroups.map(rowGroup => (rowGroup.isDecided, rowGroup.matching))
}

/** The files of which queries with one predicate could decide no row group by metadata besides the footer. */
private[limitpruning] trait UnprovedFiles {
  def contains(file: ListedFile): Boolean
  def add(file: ListedFile): Unit
}

private[limitpruning] object UnprovedFiles {

  /** Remembers nothing. */
  val none: UnprovedFiles = new UnprovedFiles {
    override def contains(file: ListedFile): Boolean = false
    override def add(file: ListedFile): Unit = ()
  }

  /** Remembers files for all queries of an application. */
  def of(conjuncts: Seq[Expression], remembered: UnprovedPredicates): UnprovedFiles = new UnprovedFiles {
    private lazy val predicate = UnprovedPredicates.hash(conjuncts)
    override def contains(file: ListedFile): Boolean = remembered.contains(predicate, file.status)
    override def add(file: ListedFile): Unit = remembered.add(predicate, file.status)
  }
}
