package limitpruning.predicate

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.expressions.Expression

/** How deep expressions are nested. Told without recursion, so that it can be asked of any. */
object Nesting {

  /** Levels that are looked into. Spark's own stack is used up by about as many, where it has its default size. */
  val Deepest = 1000

  /** Levels of what AND, OR and NOT connect that are reasoned about. */
  val DeepestAtom = 50

  def isDeeper(e: Expression, levels: Int): Boolean = isDeeper(Seq(e), levels)

  @tailrec
  private def isDeeper(level: Seq[Expression], levels: Int): Boolean =
    level.nonEmpty && (levels == 0 || isDeeper(level.flatMap(_.children), levels - 1))
}
