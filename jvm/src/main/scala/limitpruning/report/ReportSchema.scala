package limitpruning.report

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types.{
  ArrayType, BooleanType, DataType, DoubleType, IntegerType, LongType, StringType, StructField, StructType,
  TimestampType
}
import org.apache.spark.unsafe.types.UTF8String

/** The columns of a report on an `A`, from which its rows in SQL and its JSON are made. */
private[report] final class ReportSchema[A](columns: ReportSchema.Column[A]*) {

  val sql: StructType = StructType(columns.map(column => StructField(column.name, column.dataType)))

  /** The columns as a JSON object. */
  def fields(of: A): ReportJson.Fields =
    ReportJson.fields(columns.map(column => column.name -> column.read(of)): _*)

  /** The columns as a row of `sql`. */
  def row(of: A): InternalRow = ReportSchema.row(fields(of), sql)
}

private[report] object ReportSchema {

  /** @param read the value: the [[ReportSchema.fields]] of a struct, a sequence of an array; null or none if it is not known */
  final case class Column[A](name: String, dataType: DataType, read: A => Any)

  /** A struct of columns. */
  def struct[A](name: String, columns: Column[A]*): Column[A] = {
    val schema = new ReportSchema(columns: _*)
    Column(name, schema.sql, schema.fields)
  }

  private def row(fields: ReportJson.Fields, schema: StructType): InternalRow =
    new GenericInternalRow(schema.fields.map(field => value(fields.get(field.name), field.dataType)))

  private def value(found: Any, dataType: DataType): Any = (found, dataType) match {
    case (null, _) => null
    case (fields: java.util.Map[_, _], struct: StructType) =>
      row(fields.asInstanceOf[ReportJson.Fields], struct)
    case (several: java.util.List[_], ArrayType(element, _)) =>
      new GenericArrayData(several.asScala.map(value(_, element)).toArray[Any])
    case (text: String, StringType) => UTF8String.fromString(text)
    case (yes: Boolean, BooleanType) => yes
    case (number: Number, IntegerType) => Math.toIntExact(number.longValue)
    case (number: Number, LongType) => number.longValue
    case (number: Number, DoubleType) => number.doubleValue
    case (millis: Number, TimestampType) => Math.multiplyExact(millis.longValue, 1000L)
    case (other, _) =>
      throw new IllegalArgumentException(s"a report has $other where ${dataType.sql} is expected")
  }
}
