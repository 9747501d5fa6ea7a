package limitpruning.scan

import java.io.{Closeable, FileNotFoundException}
import java.nio.file.NoSuchFileException

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.PartitionedFile

/**
 * Opens a part of a file that planning did not inspect, with Spark's own reader. Planning proved nothing
 * about this file. Runs on executors.
 *
 * @param whileReading finds out whether a part of the file is enough
 * @param isTolerant whether Spark may skip the file if it cannot be read; errors of reading then stay as they are
 */
private[scan] final class ReadUnseenFile(
    read: PartitionedFile => Iterator[InternalRow],
    whileReading: Option[WhileReading],
    counts: ReadCounts,
    isTolerant: Boolean
) extends (PartitionedFile => Iterator[InternalRow])
    with Serializable {

  override def apply(file: PartitionedFile): Iterator[InternalRow] = {
    val rows = open(file)
    val told = if (isTolerant) rows else new ReadUnseenFile.UntilDeleted(rows, file.urlEncodedPath)
    // Spark also types the batches of its columnar readers as rows.
    told.asInstanceOf[Iterator[InternalRow]]
  }

  private def open(file: PartitionedFile): Iterator[Any] = whileReading match {
    case Some(first: FirstRows) =>
      readSome(file)(reader => new FirstPages(reader.file, reader.schema, first)())
    case Some(find: FindMatchingRows) => readSome(file)(find(file, _))
    case Some(_: MatchingRowsOnly) | None => readAll(file)
  }

  private def readAll(file: PartitionedFile): Iterator[Any] = {
    counts.bytes += file.length
    read(file)
  }

  /** @param choose the row groups and rows to read, in the order of the row groups of the reader; none for all */
  private def readSome(file: PartitionedFile)(choose: VectorizedReader => Option[PlannedRowGroups])
      : Iterator[Any] = {
    val rows = read(file)
    try {
      val narrowed = for {
        reader <- VectorizedReader.of(rows)
        chosen <- choose(reader)
      } yield {
        counts.rowGroups += chosen.rowGroups.toLong
        counts.bytes += chosen.bytes
        new NarrowedRows(
          reader,
          i => chosen.planned.lift(i).toSeq.flatMap(_.ranges),
          inWholeChunks = _ => false,
          reliesOnIndex = _ => false, // nothing is proved about the rows
          isSkipped = _ => false,
          () => read(file),
          new ReadUnseenFile.Observer(file.urlEncodedPath, reader, counts)
        )
      }
      narrowed match {
        case Some(some) => some
        case None =>
          counts.bytes += file.length
          rows
      }
    } catch {
      case error: Throwable =>
        CloseRows(rows) // no other code can close them yet
        throw error
    }
  }
}

private[scan] object ReadUnseenFile {

  /** Counts what is read a second time. The rest is counted when the file is opened. */
  private final class Observer(override val path: String, reader: VectorizedReader, counts: ReadCounts)
      extends NarrowedRows.Observer {
    override def read(rowGroup: Int): Unit = ()
    override def readsAgain(rowGroup: Int): Unit =
      counts.readsAgain(NarrowedRows.bytesOf(reader.rowGroups(rowGroup)))
  }

  /**
   * Rows of a file that may be deleted while it is read. On local file systems, vectored reads open its path again and fail
   * with an error of Java's own, which Spark does not know as that of a missing file: its hint to run REFRESH TABLE would be
   * missing.
   */
  private[scan] final class UntilDeleted(rows: Iterator[Any], path: String) extends Iterator[Any]
      with Closeable {
    override def hasNext: Boolean =
      try rows.hasNext
      catch {
        case deleted: NoSuchFileException =>
          val error = new FileNotFoundException(s"File $path does not exist")
          error.initCause(deleted)
          throw error
      }

    override def next(): Any = rows.next()

    override def close(): Unit = CloseRows(rows)
  }
}

/** Finds out how much of a file, which planning did not inspect, is enough. Runs on executors. */
sealed trait WhileReading extends Serializable

/**
 * Reads only the first rows of each part of a file. All rows must match. Nothing is proved, so nothing is checked: these
 * rows are as good as any others of the file.
 *
 * @param limit rows that the LIMIT needs, at least 1
 * @param minBytes minimum bytes of a row group from which only pages are read; for less, reading the page index does not
 *   pay. None if pages are never read
 */
final case class FirstRows(limit: Long, minBytes: Option[Long]) extends WhileReading

/**
 * Reads only the rows of each part of a file that match, at most as many as the LIMIT needs. The columns of the predicate are
 * read first. Nothing is proved, so nothing is checked, and the plan keeps its filter. Stays on the driver, where
 * [[SelectionRead]] makes a [[RowFilter]] of it.
 *
 * @param limit rows that the LIMIT needs, at least 1
 * @param conjuncts the predicate, over the output of the scan
 * @param minPageBytes see [[FirstRows]]
 */
final case class MatchingRowsOnly(limit: Long, conjuncts: Seq[Expression], minPageBytes: Option[Long])
    extends WhileReading

/** Finds the rows of a part of a file that match, when it is read. Runs on executors, with one instance for each task. */
private[scan] trait FindMatchingRows extends WhileReading {

  /**
   * @param all the open reader of all columns, which has read nothing yet
   * @return what to read of its row groups; none for everything
   */
  def apply(file: PartitionedFile, all: VectorizedReader): Option[PlannedRowGroups]
}
