package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions.{ExprId, Expression}

/**
 * Why a conjunct was not proved for a unit of rows.
 *
 * @param text the sentence; there are many obstacles, and few sentences are needed
 */
sealed abstract class Obstacle(text: => String) {

  /** One sentence for users, which does not name the unit. */
  def sentence: String = text
}

object Obstacle {

  final case class NotProvable(part: String) extends Obstacle(s"predicate uses $part")

  final case class NoStatistics(column: String) extends Obstacle(s"no usable statistics for column $column")

  /** Some values of the column are in pages without a dictionary, and nothing else bounds them. */
  final case class BeyondDictionary(column: String)
      extends Obstacle(
        s"column $column has more values than its dictionary could hold (parquet.dictionary.page.size of the writer), and " +
          "its statistics do not bound them"
      )

  final case class PerhapsNull(column: String) extends Obstacle(s"column $column may hold nulls")

  final case class PerhapsNaN(key: String)
      extends Obstacle(s"$key may be NaN, which Spark sorts above all values and statistics do not contain")

  /** @param claims kinds of statements of writers, in the plural */
  final case class UnlistedWriter(claims: String, column: String, writer: String)
      extends Obstacle(
        s"$claims prove nothing for column $column, because the writer is not listed for them: $writer"
      )

  /**
   * The same obstacle, where the file has more about a column that is not used.
   *
   * @param parts kinds of statements of writers, in the plural
   */
  final case class UnusedParts(first: Obstacle, parts: String, column: String, writer: String)
      extends Obstacle(
        s"${first.sentence} ($parts of column $column are not used, because the writer is not listed for them: $writer)"
      )

  final case class UntestedWriter(writer: String) extends Obstacle(s"its writer is not trusted: $writer")

  case object RowsNotInTable extends Obstacle("the table may have deleted rows of the file")

  final case class Undecided(conjunct: String) extends Obstacle(s"$conjunct may hold for only some rows")
}

/**
 * Finds the obstacle to the proof of one conjunct. Results that are the same for all units are computed once.
 *
 * @param ordinals the unit's number of each column
 */
private[predicate] final class FindObstacle(conjunct: Expression, ordinals: Map[(ExprId, Seq[String]), Int]) {
  import Obstacle._

  private lazy val ofForm: Option[Obstacle] = FiniteEvaluation
    .obstacle(conjunct)
    .orElse(LeafColumn.in(conjunct).find(column => !ordinals.contains(column.id)).map(_.attribute.sql))
    .map(NotProvable(_))

  private lazy val columns = LeafColumn.in(conjunct).map { column =>
    (ordinals(column.id), column.name)
  }

  private lazy val undecided = Undecided(BriefSql(conjunct))

  /** @param unit a unit for which the conjunct is not proved */
  def apply(unit: RowUnit): Obstacle = ofForm.getOrElse(ofFacts(unit))

  private def ofFacts(unit: RowUnit): Obstacle =
    columns.collectFirst {
      case (i, name) if unit.facts(i).values == Values.Unknown =>
        if (unit.exceedsDictionary(i)) BeyondDictionary(name) else NoStatistics(name)
    }.orElse(columns.collectFirst {
      case (i, name) if unit.facts(i).nulls == Nulls.Unknown => PerhapsNull(name)
    })
      .getOrElse(undecided)
}
