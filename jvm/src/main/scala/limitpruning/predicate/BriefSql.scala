package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.trees.TreePattern.INSET
import org.apache.spark.sql.types.DataType

/** The SQL of an expression, shortened for display. A list may have 100,000 values. */
private[limitpruning] object BriefSql {

  /** The maximum number of values of a list that are shown. */
  private val MostValues = 10

  /** The maximum number of characters of one expression. */
  private val MostCharacters = 500

  /** The maximum number of conjuncts of a predicate, or of keys, that are shown. */
  private val MostConjuncts = 20

  /** A predicate, given by its conjuncts. */
  def and(conjuncts: Seq[Expression]): String = joined(conjuncts, " AND ")

  /** The keys of groups, of which `SELECT DISTINCT *` may have thousands. */
  def list(keys: Seq[Expression]): String = joined(keys, ", ")

  private def joined(all: Seq[Expression], separator: String): String = {
    val more = if (all.size > MostConjuncts) Some(s"… ${all.size - MostConjuncts} more") else None
    (all.take(MostConjuncts).map(apply) ++ more).mkString(separator)
  }

  def apply(e: Expression): String = {
    val sql = e.transformWithPruning(_.containsPattern(INSET)) {
      case InSet(value, elements) if elements.size > MostValues =>
        val shown = elements.iterator.take(MostValues).map(Literal(_, value.dataType)).toVector
        In(value, shown :+ More(elements.size - MostValues, value.dataType))
    }.sql
    if (sql.length <= MostCharacters) sql else s"${sql.take(MostCharacters)}…"
  }

  /** Represents the values that are not shown. */
  private final case class More(count: Int, dataType: DataType) extends Placeholder {
    override def sql: String = s"… $count more"
  }
}
