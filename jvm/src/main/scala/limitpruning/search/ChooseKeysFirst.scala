package limitpruning.search

import java.util.IdentityHashMap

import scala.util.Using

import limitpruning.predicate.FirstKey
import limitpruning.select.{ChosenRows, SelectedFile, TopRows}

/**
 * Decides in which order jobs read the sort keys and the columns of the predicate for ORDER BY … LIMIT, where metadata give no
 * threshold: all row groups that may match, those with the best keys first. The rows of these are then a threshold.
 */
object ChooseKeysFirst {

  /** @return none if jobs are not expected to skip enough row groups */
  def apply(top: TopRowsScan, table: SearchInputs): Option[LimitPlan] = {
    val scan = top.scan
    val budget = table.budget.copy(firstFiles = table.firstFiles)
    if (table.files.size > budget.maxFiles) None
    else
      // The jobs run for long. Meanwhile, other searches need the memory.
      Using.resource(table.newMemory()) { memory =>
        val run = new RunSearch(scan, table)
        val key = new KeyFacts(top.order.first, scan.conjuncts, table.classify)
        val search = new KeysSearch(scan.limit, key, table.waves(budget, memory))
        val select = new AddressBestFirst(table.address(budget.maxTime.fromNow))
        run(search, table.files) { (outcome, counts) =>
          for {
            found <- outcome
            selection <- select(found)
          } yield {
            val why = TopRows(key.sql, FirstKey.of(top.order.first), None, 0, 0)
            val read = selection.copy(files = selection.files.map(columnsOf(top, table)))
            val rows = ChosenRows(
              scan.limit,
              scan.conjuncts,
              read,
              counts,
              run.nanos,
              allRowsMatch = false,
              top = Some(why)
            )
            LimitPlan(rows, scan.table.settings)
          }
        }.toOption
      }
  }

  /** Without the columns that the jobs do not read. A table may have thousands, in each of its row groups. */
  private def columnsOf(top: TopRowsScan, table: SearchInputs): SelectedFile => SelectedFile = {
    val isRead = table.areUsedIn(top.scan.conjuncts ++ top.order.all.map(_.child))
    // Row groups share the names of their columns.
    val known = new IdentityHashMap[IndexedSeq[Seq[String]], (IndexedSeq[Int], IndexedSeq[Seq[String]])]
    def of(paths: IndexedSeq[Seq[String]]) = known.computeIfAbsent(
      paths,
      _ => {
        val positions = paths.indices.filter(i => isRead(paths(i).head))
        (positions, positions.map(paths))
      }
    )
    file =>
      file.copy(rowGroups = file.rowGroups.map { rowGroup =>
        val (positions, paths) = of(rowGroup.columns.paths)
        rowGroup.copy(columns = rowGroup.columns.copy(paths, positions.map(rowGroup.columns.lengths)))
      })
  }
}
