package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.trees.TreePattern.INSET
import org.apache.spark.sql.types.DataType

/** SQL of an expression for people to read, cut where it becomes long: a list may have 100,000 values. */
private[limitpruning] object BriefSql {

  /** Values of a list that are shown at most. */
  private val MostValues = 10

  /** Characters of one expression. */
  private val MostCharacters = 500

  /** Conjuncts of a predicate that are shown at most. */
  private val MostConjuncts = 20

  /** A predicate, as its conjuncts. */
  def and(conjuncts: Seq[Expression]): String = {
    val more =
      if (conjuncts.lengthIs > MostConjuncts) Some(s"… ${conjuncts.size - MostConjuncts} more") else None
    (conjuncts.take(MostConjuncts).map(apply) ++ more).mkString(" AND ")
  }

  def apply(e: Expression): String = {
    val sql = e.transformWithPruning(_.containsPattern(INSET)) {
      case InSet(value, elements) if elements.size > MostValues =>
        val shown = elements.iterator.take(MostValues).map(Literal(_, value.dataType)).toSeq
        In(value, shown :+ More(elements.size - MostValues, value.dataType))
    }.sql
    if (sql.length <= MostCharacters) sql else s"${sql.take(MostCharacters)}…"
  }

  /** Stands for the values that are not shown. */
  private final case class More(count: Int, dataType: DataType) extends Placeholder {
    override def sql: String = s"… $count more"
  }
}
