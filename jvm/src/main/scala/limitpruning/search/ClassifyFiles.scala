package limitpruning.search

import org.apache.spark.sql.catalyst.expressions.Expression

import limitpruning.predicate.{ColumnFacts, Evaluator, LeafColumn, MatchState, RowUnit}

/**
 * Compares the facts about the files of a [[ManifestTable]] with a predicate. Not thread-safe.
 *
 * @param conjuncts the predicate, over the table's columns
 * @param key the sort key, over the table's columns; none without ORDER BY
 */
private[search] final class ClassifyFiles(
    conjuncts: Seq[Expression],
    key: Option[LeafColumn],
    table: ManifestTable,
    obstacles: ObstacleCounts
) {

  private val columns = (conjuncts.flatMap(LeafColumn.in) ++ key).distinctBy(_.id).toIndexedSeq
  private val evaluator = new Evaluator(conjuncts, columns)
  private val facts = table.facts(columns)
  private val keyOrdinal = key.map(column => columns.indexWhere(_.id == column.id))

  /** Whether the rows of a file match, and the facts about the sort key. */
  def apply(file: ManifestFile): (MatchState, ManifestFacts) = {
    val known = facts(file)
    val unit: RowUnit = new RowUnit {
      override def facts(ordinal: Int): ColumnFacts = known(ordinal).known
    }
    val state = MatchState.of(evaluator.outcomes(unit))
    if (state != MatchState.FullyMatching) evaluator.obstacle(unit).foreach(obstacles.add)
    (state, keyOrdinal.fold(ManifestFacts.Unknown)(known))
  }
}
