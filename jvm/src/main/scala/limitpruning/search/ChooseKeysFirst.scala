package limitpruning.search

import scala.util.Using

import limitpruning.predicate.FirstKey
import limitpruning.scan.NoteTopKeysExec
import limitpruning.select.{CandidateRows, SelectedFile, TopRows}

/**
 * Decides in which order jobs read the sort keys and the columns of the predicate for ORDER BY … LIMIT, where metadata give no
 * threshold: all row groups that may match, those with the best keys first. The rows of these are then a threshold.
 */
object ChooseKeysFirst {

  /** @return none if jobs are not expected to skip enough row groups */
  def apply(top: TopRowsScan, table: SearchInputs): Option[LimitPlan] = {
    val scan = top.scan
    val budget = table.budget.copy(firstFiles = table.firstFiles)
    if (scan.limit > NoteTopKeysExec.MostKeys || table.files.size > budget.maxFiles) None
    else
      // The jobs run for long. Meanwhile, other searches need the memory.
      Using.resource(table.newMemory()) { memory =>
        val run = new RunSearch(scan, table)
        val key = new KeyFacts(top.key, scan.conjuncts, table.classify)
        val search = new KeysSearch(scan.limit, key, budget, memory, table.footers(_), table.classify(_, _))
        val select = new AddressBestFirst(table.address(budget.maxTime.fromNow))
        run(search, table.files) { (outcome, counts) =>
          for {
            found <- outcome
            selection <- select(found)
          } yield {
            val why = TopRows(key.sql, FirstKey.of(top.key), None, 0, 0)
            val read = selection.copy(files = selection.files.map(columnsOf(top, table)))
            val rows = CandidateRows(scan.limit, scan.conjuncts, read, counts, run.nanos, Some(why))
            LimitPlan(rows, scan.table.settings)
          }
        }.toOption
      }
  }

  /** Without the columns that the jobs do not read. A table may have thousands, in each of its row groups. */
  private def columnsOf(top: TopRowsScan, table: SearchInputs): SelectedFile => SelectedFile = {
    val isRead = table.areUsedIn(top.scan.conjuncts ++ top.order.map(_.child))
    file =>
      file.copy(rowGroups = file.rowGroups.map { rowGroup =>
        val read = rowGroup.columns.paths.indices.filter(i => isRead(rowGroup.columns.paths(i).head))
        rowGroup.copy(columns =
          rowGroup.columns.copy(read.map(rowGroup.columns.paths), read.map(rowGroup.columns.lengths))
        )
      })
  }
}
