package limitpruning.scan

import java.lang.reflect.{Field, InvocationHandler, Method, Proxy}

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.internal.column.columnindex.OffsetIndexBuilder
import org.apache.parquet.internal.filter2.columnindex.RowRanges
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.execution.datasources.RecordReaderIterator
import org.apache.spark.sql.execution.datasources.parquet.{
  SpecificParquetRecordReaderBase, VectorizedParquetRecordReader
}

/**
 * Restricts Spark's vectorized Parquet reader to some rows of its row groups. The reader is open, but has not
 * read anything yet. It gets its pages from an interface that is private to Spark. This object replaces the
 * implementation by one that calls parquet-java with row ranges. All code that changes Spark's private
 * reader is here.
 */
object ReadRowRanges {

  /**
   * The members of Spark and parquet-java that this needs, or the error for the first missing one. They are
   * looked up once per JVM.
   */
  private lazy val members: Try[Members] = Try(new Members)

  def isSupported: Boolean = members.isSuccess

  /** The member that this Spark lacks, if it is not supported. */
  def problem: Option[String] = members.failed.toOption.map(_.toString)

  /**
   * @param rows what Spark's format returned for a split
   * @param planned the row groups of the split
   * @return false, without any change, if `rows` do not come from the vectorized reader
   * @throws FileChangedException if the split has other row groups than planned
   */
  private[scan] def narrow(rows: Iterator[_], planned: Seq[PlannedRowGroup], path: String): Boolean =
    rows match {
      case iterator: RecordReaderIterator[_] =>
        members.get.rowReader.get(iterator) match {
          case reader: VectorizedParquetRecordReader =>
            members.get.narrow(reader, planned, path)
            true
          case _ => false
        }
      case _ => false
    }

  /**
   * Like [[narrow]], for a reader that skips rows by its own filters. The reader reads the rows that are in
   * the planned ranges and pass its filters. If it cannot be narrowed, it reads the whole
   * split. That is safe, because the filter above the scan removes the other rows.
   */
  private[scan] def narrowFiltered(rows: Iterator[_], planned: Seq[PlannedRowGroup]): Unit = rows match {
    case iterator: RecordReaderIterator[_] =>
      for (known <- members) known.rowReader.get(iterator) match {
        case reader: VectorizedParquetRecordReader => known.narrowFiltered(reader, planned)
        case _ =>
      }
    case _ =>
  }

  /**
   * Restricts the vectorized reader to the first rows of the split, as many as the LIMIT needs. The reader must have no
   * filters of its own.
   *
   * @param rows what Spark's format returned for a split
   * @return what the reader will read; none, without any change, if `rows` do not come from the vectorized reader, or if
   *   the footer is absurd
   */
  private[scan] def narrowToFirst(rows: Iterator[_], first: FirstRows): Option[FirstRowsRead] = rows match {
    case iterator: RecordReaderIterator[_] =>
      members.toOption.flatMap { known =>
        known.rowReader.get(iterator) match {
          case reader: VectorizedParquetRecordReader => known.narrowToFirst(reader, first)
          case _ => None
        }
      }
    case _ => None
  }

  private final class Members {
    private val base = classOf[SpecificParquetRecordReaderBase[_]]
    private val rowGroupReader = field(base, "reader")
    private val totalRows = field(base, "totalRowCount")
    private val requestedSchema = field(base, "requestedSchema")
    private val implementation =
      Class.forName(s"${base.getName}$$ParquetRowGroupReaderImpl", true, base.getClassLoader)
    private val fileReader = field(implementation, "reader")
    val rowReader: Field = field(classOf[RecordReaderIterator[_]], "rowReader")

    require(rowGroupReader.getType.isInterface && totalRows.getType == classOf[Long])
    require(fileReader.getType == classOf[ParquetFileReader])
    require(requestedSchema.getType == classOf[MessageType])
    // Fails with older releases of parquet-java than those of Spark, which lack this method.
    classOf[ParquetFileReader].getMethod("readFilteredRowGroup", classOf[Int], classOf[RowRanges])
    private val rangesByFilter = classOf[ParquetFileReader].getDeclaredMethod("getRowRanges", classOf[Int])
    rangesByFilter.setAccessible(true)

    def narrow(reader: VectorizedParquetRecordReader, planned: Seq[PlannedRowGroup], path: String): Unit = {
      val original = rowGroupReader.get(reader)
      val file = fileReader.get(original).asInstanceOf[ParquetFileReader]
      val found = file.getRowGroups.asScala.map(_.getRowCount)
      if (found != planned.map(_.rows))
        throw new FileChangedException(
          path,
          s"its row groups have ${found.mkString(", ")} rows instead of ${planned.map(_.rows).mkString(", ")}"
        )
      replace(reader, original, file, planned.map(rowGroup => ranges(rowGroup)))
    }

    def narrowFiltered(reader: VectorizedParquetRecordReader, planned: Seq[PlannedRowGroup]): Unit = {
      val original = rowGroupReader.get(reader)
      val file = fileReader.get(original).asInstanceOf[ParquetFileReader]
      val rows = file.getRowGroups.asScala.map(_.getRowCount)
      // Row groups that the filters exclude are missing here. Only if none is missing, their positions are
      // known.
      if (rows == planned.map(_.rows)) {
        val skipsPages = file.getFilteredRecordCount < file.getRecordCount
        val both = planned.indices.map { i =>
          val chosen = ranges(planned(i))
          if (skipsPages) RowRanges.intersection(chosen, filteredRanges(file, i)) else chosen
        }
        replace(reader, original, file, both)
      }
    }

    def narrowToFirst(reader: VectorizedParquetRecordReader, first: FirstRows): Option[FirstRowsRead] = {
      val original = rowGroupReader.get(reader)
      val file = fileReader.get(original).asInstanceOf[ParquetFileReader]
      val read = new FirstPages(file, requestedSchema.get(reader).asInstanceOf[MessageType], first)()
      read.foreach(known => replace(reader, original, file, known.planned.map(ranges)))
      read
    }

    private def filteredRanges(file: ParquetFileReader, rowGroup: Int): RowRanges =
      rangesByFilter.invoke(file, Int.box(rowGroup)).asInstanceOf[RowRanges]

    private def ranges(rowGroup: PlannedRowGroup): RowRanges =
      if (rowGroup.isWhole) RowRanges.createSingle(rowGroup.rows) else toRowRanges(rowGroup)

    private def replace(
        reader: VectorizedParquetRecordReader,
        original: AnyRef,
        file: ParquetFileReader,
        ranges: Seq[RowRanges]
    ): Unit = {
      val narrowed = Proxy.newProxyInstance(
        rowGroupReader.getType.getClassLoader,
        Array[Class[_]](rowGroupReader.getType),
        new NarrowedReader(original, file, ranges)
      )
      rowGroupReader.set(reader, narrowed)
      totalRows.setLong(reader, ranges.map(_.rowCount).sum)
    }

    private def field(owner: Class[_], name: String): Field = {
      val found = owner.getDeclaredField(name)
      found.setAccessible(true)
      found
    }
  }

  /** Replaces Spark's `ParquetRowGroupReader`. */
  private final class NarrowedReader(original: AnyRef, file: ParquetFileReader, ranges: Seq[RowRanges])
      extends InvocationHandler {
    private var next = 0

    override def invoke(proxy: Any, method: Method, arguments: Array[AnyRef]): AnyRef = method.getName match {
      case "readNextRowGroup" => readNext()
      case "close" => file.close(); null
      case _ => method.invoke(original, arguments: _*)
    }

    @tailrec
    private def readNext(): PageReadStore =
      if (next >= ranges.size) null
      else {
        val chosen = ranges(next)
        next += 1
        if (chosen.rowCount == 0) readNext() else file.readFilteredRowGroup(next - 1, chosen)
      }
  }

  /**
   * parquet-java creates row ranges from pages. Therefore the ranges and the gaps between them are passed as
   * pages.
   */
  private[scan] def toRowRanges(rowGroup: PlannedRowGroup): RowRanges = {
    val starts = (0L +: rowGroup.ranges.flatMap(range => Seq(range.from, range.until))).distinct.sorted
      .filter(_ < rowGroup.rows)
    val pages = OffsetIndexBuilder.getBuilder()
    starts.zipWithIndex.foreach { case (start, page) => pages.add(page.toLong, 1, start) }
    val begin = rowGroup.ranges.iterator.map(_.from).toSet
    val chosen = starts.indices.filter(page => begin(starts(page)))
    RowRanges.create(
      rowGroup.rows,
      java.util.stream.IntStream.of(chosen: _*).iterator(),
      pages.build()
    )
  }
}
