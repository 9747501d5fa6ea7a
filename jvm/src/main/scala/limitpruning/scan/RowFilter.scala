package limitpruning.scan

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData}
import org.apache.spark.{InterruptibleIterator, TaskContext}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BasePredicate, Expression, Predicate}
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.vectorized.ColumnarBatch

import limitpruning.parquet.VectorizedReader
import limitpruning.predicate.Nesting
import limitpruning.select.RowRange

/**
 * Finds the first rows of a part of a file that satisfy a predicate, by reading the columns of the predicate alone with Spark's
 * own reader. The plan keeps its filter, so rows that do not match may be among those that are found.
 *
 * @param limit rows that the LIMIT needs, at least 1; no more are needed of a part
 * @param predicate over the rows of `read`
 * @param read Spark's reader of the columns of the predicate, with the filters of the reader of all columns
 * @param minPageBytes see [[limitpruning.select.WhileReading]]; for the columns that are not read first
 * @param counts the numbers of what is read
 */
private[scan] final class RowFilter(
    limit: Long,
    predicate: Expression,
    read: PartitionedFile => Iterator[InternalRow],
    minPageBytes: Option[Long],
    counts: RowFilter.Counts
) extends NarrowUnseen
    with Logging {
  import RowFilter._

  // Both give the same values. To compile takes as long as to evaluate tens of thousands of rows.
  @transient private lazy val interpreted = initialized(Predicate.createInterpreted(predicate))
  @transient private lazy val compiled = initialized(Predicate.create(predicate))

  private lazy val mostInterpreted = NodesInterpreted / Nesting.nodes(predicate)

  /** The rows that were evaluated, in all parts that this instance reads. */
  private var rowsEvaluated = 0L

  private def initialized(created: BasePredicate): BasePredicate = {
    created.initialize(0) // it is deterministic
    created
  }

  private def isMatch(row: InternalRow): Boolean = {
    rowsEvaluated += 1
    (if (rowsEvaluated <= mostInterpreted) interpreted else compiled).eval(row)
  }

  override def apply(file: PartitionedFile, all: VectorizedReader): Option[Seq[PlannedRowGroup]] =
    if (all.rowGroups.isEmpty) Some(Nil) // the filters of the reader exclude all rows
    else
      matchingIn(file, all).map { matching =>
        val pages = new RowGroupPages(all.file, all.schema, minPageBytes)
        matching.zipWithIndex.map {
          case (Nil, i) => PlannedRowGroup(i, all.rowGroups(i).getRowCount, Nil, 0)
          case (ranges, i) => pages.of(i, ranges)
        }
      }

  /** For each row group, the rows to read; none if the part is to be read as without the filter. */
  private def matchingIn(file: PartitionedFile, all: VectorizedReader): Option[IndexedSeq[Seq[RowRange]]] =
    try {
      val rows = read(file)
      try VectorizedReader.of(rows).filter(isSameFile(_, all)).map(matching(_, all, file))
      finally CloseRows(rows)
    } catch {
      // Plain Spark may not come to this row. If it does, the error is that of the query.
      case NonFatal(error) if !RunningCheck.isInterrupted(error) =>
        logWarning(
          s"The columns of the predicate of a LIMIT cannot be read first in ${file.urlEncodedPath}",
          error
        )
        None
    }

  private def matching(
      first: VectorizedReader,
      all: VectorizedReader,
      file: PartitionedFile
  ): IndexedSeq[Seq[RowRange]] = {
    // Page indexes may exclude rows. The reader of all columns does not return these, so they must not count.
    val ranges = all.rowGroups.indices.map(all.rangesByFilters)
    val columns = new RowGroupPages(first.file, first.schema, minBytes = None)
    val planned = ranges.zipWithIndex.map { case (due, i) =>
      val bytes = columns.chunksOf(i).map(_.getTotalSize).sum
      PlannedRowGroup(i, first.rowGroups(i).getRowCount, due, bytes)
    }
    // Of this part alone: a task may compute the scan more than once, and each time all rows are due.
    var found = 0L
    val narrowed = new NarrowedRows(
      first,
      planned.lift,
      file.urlEncodedPath,
      () => read(file),
      onRead = rowGroup => counts.bytes += rowGroup.bytes,
      onReadAgain = i => counts.bytes += planned(i).bytes
    )
    val rows = new Elements(narrowed)
    try ranges.map { due =>
        val matched = new Ranges
        due.foreach { range =>
          var row = range.from
          while (row < range.until && found < limit && rows.hasNext) {
            if (isMatch(rows.next())) {
              matched.add(row)
              found += 1
              counts.rows += 1
            }
            row += 1
          }
          if (row < range.until && found < limit)
            throw new IllegalStateException("the columns of the predicate have fewer rows than the others")
          matched.end()
        }
        matched.result
      }
    finally narrowed.close() // it may have opened the file again
  }
}

private[scan] object RowFilter {

  /** The SQL metrics of a filter: the bytes that it read, and the rows that it found. */
  final case class Counts(bytes: SQLMetric, rows: SQLMetric)

  object Counts {
    def apply(metrics: Map[String, SQLMetric]): Counts =
      Counts(metrics(ScanMetrics.BytesReadFirst), metrics(ScanMetrics.RowsVerified))
  }

  /** To interpret so many expressions takes as long as to compile a predicate of a few. */
  private val NodesInterpreted = 256L * 1024

  /** Rows that are so near to one another are read together: a batch of all columns takes as long as reading so many rows. */
  private val SmallGap = 64L

  /**
   * Whether both readers have opened the same file. It may have been replaced between. The footers say where each value is, and
   * the lowest and the highest of them.
   */
  private def isSameFile(one: VectorizedReader, other: VectorizedReader): Boolean = {
    def sizes(rowGroup: BlockMetaData) =
      (rowGroup.getStartingPos, rowGroup.getRowCount, rowGroup.getTotalByteSize)
    def chunk(column: ColumnChunkMetaData) =
      (column.getPath, column.getStartingPos, column.getTotalSize, column.getStatistics: Any)
    def areSame(a: BlockMetaData, b: BlockMetaData) = sizes(a) == sizes(b) && {
      // Each has the columns of its own schema.
      val known = b.getColumns.asScala.iterator.map(column => column.getPath -> chunk(column)).toMap
      a.getColumns.asScala.forall(column => known.get(column.getPath).forall(_ == chunk(column)))
    }
    one.rowGroups.size == other.rowGroups.size &&
    one.file.getFileMetaData.getCreatedBy == other.file.getFileMetaData.getCreatedBy &&
    one.rowGroups.zip(other.rowGroups).forall { case (a, b) => areSame(a, b) }
  }

  /** The rows of an iterator of rows or of batches. */
  private final class Elements(read: Iterator[Any]) {
    // Nothing else ends a task that is killed while it searches.
    private val elements = Option(TaskContext.get()).fold(read)(new InterruptibleIterator(_, read))
    private var batch: java.util.Iterator[InternalRow] = java.util.Collections.emptyIterator()

    def hasNext: Boolean = {
      while (!batch.hasNext && elements.hasNext)
        batch = elements.next() match {
          case some: ColumnarBatch => some.rowIterator()
          case row => java.util.Collections.singleton(row.asInstanceOf[InternalRow]).iterator()
        }
      batch.hasNext
    }

    def next(): InternalRow = batch.next()
  }

  /** Collects ascending rows of a row group, and the rows between those that are near to one another. */
  private[scan] final class Ranges {
    private val done = mutable.ArrayBuffer.empty[RowRange]
    private var from, until = 0L

    def add(row: Long): Unit =
      if (until > 0 && row - until <= SmallGap) until = row + 1
      else {
        end()
        from = row
        until = row + 1
      }

    /** The rows after this one are not joined with those before. */
    def end(): Unit = {
      if (until > 0) done += RowRange(from, until)
      until = 0
    }

    def result: Seq[RowRange] = {
      end()
      done.toVector
    }
  }
}
