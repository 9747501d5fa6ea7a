package limitpruning.search

import limitpruning.parquet.{ChunkPlace, ColumnPositions, Footer, PageIndexReader, PartOfFile}
import limitpruning.select.{MatchingRows, SelectedRowGroup}

/**
 * Determines which pages of a row group a scan reads for some of its rows. Not thread-safe.
 *
 * @param isNeeded whether the scan reads a top-level column, by its name in the file
 * @param isSupported whether this Spark's reader can read single row ranges
 * @param minBytes minimum bytes that are read of a row group; for less, reading the page index does not pay
 * @param requestBytes the bytes that a task could read during a request to the storage: single pages take more requests
 */
final class NarrowRowGroups(
    isNeeded: String => Boolean,
    isSupported: Boolean,
    minBytes: Long,
    requestBytes: Long = 0
) {
  import NarrowRowGroups._

  private val positionsNeeded = new ColumnPositions(isNeeded)

  /**
   * Whether the reader supports row ranges, the writer is listed for page indexes, and the footer has the location of an offset index for each column that the
   * scan may need. Reads nothing.
   */
  def isPossible(footer: Footer, rowGroup: Int): Boolean =
    isSupported && footer.hasTrustedPages && chunks(footer, rowGroup).forall(_.offsetIndex.nonEmpty)

  /**
   * @param whole the row group, with all its rows
   * @return the row group with the chosen rows; the whole row group if all of it matches and reading all of it is no
   *   worse, with the chosen rows if the scan drops the others; none if the chosen rows cannot be read without others that are not proved
   */
  def apply(
      footer: Footer,
      indexes: PageIndexReader,
      whole: SelectedRowGroup,
      chosen: MatchingRows
  ): Option[SelectedRowGroup] =
    if (!needsPages(footer, chosen)) Some(inWholeChunks(whole, chosen))
    else if (!chosen.isWhole) narrowed(footer, indexes, whole, chosen)
    else
      Some(
        narrowed(footer, indexes, whole, chosen).filter(skipsPages).getOrElse(inWholeChunks(whole, chosen))
      )

  /** The parts of the page index that are needed to read the chosen rows alone. Empty if none are needed. No I/O. */
  def parts(footer: Footer, indexes: PageIndexReader, chosen: MatchingRows): Seq[PartOfFile] =
    if (!needsPages(footer, chosen) || !isPossible(footer, chosen.ordinal)) Nil
    else indexes.offsetIndexParts(chunks(footer, chosen.ordinal))

  /** The compressed bytes of the columns that the scan may read. */
  def bytes(footer: Footer, rowGroup: Int): Long =
    footer.places.bytes(rowGroup)(positionsNeeded(footer, rowGroup))

  /** Whether a row group is so large that reading its page index pays. */
  def isLarge(footer: Footer, rowGroup: Int): Boolean =
    bytes(footer, rowGroup) >=
      minBytes.max(requestBytes * MoreRequests * positionsNeeded(footer, rowGroup).size)

  /** Whether the pages of the chosen rows must be located: not if all rows are read, or if reading all is no worse. */
  private def needsPages(footer: Footer, chosen: MatchingRows): Boolean =
    chosen.rows != footer.rowGroups(chosen.ordinal).getRowCount &&
      (!chosen.isWhole || isLarge(footer, chosen.ordinal))

  private def narrowed(
      footer: Footer,
      indexes: PageIndexReader,
      whole: SelectedRowGroup,
      chosen: MatchingRows
  ): Option[SelectedRowGroup] =
    if (!isPossible(footer, whole.ordinal)) None
    else indexes.pagesOf(whole.ordinal, chunks(footer, whole.ordinal), chosen.ranges).map { pages =>
      whole.copy(
        columns = whole.columns.copy(pages = pages),
        ranges = chosen.ranges,
        reliesOnPages = chosen.reliesOnPages
      )
    }

  /** Whether the reader returns the other rows, too, does not matter for the result. To drop them early saves work above. */
  def inWholeChunks(whole: SelectedRowGroup, chosen: MatchingRows): SelectedRowGroup =
    if (chosen.areAlone && isSupported && chosen.rows < whole.rows)
      whole.copy(ranges = chosen.ranges, inWholeChunks = true)
    else whole

  private def skipsPages(rowGroup: SelectedRowGroup): Boolean =
    rowGroup.columns.pages.values.exists(selected => selected.pages < selected.total)

  /** The chunks that the scan may read. */
  private def chunks(footer: Footer, rowGroup: Int): Seq[ChunkPlace] =
    footer.places.at(rowGroup)(positionsNeeded(footer, rowGroup))
}

private object NarrowRowGroups {

  /** So many more requests take single pages of a column: for its offset index, and for a page apart from its dictionary. */
  private val MoreRequests = 2L
}
