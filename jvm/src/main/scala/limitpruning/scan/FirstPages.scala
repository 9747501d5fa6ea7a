package limitpruning.scan

import scala.jdk.CollectionConverters._

import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.schema.MessageType

import limitpruning.select.RowRange

/**
 * Determines which row groups and pages contain the first rows of a split, by the footer and the page index of the open
 * file.
 *
 * @param file the open file; its row groups are those of the split
 * @param schema the columns that are read
 */
private[scan] final class FirstPages(file: ParquetFileReader, schema: MessageType, first: FirstRows) {

  /** None if the footer claims numbers of rows that no file can have: Spark then reads what it reads of such a file. */
  def apply(): Option[Seq[PlannedRowGroup]] = {
    val rows = file.getRowGroups.asScala.map(_.getRowCount).toIndexedSeq
    if (rows.exists(_ < 0) || rows.map(BigInt(_)).sum > Long.MaxValue) None
    else {
      val pages = new RowGroupPages(file, schema, first.minBytes)
      val before = rows.scanLeft(0L)(_ + _)
      val needed = rows.indices.takeWhile(before(_) < first.limit)
      // `missing` rows are not in the row groups before this one.
      def planned(ordinal: Int, missing: Long) =
        pages.of(ordinal, Seq(RowRange(0, missing.min(rows(ordinal)))))
      Some(needed.map(i => planned(i, first.limit - before(i))))
    }
  }
}
