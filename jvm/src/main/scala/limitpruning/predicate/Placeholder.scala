package limitpruning.predicate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.LeafExpression
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}

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
