package limitpruning.predicate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.LeafExpression
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types._

/** The types for whose values something can be proved. An expression of any other type has unknown facts. */
object SupportedTypes {

  def contains(dataType: DataType): Boolean = dataType match {
    case BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType => true
    case _: DecimalType | DateType | TimestampType | TimestampNTZType | BinaryType => true
    // Other collations do not order and compare strings by their bytes.
    case string: StringType => string == StringType
    case _ => false
  }

  /**
   * Spark's own ordering. Bytes are unsigned. NaN is above all other values and equal to itself. -0.0 equals
   * 0.0.
   */
  def ordering(dataType: DataType): Ordering[Any] = TypeUtils.getInterpretedOrdering(dataType)
}

/**
 * Represents a value in an expression that is only compared or printed, and never evaluated. It does not
 * extend Spark's own `Unevaluable`: the methods of `Unevaluable` moved between 4.0 and 4.1, so a class that
 * was compiled with one version does not link with the other.
 */
private[limitpruning] abstract class Placeholder extends LeafExpression {
  override def nullable: Boolean = true
  override def eval(input: InternalRow): Any = refuse()
  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = refuse()

  private def refuse(): Nothing =
    throw new UnsupportedOperationException(s"$this is a placeholder and cannot be evaluated")
}
