package limitpruning.search

import scala.util.Using

import limitpruning.parquet.{ColumnPages, PageIndexReader}
import limitpruning.predicate.MatchState
import limitpruning.select.RowRange

/** The rows of a row group that its page index does not exclude. Plain Spark skips the pages of the others, too. */
private[search] object RowsLeftByPages {

  /** As a share of all rows of the row group. Reads the page index of the predicate's columns. */
  def share(file: ClassifiedFile, rowGroup: Int, inputs: SearchInputs): Double =
    inputs.classify.evaluator.fold(1.0) { evaluator =>
      val columns = inputs.classify.columns
      val known = file.known(rowGroup)
      val rows = file.footer.rowGroups(rowGroup).getRowCount
      Using.resource(new PageIndexReader(file.listed.status, file.footer, inputs.storage, inputs.maxBytes)) {
        indexes =>
          val pages = evaluator.undecided(known).flatten.distinct.flatMap { column =>
            ColumnPages.of(file.facts, indexes, columns(column), rowGroup).map(column -> _)
          }.toMap
          if (pages.isEmpty) 1.0
          else {
            val left = ClassifyPages.units(inputs.classify.work, columns, rows, known, pages).filter {
              case (_, unit) => MatchState.of(evaluator.outcomes(unit)) != MatchState.NotMatching
            }
            RowRange.rowsOf(left.map(_._1)).toDouble / rows
          }
      }
    }
}
