package limitpruning.scan

import java.io.Closeable

private[scan] object CloseRows {

  /** Closes what is read, where it is something that can be closed. */
  def apply(rows: Iterator[_]): Unit = rows match {
    case open: Closeable => open.close()
    case _ =>
  }
}
