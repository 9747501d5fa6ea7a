package limitpruning.scan

import java.io.{Closeable, FileNotFoundException}
import java.nio.file.NoSuchFileException

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.util.SerializableConfiguration

import limitpruning.select.FileVersion

/**
 * Opens a part of a file that planning did not inspect, with Spark's own reader. Planning proved nothing
 * about this file. If fewer row groups are enough, they are read from the file that was inspected here, or
 * the query fails: another file may have fewer rows in the same places. Runs on executors.
 *
 * @param whileReading finds out whether a part of the file is enough
 * @param isTolerant whether Spark may skip the file if it cannot be read; errors of reading then stay as they are
 */
private[scan] final class ReadUnseenFile(
    read: PartitionedFile => Iterator[InternalRow],
    whileReading: Option[WhileReading],
    conf: Broadcast[SerializableConfiguration],
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
      readSome(file)(reader =>
        new RowGroupPages(reader.file, reader.schema, first.minBytes).first(first.limit)
      )
    case Some(find: FindMatchingRows) => readSome(file)(find(file, _))
    case Some(inspect: InspectWhileReading) =>
      enoughOf(inspect, file).map(readEnough(file, _)).getOrElse(readAll(file))
    case Some(_: MatchingRowsOnly) | None => readAll(file)
  }

  private def readAll(file: PartitionedFile): Iterator[Any] = {
    counts.bytes += file.length
    read(file)
  }

  /** @param choose the row groups and rows to read, from the first row group of the reader on; none for all */
  private def readSome(file: PartitionedFile)(choose: VectorizedReader => Option[Seq[PlannedRowGroup]])
      : Iterator[Any] = {
    val rows = read(file)
    try {
      val narrowed = for {
        reader <- VectorizedReader.of(rows)
        chosen <- choose(reader)
      } yield {
        counts.rowGroups += chosen.count(_.rowsToRead > 0).toLong
        counts.bytes += chosen.map(_.bytes).sum
        new NarrowedRows(
          reader,
          chosen.lift,
          file.urlEncodedPath,
          () => read(file),
          onRead = _ => (), // it was counted when the file was opened
          i => counts.readsAgain(reader.rowGroups(i))
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

  private def readEnough(file: PartitionedFile, enough: EnoughRows): Iterator[Any] = {
    counts.rowGroups += enough.rowGroups.toLong
    counts.bytes += enough.bytes
    val parts = enough.ranges.map { case (start, length) => file.copy(start = start, length = length) }
    val check = new CheckUnchanged(file, enough.version, conf.value.value)
    val opened = parts.iterator.map(part => check.opening(read(part))(identity))
    new ReadUnseenFile.OneByOne(opened)
  }

  private def enoughOf(inspect: InspectWhileReading, file: PartitionedFile): Option[EnoughRows] = {
    val path = file.toPath
    val status = path.getFileSystem(conf.value.value).getFileStatus(path)
    inspect(status, file.partitionValues, file.start, file.length, conf.value.value)
  }
}

private[scan] object ReadUnseenFile {

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

  /** Opens each part when the previous part has been read, and closes the last opened part. */
  private final class OneByOne(parts: Iterator[Iterator[Any]]) extends Iterator[Any] with Closeable {
    private var current: Iterator[Any] = Iterator.empty

    override def hasNext: Boolean = {
      while (!current.hasNext && parts.hasNext) current = parts.next()
      current.hasNext
    }

    override def next(): Any = current.next()

    override def close(): Unit = CloseRows(current)
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
   * @return what to read of its row groups, from the first one on; none for everything
   */
  def apply(file: PartitionedFile, all: VectorizedReader): Option[Seq[PlannedRowGroup]]
}

/**
 * Inspects a file, when it is read, that planning did not inspect. Runs on executors, with one instance for
 * each task.
 */
trait InspectWhileReading extends WhileReading {

  /**
   * @param from the first byte of the part of the file to read
   * @param length of this part, in bytes
   * @return the row groups of this part that are enough; none if the whole part must be read
   */
  def apply(
      file: FileStatus,
      partitionValues: InternalRow,
      from: Long,
      length: Long,
      conf: Configuration
  ): Option[EnoughRows]
}

/**
 * Row groups that contain enough matching rows.
 *
 * @param ranges the byte ranges by which they are read, as start and length
 * @param rowGroups the number of row groups
 * @param bytes compressed bytes of all their columns
 * @param version the content of their file
 */
final case class EnoughRows(ranges: Seq[(Long, Long)], rowGroups: Int, bytes: Long, version: FileVersion)
