package limitpruning.scan

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.{ColumnChunkMetaData, FileMetaData}
import org.apache.parquet.schema.MessageType

import limitpruning.parquet.{Interrupted, PageLocations}
import limitpruning.select.RowRange

/**
 * Determines which pages of an open file are read for some rows, by its page index.
 *
 * @param file the open file; its row groups are those of the split
 * @param schema the columns that are read
 * @param minBytes minimum bytes of a row group from which only pages are read; for less, reading the page index does not pay.
 *   None if pages are never read
 */
private[scan] final class RowGroupPages(
    file: ParquetFileReader,
    schema: MessageType,
    minBytes: Option[Long]
) {
  private val columns = schema.getPaths.asScala.map(_.toSeq).toSet
  private val rowGroups = file.getRowGroups.asScala.toIndexedSeq

  /**
   * @param ordinal of a row group among those of the file
   * @param ranges the rows that are due
   * @return these rows, or all rows if the row group is read whole
   */
  def of(ordinal: Int, ranges: Seq[RowRange]): PlannedRowGroup = {
    val rows = rowGroups(ordinal).getRowCount
    val chunks = chunksOf(ordinal)
    val bytes = chunks.map(_.getTotalSize).sum
    def pages =
      if (RowRange.rowsOf(ranges) < rows && minBytes.exists(_ <= bytes) && !isEncrypted && areTrusted)
        orNone(chunks.map(PageLocations.of(file.getColumnIndexStore(ordinal), _, rows)))
      else None
    pages match {
      case Some(located) =>
        PlannedRowGroup(ordinal, rows, ranges, located.map(_.select(ranges).bytes).sum)
      case None => PlannedRowGroup(ordinal, rows, if (rows > 0) RowRange.all(rows) else Nil, bytes)
    }
  }

  /**
   * @param limit the first rows of the split that are due
   * @return the row groups that contain them, from the first one on; none if the footer claims numbers of rows that no file can
   *   have: Spark then reads what it reads of such a file
   */
  def first(limit: Long): Option[Seq[PlannedRowGroup]] = {
    val rows = rowGroups.map(_.getRowCount)
    if (rows.exists(_ < 0) || rows.map(BigInt(_)).sum > Long.MaxValue) None
    else {
      val before = rows.scanLeft(0L)(_ + _)
      val needed = rows.indices.takeWhile(before(_) < limit)
      // `missing` rows are not in the row groups before this one.
      def planned(ordinal: Int, missing: Long) =
        of(ordinal, Seq(RowRange(0, missing.min(rows(ordinal)))))
      Some(needed.map(i => planned(i, limit - before(i))))
    }
  }

  /** The column chunks of a row group that are read. */
  def chunksOf(ordinal: Int): Seq[ColumnChunkMetaData] =
    rowGroups(ordinal).getColumns.asScala.filter(chunk => columns(chunk.getPath.toArray.toSeq)).toSeq

  private lazy val areTrusted = PageLocations.areTrusted(file.getFileMetaData.getCreatedBy)

  /** Encrypted page indexes are not read, as while planning. */
  private def isEncrypted: Boolean =
    file.getFileMetaData.getEncryptionType != FileMetaData.EncryptionType.UNENCRYPTED

  /** None if the page index of a chunk is absent, unreadable or malformed. The row group is then read whole. */
  private def orNone(locate: => Seq[Option[PageLocations]]): Option[Seq[PageLocations]] =
    try {
      val found = locate
      if (found.forall(_.nonEmpty)) Some(found.flatten) else None
    } catch {
      case Interrupted(interruption) => throw interruption
      case NonFatal(_) => None
    }
}
