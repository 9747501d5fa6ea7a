package limitpruning.scan

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.{BlockMetaData, FileMetaData}
import org.apache.parquet.schema.MessageType

import limitpruning.parquet.{Interrupted, PageLocations}
import limitpruning.select.RowRange

/**
 * What a reader will read of a split.
 *
 * @param planned the first row groups of the split
 */
private[scan] final case class FirstRowsRead(planned: Seq[PlannedRowGroup]) {

  /** The number of row groups that are read. */
  def rowGroups: Int = planned.count(_.rowsToRead > 0)

  /** Compressed bytes of the pages, or of the column chunks, that are read. */
  def bytes: Long = planned.map(_.bytes).sum
}

/**
 * Determines which row groups and pages contain the first rows of a split, by the footer and the page index of the open
 * file.
 *
 * @param file the open file; its row groups are those of the split
 * @param schema the columns that are read
 */
private[scan] final class FirstPages(file: ParquetFileReader, schema: MessageType, first: FirstRows) {
  private val columns = schema.getPaths.asScala.map(_.toSeq).toSet

  /** None if the footer claims numbers of rows that no file can have: Spark then reads what it reads of such a file. */
  def apply(): Option[FirstRowsRead] = {
    val rowGroups = file.getRowGroups.asScala.toIndexedSeq
    val rows = rowGroups.map(_.getRowCount)
    if (rows.exists(_ < 0) || rows.map(BigInt(_)).sum > Long.MaxValue) None
    else {
      val before = rows.scanLeft(0L)(_ + _)
      val needed = rowGroups.indices.takeWhile(before(_) < first.limit)
      Some(FirstRowsRead(needed.map(i => planned(rowGroups(i), i, first.limit - before(i)))))
    }
  }

  /** @param missing the rows that the row groups before this one do not contain */
  private def planned(rowGroup: BlockMetaData, ordinal: Int, missing: Long): PlannedRowGroup = {
    val rows = rowGroup.getRowCount
    val chunks = rowGroup.getColumns.asScala.filter(chunk => columns(chunk.getPath.toArray.toSeq)).toSeq
    val bytes = chunks.map(_.getTotalSize).sum
    val range = RowRange(0, missing)
    def pages =
      if (missing < rows && first.minBytes.exists(_ <= bytes) && !isEncrypted && areTrusted)
        orNone(chunks.map(PageLocations.of(file.getColumnIndexStore(ordinal), _, rows)))
      else None
    pages match {
      case Some(located) =>
        PlannedRowGroup(ordinal, rows, Seq(range), located.map(_.select(Seq(range)).bytes).sum)
      case None => PlannedRowGroup(ordinal, rows, if (rows > 0) RowRange.all(rows) else Nil, bytes)
    }
  }

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
