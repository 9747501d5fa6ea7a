package limitpruning.scan

import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.column.page._

import limitpruning.parquet.SkippableEncodings

/**
 * The pages of some rows of a row group. Footer and page index determined how they are read. Each page that is read is
 * compared with them: its encoding, and its number of rows.
 */
private[scan] object CheckedPages {

  /** @param readsWholePages whether the rows that are read are those of whole pages of a column */
  def apply(pages: PageReadStore, readsWholePages: ColumnDescriptor => Boolean): PageReadStore =
    ChangedPages(pages) { (_, arguments, answer) =>
      (answer, arguments) match {
        case (reader: PageReader, Array(column: ColumnDescriptor)) =>
          new CheckedColumn(reader, column, readsWholePages(column))
        case _ => answer
      }
    }

  private final class CheckedColumn(reader: PageReader, column: ColumnDescriptor, readsWholePages: Boolean)
      extends PageReader {
    override def readDictionaryPage(): DictionaryPage = reader.readDictionaryPage()
    override def getTotalValueCount: Long = reader.getTotalValueCount

    override def readPage(): DataPage = {
      val page = reader.readPage()
      if (page != null) check(page)
      page
    }

    private def check(page: DataPage): Unit = {
      val (encoding, rows) = page match {
        case first: DataPageV1 => (first.getValueEncoding, if (isFlat) Some(first.getValueCount) else None)
        case second: DataPageV2 => (second.getDataEncoding, Some(second.getRowCount))
        case _ => (Encoding.PLAIN, None)
      }
      if (!readsWholePages && !SkippableEncodings(encoding))
        throw new UnlistedEncodingException(s"$shown has a page in $encoding, which the footer does not list")
      val planned = page.getIndexRowCount
      rows.foreach { found =>
        if (planned.isPresent && planned.get != found)
          throw new MisplacedRowsException(
            s"$shown has a page of $found rows, which has ${planned.get} rows in the page index"
          )
      }
    }

    private def isFlat: Boolean = column.getMaxRepetitionLevel == 0

    private def shown: String = s"the column ${column.getPath.mkString(".")}"
  }
}

/** Values were skipped in a page of which Spark's reader cannot skip values. The row group can be read whole. */
private[scan] final class UnlistedEncodingException(message: String) extends RuntimeException(message)

/** Pages have other rows than the page index claims. Rows that were proved by it are not proved. */
private[scan] final class MisplacedRowsException(message: String) extends RuntimeException(message)
