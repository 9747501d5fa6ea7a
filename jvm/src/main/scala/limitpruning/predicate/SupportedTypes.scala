package limitpruning.predicate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.LeafExpression
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types._

/** The types whose values are reasoned about; an expression of any other type has unknown facts. */
object SupportedTypes {

  def contains(dataType: DataType): Boolean = dataType match {
    case BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType => true
    case _: DecimalType | DateType | TimestampType | TimestampNTZType | BinaryType => true
    // Any other collation orders and equates strings otherwise than by their bytes.
    case string: StringType => string == StringType
    case _ => false
  }

  /** Spark's own ordering: bytes unsigned, NaN above everything and equal to itself, -0.0 equal to 0.0. */
  def ordering(dataType: DataType): Ordering[Any] = TypeUtils.getInterpretedOrdering(dataType)
}

/**
 * Stands for a value in an expression that is only compared or shown, never evaluated. Spark's own `Unevaluable` will not
 * do: its methods moved between 4.0 and 4.1, and a class compiled with the one does not link with the other.
 */
private[predicate] abstract class Placeholder extends LeafExpression {
  override def nullable: Boolean = true
  override def eval(input: InternalRow): Any = refuse()
  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = refuse()

  private def refuse(): Nothing =
    throw new UnsupportedOperationException(s"$this stands for a value and has none")
}
