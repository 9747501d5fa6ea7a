package limitpruning.search

import scala.jdk.CollectionConverters._

import limitpruning.parquet.{Footer, PageIndexReader}
import limitpruning.select.{MatchingRows, SelectedRowGroup}

/**
 * Says which pages of a row group a scan reads for some of its rows.
 *
 * @param isNeeded whether the scan reads a top-level column, by the name that it has in the file
 * @param isSupported whether this Spark's reader can be told which rows to read
 * @param minBytes where less than this would be read of a row group, it is not worth asking for its pages
 */
final class NarrowRowGroups(isNeeded: String => Boolean, isSupported: Boolean, minBytes: Long) {

  /** Whether the footer promises the locations of all pages that the scan may need; reads nothing. */
  def isPossible(footer: Footer, indexes: PageIndexReader, rowGroup: Int): Boolean =
    isSupported && leaves(footer, rowGroup).forall { case (leaf, _) =>
      indexes.hasOffsetIndex(rowGroup, leaf)
    }

  /**
   * @param whole the row group, with all its rows
   * @return the row group with the chosen rows; whole, where all of it matches and reading it whole is no worse; none
   *   where the rows cannot be told from others that were not proved
   */
  def apply(
      footer: Footer,
      indexes: PageIndexReader,
      whole: SelectedRowGroup,
      chosen: MatchingRows
  ): Option[SelectedRowGroup] =
    if (chosen.rows == whole.rows) Some(whole)
    else if (!chosen.isWhole) narrowed(footer, indexes, whole, chosen)
    else if (bytes(footer, whole) < minBytes) Some(whole)
    else Some(narrowed(footer, indexes, whole, chosen).filter(skipsPages).getOrElse(whole))

  /** Whether a row group is worth asking for its pages. */
  def isLarge(footer: Footer, rowGroup: Int): Boolean =
    leaves(footer, rowGroup).map { case (leaf, _) =>
      footer.rowGroups(rowGroup).getColumns.get(leaf).getTotalSize
    }.sum >= minBytes

  private def narrowed(
      footer: Footer,
      indexes: PageIndexReader,
      whole: SelectedRowGroup,
      chosen: MatchingRows
  ): Option[SelectedRowGroup] = {
    val needed = leaves(footer, whole.ordinal)
    if (!isPossible(footer, indexes, whole.ordinal)) None
    else indexes.pagesOf(whole.ordinal, needed.map(_._1), chosen.ranges).map { pagesByLeaf =>
      val pages = needed.map { case (leaf, path) => path -> pagesByLeaf(leaf) }.toMap
      whole.copy(
        columns = whole.columns.map { case (path, bytes) => path -> bytes.copy(pages = pages.get(path)) },
        ranges = chosen.ranges
      )
    }
  }

  private def skipsPages(rowGroup: SelectedRowGroup): Boolean =
    rowGroup.columns.values.flatMap(_.pages).exists(selected => selected.pages < selected.total)

  private def bytes(footer: Footer, rowGroup: SelectedRowGroup): Long =
    leaves(footer, rowGroup.ordinal).map { case (_, path) => rowGroup.columns(path).bytes }.sum

  /** The leaf columns that the scan may read, by their position and path. */
  private def leaves(footer: Footer, rowGroup: Int): Seq[(Int, Seq[String])] =
    footer.rowGroups(rowGroup).getColumns.asScala.iterator.map(_.getPath.toArray.toSeq).zipWithIndex
      .collect { case (path, leaf) if isNeeded(path.head) => (leaf, path) }
      .toSeq
}
