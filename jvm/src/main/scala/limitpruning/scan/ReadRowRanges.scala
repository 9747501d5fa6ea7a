package limitpruning.scan

import java.lang.reflect.{Field, InvocationHandler, Method, Proxy}

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.internal.column.columnindex.OffsetIndexBuilder
import org.apache.parquet.internal.filter2.columnindex.RowRanges
import org.apache.spark.sql.execution.datasources.RecordReaderIterator
import org.apache.spark.sql.execution.datasources.parquet.{
  SpecificParquetRecordReaderBase, VectorizedParquetRecordReader
}

/**
 * Makes Spark's vectorized Parquet reader, opened but not yet read from, read only some rows of its row groups: it takes
 * its pages from an interface that Spark keeps to itself, which is replaced by one that asks parquet-java for row
 * ranges. Everything that depends on Spark's private members stands here.
 */
object ReadRowRanges {

  /** The members that this needs of Spark and parquet-java, or the first that is missing; looked up once per JVM. */
  private lazy val members: Try[Members] = Try(new Members)

  def isSupported: Boolean = members.isSuccess

  /** Why it is not supported, where so: what this Spark lacks. */
  def problem: Option[String] = members.failed.toOption.map(_.toString)

  /**
   * @param rows what Spark's format gave for a split
   * @param planned the row groups of the split
   * @return false, with nothing changed, where `rows` do not come from the vectorized reader
   * @throws FileChangedException where the split has other row groups than planned
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
   * As [[narrow]], for a reader that skips rows by filters of its own: it reads what both leave, or what its filters leave
   * where it cannot be narrowed. For splits all of whose rows may be read.
   */
  private[scan] def narrowFiltered(rows: Iterator[_], planned: Seq[PlannedRowGroup]): Unit = rows match {
    case iterator: RecordReaderIterator[_] =>
      for (known <- members) known.rowReader.get(iterator) match {
        case reader: VectorizedParquetRecordReader => known.narrowFiltered(reader, planned)
        case _ =>
      }
    case _ =>
  }

  private final class Members {
    private val base = classOf[SpecificParquetRecordReaderBase[_]]
    private val rowGroupReader = field(base, "reader")
    private val totalRows = field(base, "totalRowCount")
    private val implementation =
      Class.forName(s"${base.getName}$$ParquetRowGroupReaderImpl", true, base.getClassLoader)
    private val fileReader = field(implementation, "reader")
    val rowReader: Field = field(classOf[RecordReaderIterator[_]], "rowReader")

    require(rowGroupReader.getType.isInterface && totalRows.getType == classOf[Long])
    require(fileReader.getType == classOf[ParquetFileReader])
    // Made by hand in older releases of parquet-java than Spark's.
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
          s"row groups of ${found.mkString(", ")} rows stand where ones of ${planned.map(_.rows).mkString(", ")} were"
        )
      replace(reader, original, file, planned.map(rowGroup => ranges(rowGroup)))
    }

    def narrowFiltered(reader: VectorizedParquetRecordReader, planned: Seq[PlannedRowGroup]): Unit = {
      val original = rowGroupReader.get(reader)
      val file = fileReader.get(original).asInstanceOf[ParquetFileReader]
      val rows = file.getRowGroups.asScala.map(_.getRowCount)
      // Row groups that the filters exclude are not there: which ones are, only a full number tells.
      if (rows == planned.map(_.rows)) {
        val skipsPages = file.getFilteredRecordCount < file.getRecordCount
        val both = planned.indices.map { i =>
          val chosen = ranges(planned(i))
          if (skipsPages) RowRanges.intersection(chosen, filteredRanges(file, i)) else chosen
        }
        replace(reader, original, file, both)
      }
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

  /** Stands in for Spark's `ParquetRowGroupReader`. */
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

  /** parquet-java makes row ranges out of pages, so the ranges and the gaps between them are given as pages. */
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
