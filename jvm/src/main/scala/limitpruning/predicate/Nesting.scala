package limitpruning.predicate

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.expressions.Expression

/** The depth of expressions. It is computed without recursion, so it is safe for expressions of any depth. */
object Nesting {

  /**
   * The maximum depth of expressions that are inspected. With the default stack size, Spark's own stack
   * overflows at about this depth.
   */
  val Deepest = 1000

  /** The maximum depth of the operands of AND, OR and NOT for which something is proved by rules. */
  val DeepestAtom = 50

  def isDeeper(e: Expression, levels: Int): Boolean = isDeeper(Seq(e), levels)

  /**
   * The number of nodes of an expression.
   *
   * @param isOmitted whether a node, given its parent, does not count, nor what is below it
   */
  def nodes(e: Expression, isOmitted: (Expression, Expression) => Boolean = (_, _) => false): Long = {
    var count = 0L
    var level = Seq(e)
    while (level.nonEmpty) {
      count += level.size
      level = level.flatMap(parent => parent.children.filterNot(isOmitted(parent, _)))
    }
    count
  }

  @tailrec
  private def isDeeper(level: Seq[Expression], levels: Int): Boolean =
    level.nonEmpty && (levels == 0 || isDeeper(level.flatMap(_.children), levels - 1))
}
