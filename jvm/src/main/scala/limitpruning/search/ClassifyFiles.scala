package limitpruning.search

import org.apache.spark.sql.catalyst.expressions.Expression

import limitpruning.predicate.{
  ColumnFacts, Evaluator, LeafColumn, MatchState, Obstacle, RowUnit, SupportedTypes
}

/**
 * Compares the facts about files of a [[ManifestTable]], and about their row groups, with a predicate. Not thread-safe.
 *
 * @param conjuncts the predicate, over the table's columns
 * @param others columns whose facts are needed besides those of the predicate
 */
private[search] final class ClassifyFiles(
    conjuncts: Seq[Expression],
    others: Seq[LeafColumn],
    table: ManifestTable
) {

  /** The columns whose facts are known: those of the predicate, then the others. */
  val columns
      : IndexedSeq[LeafColumn] = (conjuncts.flatMap(LeafColumn.in) ++ others).distinctBy(_.id).toIndexedSeq

  private val evaluator = new Evaluator(conjuncts, columns)
  private val facts = table.facts(columns)

  def apply(file: ManifestFile): ClassifiedRows = classified(facts(file))

  /** What is certain about a file is certain about each row group of it. */
  def apply(file: ManifestFile, rowGroup: ManifestRowGroup): ClassifiedRows = {
    val ofFile = facts(file)
    classified(columns.indices.map { i =>
      val ManifestFacts(inFooter, nullCount) = rowGroup.facts(i)
      ManifestFacts(both(columns(i), ofFile(i).known, inFooter), nullCount)
    })
  }

  private def classified(known: IndexedSeq[ManifestFacts]): ClassifiedRows = {
    val unit: RowUnit = new RowUnit {
      override def facts(ordinal: Int): ColumnFacts = known(ordinal).known
    }
    new ClassifiedRows(MatchState.of(evaluator.outcomes(unit)), known, unit, evaluator)
  }

  private def both(column: LeafColumn, one: ColumnFacts, other: ColumnFacts): ColumnFacts =
    if (SupportedTypes.contains(column.dataType)) one.and(other, SupportedTypes.ordering(column.dataType))
    else ColumnFacts.Unknown
}

/**
 * The rows of a file or of a row group, compared with the predicate.
 *
 * @param state whether they match
 * @param facts the facts about the columns of [[ClassifyFiles]]
 */
private[search] final class ClassifiedRows(
    val state: MatchState,
    val facts: IndexedSeq[ManifestFacts],
    unit: RowUnit,
    evaluator: Evaluator
) {

  /** Why it is not proved that all of them match; none if it is proved. */
  def obstacle: Option[Obstacle] =
    if (state == MatchState.FullyMatching) None else evaluator.obstacle(unit)

  /** The first conjunct that holds for none of them. */
  def neverTrue: Option[Expression] = evaluator.neverTrue(unit)
}
