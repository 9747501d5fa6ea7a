package limitpruning.search

import limitpruning.parquet.ColumnPages
import limitpruning.predicate.{ColumnFacts, Evaluator, LeafColumn, MatchState, RowUnit, SupportedTypes, Work}
import limitpruning.search.ClassifiedRowGroup._
import limitpruning.select.RowRange

/**
 * Classifies a row group by its pages. Pages of different columns may begin at different rows. The predicate is
 * therefore evaluated for each range of rows between two neighbouring page boundaries of the columns concerned: within
 * such a range, each of these columns has one page.
 */
private[limitpruning] object ClassifyPages {

  /**
   * @param work counts the ranges
   * @param rows row count of the row group, at least 1
   * @param known the facts about the row group as a whole
   * @param pages by the ordinal of the column
   * @param undecided the row group as it was classified without pages
   */
  def apply(
      evaluator: Evaluator,
      work: Work,
      columns: IndexedSeq[LeafColumn],
      rows: Long,
      known: RowUnit,
      pages: Map[Int, ColumnPages],
      undecided: ClassifiedRowGroup
  ): ClassifiedRowGroup = if (pages.isEmpty) undecided
  else {
    val states = units(work, columns, rows, known, pages).map { case (range, unit) =>
      range -> MatchState.of(evaluator.outcomes(unit))
    }
    val matching = states.collect { case (range, MatchState.FullyMatching) => range }
    val isDecided = states.forall { case (_, state) => state != MatchState.PartiallyMatching }
    if (matching.isEmpty && isDecided) NotMatching
    else if (matching.size == states.size) fullyMatching(rows)
    else
      ClassifiedRowGroup(
        MatchState.PartiallyMatching,
        undecided.obstacle.filterNot(_ => isDecided),
        RowRange.joined(matching),
        isDecided
      )
  }

  /** The ranges of rows between page boundaries, in ascending order, with the facts about each range. */
  def units(
      work: Work,
      columns: IndexedSeq[LeafColumn],
      rows: Long,
      known: RowUnit,
      pages: Map[Int, ColumnPages]
  ): Seq[(RowRange, RowUnit)] = {
    val orderings = pages.map { case (ordinal, _) =>
      ordinal -> SupportedTypes.ordering(columns(ordinal).dataType)
    }
    val starts = (0L +: pages.values.flatMap(_.starts).toSeq).distinct.sorted :+ rows
    work.addPages(starts.size - 1)
    starts.zip(starts.tail).map { case (from, until) =>
      RowRange(from, until) -> new PageFactsAt(from, known, pages, orderings)
    }
  }

  /** The facts about the pages that contain one row: the facts of each page, combined with those of the row group. */
  private final class PageFactsAt(
      row: Long,
      known: RowUnit,
      pages: Map[Int, ColumnPages],
      orderings: Map[Int, Ordering[Any]]
  ) extends RowUnit {
    private var combined = Map.empty[Int, ColumnFacts]

    override def facts(ordinal: Int): ColumnFacts = pages.get(ordinal) match {
      case None => known.facts(ordinal)
      case Some(ofColumn) =>
        combined.getOrElse(
          ordinal, {
            val both = ofColumn.at(row).and(known.facts(ordinal), orderings(ordinal))
            combined += ordinal -> both
            both
          }
        )
    }

    override def excludes(ordinal: Int, value: Any): Boolean = known.excludes(ordinal, value)
  }
}
