package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions.Expression

/** Why a conjunct was not proved for a unit of rows: one sentence for people, without the unit. */
sealed abstract class Obstacle(val sentence: String)

object Obstacle {

  final case class NotProvable(part: String) extends Obstacle(s"predicate uses $part")

  final case class NoStatistics(column: String) extends Obstacle(s"no usable statistics for column $column")

  final case class NoNullCount(column: String) extends Obstacle(s"no null count for column $column")

  final case class UntestedWriter(writer: String) extends Obstacle(s"its writer is not trusted: $writer")

  final case class Undecided(conjunct: String) extends Obstacle(s"$conjunct holds for some rows perhaps")

  /**
   * What stands in the way of a conjunct that is not proved.
   *
   * @param facts the facts about each column of the conjunct, in the order of `Column.in`
   */
  def of(conjunct: Expression, facts: Seq[ColumnFacts], known: Column => Boolean): Obstacle = {
    val columns = Column.in(conjunct)
    def first(is: ColumnFacts => Boolean): Option[String] =
      columns.zip(facts).collectFirst {
        case (column, f) if is(f) => (column.attribute.name +: column.path).mkString(".")
      }
    FiniteEvaluation.obstacle(
      conjunct
    ).orElse(columns.find(!known(_)).map(_.attribute.sql)).map(NotProvable(_))
      .orElse(first(_.values == Values.Unknown).map(NoStatistics(_)))
      .orElse(first(_.nulls == Nulls.Unknown).map(NoNullCount(_)))
      .getOrElse(Undecided(conjunct.sql))
  }
}
