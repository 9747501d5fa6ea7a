package limitpruning.tables.iceberg

import java.lang.{Boolean => JavaBoolean, Double => JavaDouble, Float => JavaFloat, Long => JavaLong}
import java.math.BigDecimal
import java.nio.ByteBuffer
import java.util.{Map => JavaMap}

import org.apache.iceberg.{DataFile, FileFormat, FileScanTask, PartitionSpec}
import org.apache.iceberg.types.{Conversions, Type}
import org.apache.iceberg.types.Type.TypeID
import org.apache.iceberg.types.Types.NestedField
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import limitpruning.predicate.{ColumnFacts, Nulls, SupportedTypes, Values}
import limitpruning.search.ManifestFacts

/**
 * What the manifests of an Iceberg table prove about a top-level column of a data file, for all rows of the file. A metric
 * that is missing proves nothing.
 *
 *  - Bounds of strings and bytes may be truncated. They are then not in the data, but still at or below the least value,
 *    and at or above the greatest value.
 *  - Bounds of strings were Java strings. [[StringBounds]] has what they prove.
 *  - Bounds of floating-point numbers leave out NaN, which Spark sorts above all other values. If the manifest does not
 *    count 0 NaN, NaN is the greatest value.
 *  - Bounds have the type that the column had when the file was written.
 *  - Of ORC files, only metrics of booleans, integers, decimals and strings are used. ORC's own statistics, which Iceberg
 *    copies, may contain NaN, and depend on calendars and time zones. Iceberg writes no metrics of Avro files.
 */
private object MetricFacts {

  /** Whether the metrics of a file can prove anything. */
  def mayHave(file: DataFile): Boolean = file.format == FileFormat.PARQUET || file.format == FileFormat.ORC

  private val InOrc =
    Set(TypeID.BOOLEAN, TypeID.INTEGER, TypeID.LONG, TypeID.DECIMAL, TypeID.STRING)

  private def isUsed(file: DataFile, field: NestedField): Boolean = file.format match {
    case FileFormat.PARQUET => true
    case FileFormat.ORC => InOrc(field.`type`.typeId)
    case _ => false
  }

  /** @param file the file, with its metrics */
  def of(file: DataFile, field: NestedField, dataType: DataType): ManifestFacts = {
    val rows = file.recordCount
    val values = count(file.valueCounts, field)
    // A top-level column has one value for each row, which may be null.
    if (!isUsed(file, field) || values.exists(_ != rows)) ManifestFacts.Unknown
    else {
      val nulls = count(file.nullValueCounts, field)
      val nullCount = nulls.filter(n => values.nonEmpty && n >= 0 && n <= rows)
      if (nullCount.contains(rows) && rows > 0) ManifestFacts(ColumnFacts.AllNull, nullCount)
      else {
        val known = if (nulls.contains(0L)) Nulls.No else Nulls.Unknown
        ManifestFacts(ColumnFacts(range(file, field, dataType).getOrElse(Values.Unknown), known), nullCount)
      }
    }
  }

  private def range(file: DataFile, field: NestedField, dataType: DataType): Option[Values.Range] = {
    val ordering = SupportedTypes.ordering(dataType)
    val known = (field.`type`.typeId, dataType) match {
      case (TypeID.STRING, StringType) => ofStrings(file, field)
      case _ =>
        for {
          min <- bound(file.lowerBounds, field, dataType)
          max <- greatest(file, field, dataType)
        } yield Values.Range(min, max)
    }
    known.filter(range => ordering.lteq(range.min, range.max))
  }

  private def ofStrings(file: DataFile, field: NestedField): Option[Values.Range] = {
    // A file has one split offset for each row group. Imported files have none.
    val ofOneRowGroup = file.format == FileFormat.PARQUET && Option(file.splitOffsets).exists(_.size == 1)
    for {
      lower <- encoded(file.lowerBounds, field)
      upper <- encoded(file.upperBounds, field)
      range <- StringBounds.range(lower, upper, ofOneRowGroup)
    } yield range
  }

  /** The upper bound; NaN if the column may have NaN, whatever the upper bound is. */
  private def greatest(file: DataFile, field: NestedField, dataType: DataType): Option[Any] =
    (field.`type`.typeId, dataType) match {
      case (TypeID.FLOAT, FloatType) if mayHaveNaN(file, field) => Some(Float.NaN)
      case (TypeID.DOUBLE, DoubleType) if mayHaveNaN(file, field) => Some(Double.NaN)
      case _ => bound(file.upperBounds, field, dataType)
    }

  /**
   * The facts if the column has one value for the whole file, because the table is partitioned by it; none if it is not.
   * Iceberg's reader takes the value from the manifest, too.
   */
  def ofPartition(task: FileScanTask, field: NestedField, dataType: DataType): Option[ManifestFacts] =
    partition(task.spec, field).map { i =>
      task.partition.get(i, classOf[Object]) match {
        case null => ManifestFacts(ColumnFacts.AllNull, Some(task.file.recordCount))
        case value =>
          val known = internal(field.`type`, dataType, value).fold(ColumnFacts.Unknown)(ColumnFacts.constant)
          ManifestFacts(known, None)
      }
    }

  /**
   * The facts about a column that a file lacks. Iceberg's reader returns the default that the column got when it was added,
   * otherwise null.
   *
   * @param readsDefaults see [[ScanInternals]]
   */
  def ofMissing(field: NestedField, dataType: DataType, readsDefaults: Boolean): ColumnFacts =
    field.initialDefault match {
      case null => if (field.isOptional) ColumnFacts.AllNull else ColumnFacts.Unknown
      case default if readsDefaults =>
        internal(field.`type`, dataType, default).fold(ColumnFacts.Unknown)(ColumnFacts.constant)
      case _ => ColumnFacts.Unknown
    }

  /** Whether the table is partitioned by the values of a column, so that they are in the manifest. */
  def isPartition(spec: PartitionSpec, field: NestedField): Boolean = partition(spec, field).nonEmpty

  private def partition(spec: PartitionSpec, field: NestedField): Option[Int] =
    (0 until spec.fields.size).find { i =>
      val by = spec.fields.get(i)
      by.sourceId == field.fieldId && by.transform.isIdentity
    }

  private def count(counts: JavaMap[Integer, JavaLong], field: NestedField): Option[Long] =
    Option(counts).flatMap(all => Option(all.get(field.fieldId))).map(_.longValue)

  private def mayHaveNaN(file: DataFile, field: NestedField): Boolean =
    !count(file.nanValueCounts, field).contains(0L)

  private def bound(
      bounds: JavaMap[Integer, ByteBuffer],
      field: NestedField,
      dataType: DataType
  ): Option[Any] =
    for {
      buffer <- encoded(bounds, field) if hasKnownWidth(field.`type`, buffer.remaining)
      value <- internal(field.`type`, dataType, Conversions.fromByteBuffer[AnyRef](field.`type`, buffer))
    } yield value

  private def encoded(bounds: JavaMap[Integer, ByteBuffer], field: NestedField): Option[ByteBuffer] =
    Option(bounds).flatMap(all => Option(all.get(field.fieldId)))

  /**
   * Whether `Conversions` decodes a bound of so many bytes as what the file's writer meant. A file may have been written
   * before the type of the column was widened: an int counts as a long, a float as a double. A date does not count as a
   * timestamp.
   */
  private def hasKnownWidth(written: Type, bytes: Int): Boolean = written.typeId match {
    case TypeID.BOOLEAN => bytes == 1
    case TypeID.INTEGER | TypeID.DATE | TypeID.FLOAT => bytes == 4
    case TypeID.LONG | TypeID.DOUBLE => bytes == 4 || bytes == 8
    case TypeID.TIMESTAMP => bytes == 8
    case TypeID.DECIMAL => bytes > 0
    case _ => true
  }

  /** A value in Catalyst's form; none for a pair of types for which nothing is proved. */
  private def internal(iceberg: Type, dataType: DataType, value: Any): Option[Any] =
    (iceberg.typeId, dataType, value) match {
      case (TypeID.BOOLEAN, BooleanType, known: JavaBoolean) => Some(known.booleanValue)
      case (TypeID.INTEGER, IntegerType, known: Integer) => Some(known.intValue)
      case (TypeID.LONG, LongType, known: JavaLong) => Some(known.longValue)
      case (TypeID.FLOAT, FloatType, known: JavaFloat) => Some(known.floatValue).filterNot(_.isNaN)
      case (TypeID.DOUBLE, DoubleType, known: JavaDouble) => Some(known.doubleValue).filterNot(_.isNaN)
      case (TypeID.DATE, DateType, days: Integer) => Some(days.intValue)
      case (TypeID.TIMESTAMP, TimestampType | TimestampNTZType, micros: JavaLong) => Some(micros.longValue)
      case (TypeID.STRING, StringType, text: CharSequence) => Some(UTF8String.fromString(text.toString))
      case (TypeID.BINARY | TypeID.FIXED, BinaryType, bytes: ByteBuffer) => Some(bytesOf(bytes))
      case (TypeID.DECIMAL, decimal: DecimalType, number: BigDecimal)
          if number.scale == decimal.scale && number.precision <= decimal.precision =>
        Some(Decimal(number, decimal.precision, decimal.scale))
      case _ => None
    }

  private def bytesOf(buffer: ByteBuffer): Array[Byte] = {
    val bytes = new Array[Byte](buffer.remaining)
    val _ = buffer.duplicate.get(bytes)
    bytes
  }
}
