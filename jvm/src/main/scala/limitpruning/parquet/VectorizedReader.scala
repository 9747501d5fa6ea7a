package limitpruning.parquet

import java.lang.reflect.{Field, InvocationHandler, Method, Proxy}

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.parquet.internal.column.columnindex.OffsetIndexBuilder
import org.apache.parquet.internal.filter2.columnindex.RowRanges
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, RecordReaderIterator}
import org.apache.spark.sql.execution.datasources.parquet.{
  ParquetUtils, SpecificParquetRecordReaderBase, VectorizedParquetRecordReader
}
import org.apache.spark.sql.types.StructType

import limitpruning.conf.SparkSessions
import limitpruning.select.RowRange

/**
 * Spark's vectorized Parquet reader of one split, which is open, but has not read anything yet. It gets its pages from an
 * interface that is private to Spark. [[readFrom]] replaces the implementation by one that calls parquet-java with row
 * ranges. All code that changes Spark's private reader is here.
 *
 * @param rows what Spark's format returned for the split
 */
private[limitpruning] final class VectorizedReader private (
    val rows: RecordReaderIterator[_],
    reader: VectorizedParquetRecordReader,
    members: VectorizedReader.Members
) {
  private val original: AnyRef = members.rowGroupReader.get(reader)

  val file: ParquetFileReader = members.fileReader.get(original).asInstanceOf[ParquetFileReader]

  /** The row groups that the reader's filters do not exclude. */
  val rowGroups: IndexedSeq[BlockMetaData] = file.getRowGroups.asScala.toVector

  /** All row groups of the split; `rowGroups` are some of these. */
  def ofSplit: IndexedSeq[BlockMetaData] = file.getFooter.getBlocks.asScala.toVector

  /** The columns that are read. */
  def schema: MessageType = members.requestedSchema.get(reader).asInstanceOf[MessageType]

  /** The most rows of a batch, as the reader was created. */
  val batchSize: Int = members.capacity.getInt(reader)

  /** Makes the following batches end after at most `rows` rows. */
  def limitBatch(rows: Long): Unit = members.capacity.setInt(reader, rows.min(batchSize.toLong).toInt)

  /** Sets the rows after which the reader ends. */
  def setTotalRows(rows: Long): Unit = members.totalRows.setLong(reader, rows)

  /** Makes the reader get its row groups from `next`, which returns null after the last one. */
  def readFrom(next: () => PageReadStore): Unit = {
    val interface = members.rowGroupReader.getType
    val replaced = new InvocationHandler {
      override def invoke(proxy: Any, method: Method, arguments: Array[AnyRef]): AnyRef =
        method.getName match {
          case "readNextRowGroup" => next()
          case "close" => file.close(); null
          case _ => method.invoke(original, arguments: _*)
        }
    }
    val proxy = Proxy.newProxyInstance(interface.getClassLoader, Array[Class[_]](interface), replaced)
    members.rowGroupReader.set(reader, proxy)
  }

  /**
   * The rows of a row group that the reader's filters do not exclude by the page index.
   *
   * @param rowGroup its position in `rowGroups`
   */
  def rangesByFilters(rowGroup: Int): Seq[RowRange] =
    if (excludesNoPages) VectorizedReader.all(rowGroups(rowGroup))
    else {
      val found = members.rangesByFilter.invoke(file, Int.box(rowGroup)).asInstanceOf[RowRanges]
      found.getRanges.asScala.map(range => RowRange(range.from, range.to + 1)).toVector
    }

  // Counts the rows of all row groups.
  private lazy val excludesNoPages: Boolean = file.getFilteredRecordCount == file.getRecordCount

  /**
   * The pages of some rows of a row group.
   *
   * @param rowGroup its position in `rowGroups`
   * @param ranges ascending and not adjacent
   */
  def read(rowGroup: Int, ranges: Seq[RowRange]): PageReadStore =
    file.readFilteredRowGroup(
      rowGroup,
      VectorizedReader.toRowRanges(rowGroups(rowGroup).getRowCount, ranges)
    )
}

private[limitpruning] object VectorizedReader {

  /**
   * The members of Spark and parquet-java that this needs, or the error for the first missing one. They are
   * looked up once per JVM.
   */
  private lazy val members: Try[Members] = Try(new Members)

  def isSupported: Boolean = members.isSuccess

  /** The member that this Spark lacks, if it is not supported. */
  def problem: Option[String] = members.fold(error => Some(error.toString), _ => None)

  /**
   * Whether it reads columns of a relation: the same decision as in Spark's format, by the settings of the session of the relation. The
   * session of the query may be another one.
   */
  def reads(relation: HadoopFsRelation, columns: StructType): Boolean =
    ParquetUtils.isBatchReadSupportedForSchema(
      SparkSessions.onServer(relation.sparkSession).sessionState.conf,
      columns
    )

  /** None if `rows` do not come from the vectorized reader, or if this Spark is not supported. */
  private[limitpruning] def of(rows: Iterator[_]): Option[VectorizedReader] = rows match {
    case iterator: RecordReaderIterator[_] =>
      members.toOption.flatMap { known =>
        known.rowReader.get(iterator) match {
          case reader: VectorizedParquetRecordReader =>
            Some(new VectorizedReader(iterator, reader, known))
          case _ => None
        }
      }
    case _ => None
  }

  private[limitpruning] def all(rowGroup: BlockMetaData): Seq[RowRange] =
    if (rowGroup.getRowCount > 0) RowRange.all(rowGroup.getRowCount) else Nil

  /**
   * parquet-java creates row ranges from pages. Therefore the ranges and the gaps between them are passed as
   * pages.
   */
  private[limitpruning] def toRowRanges(rows: Long, ranges: Seq[RowRange]): RowRanges = {
    val starts = (0L +: ranges.flatMap(range => Seq(range.from, range.until))).distinct.sorted
      .filter(_ < rows)
    val pages = OffsetIndexBuilder.getBuilder()
    starts.zipWithIndex.foreach { case (start, page) => pages.add(page.toLong, 1, start) }
    val begin = ranges.iterator.map(_.from).toSet
    val chosen = starts.indices.filter(page => begin(starts(page)))
    RowRanges.create(rows, java.util.stream.IntStream.of(chosen: _*).iterator(), pages.build())
  }

  private final class Members {
    private val base = classOf[SpecificParquetRecordReaderBase[_]]
    private val implementation =
      Class.forName(s"${base.getName}$$ParquetRowGroupReaderImpl", true, base.getClassLoader)
    val rowReader: Field = field(classOf[RecordReaderIterator[_]], "rowReader")
    val rowGroupReader: Field = field(base, "reader")
    val totalRows: Field = field(base, "totalRowCount")
    val requestedSchema: Field = field(base, "requestedSchema")
    val fileReader: Field = field(implementation, "reader")
    val capacity: Field = field(classOf[VectorizedParquetRecordReader], "capacity")

    require(rowGroupReader.getType.isInterface && totalRows.getType == classOf[Long])
    require(fileReader.getType == classOf[ParquetFileReader] && capacity.getType == classOf[Int])
    require(requestedSchema.getType == classOf[MessageType])
    // Fails with older releases of parquet-java than those of Spark, which lack this method.
    classOf[ParquetFileReader].getMethod("readFilteredRowGroup", classOf[Int], classOf[RowRanges])
    val rangesByFilter: Method =
      classOf[ParquetFileReader].getDeclaredMethod("getRowRanges", classOf[Int])
    rangesByFilter.setAccessible(true)

    private def field(owner: Class[_], name: String): Field = {
      val found = owner.getDeclaredField(name)
      found.setAccessible(true)
      found
    }
  }
}
