package limitpruning.scan

import org.apache.parquet.column.page.PageReadStore

/** The pages of a row group, of which a reader reads the first rows only: the rest of the pages need not be decoded. */
private[scan] object FirstRowsOfPages {

  /** @param rows at most as many as the pages have */
  def apply(pages: PageReadStore, rows: Long): PageReadStore = ChangedPages(pages) { (method, _, answer) =>
    if (method.getName == "getRowCount") Long.box(rows) else answer
  }
}
