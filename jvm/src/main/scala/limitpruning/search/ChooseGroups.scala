package limitpruning.search

import org.apache.spark.sql.catalyst.expressions.Expression

import limitpruning.predicate.BriefSql
import limitpruning.select.{ChosenRows, Groups, ListedFile, Reason, SearchCounts, Selection}

/** Decides what to read for one GROUP BY … LIMIT or DISTINCT … LIMIT: lists the files, inspects them, selects row groups. */
object ChooseGroups {

  /** @return what to read, or the reason why the LIMIT is not pruned */
  def apply(groups: GroupsScan, table: SearchInputs): Either[NotPruned, LimitPlan] =
    if (groups.areKeysAll) new ChooseGroups(groups.scan, table).distinct(groups.keys)
    else new ChooseGroups(groups.scan, table).whole(groups.keys)
}

private final class ChooseGroups(scan: LimitedScan[Table], table: SearchInputs) {
  private val run = new RunSearch(scan, table)
  private val files = table.files // listed before the time budget for footers starts
  private val deadline = table.budget.maxTime.fromNow
  private val refine = table.refine(deadline)
  private val select = table.address(deadline)

  /**
   * The budget of a search for `keys` groups of which partition values decide the keys. If they also decide the predicate,
   * one file of each group is probably enough. None of this is certain, because a file may have no row.
   *
   * @param keys none if partition values do not decide the keys
   */
  private def budget(keys: => Option[Int]): SearchBudget = {
    val expected =
      if (scan.conjuncts.forall(scan.table.decides)) keys.map(_.min(scan.limit)) else None
    table.budget.copy(firstFiles = expected.getOrElse(0).max(table.firstFiles))
  }

  private def refined(wave: Seq[ClassifiedFile]): Seq[ClassifiedFile] = {
    refine.expect(wave)
    wave.map(refine(_, Long.MaxValue))
  }

  /** Chooses rows with distinct keys, when a group consists of its keys. */
  def distinct(expressions: Seq[Expression]): Either[NotPruned, LimitPlan] = {
    val keys = new GroupKeys(expressions, table.classify)
    val dictionaries = table.keyDictionaries(keys, deadline)
    val search = new DistinctSearch(
      scan.limit,
      keys,
      table.waves(budget(WholeGroupsSearch.filesByKeys(files, keys).map(_.size))),
      refined,
      dictionaries,
      Some(table.occurringKeys(keys, deadline))
    )
    run(search, files) { (outcome, counts) =>
      for {
        found <- outcome
        selection <- select(found.rows)
      } yield {
        val groups = Groups(keys.sql, found.groups, found.areAll)
        plan(selection, counts, groups, allRowsMatch = true)
      }
    }
  }

  /** Chooses all files that may have rows of some groups. Partition values alone decide the keys. */
  def whole(expressions: Seq[Expression]): Either[NotPruned, LimitPlan] = {
    val keys = new GroupKeys(expressions, table.classify)
    WholeGroupsSearch.filesByKeys(files, keys) match {
      case None => notPruned(Reason.GroupsNotComplete(expressions.map(BriefSql(_)).mkString(", ")))
      case Some(byKeys) if byKeys.nonEmpty && byKeys.size <= scan.limit => notPruned(Reason.NothingToSkip)
      case Some(byKeys) =>
        val search = new WholeGroupsSearch(
          scan.limit,
          byKeys,
          table.waves(budget(Some(byKeys.size))),
          refined,
          keys.sql
        )
        run(search, files) { (outcome, counts) =>
          outcome.map { chosen =>
            val groups = Groups(keys.sql, scan.limit, areAll = false)
            plan(all(chosen, search.seen), counts, groups, allRowsMatch = false)
          }
        }
    }
  }

  private def notPruned(reason: Reason): Either[NotPruned, LimitPlan] =
    Left(NotPruned(reason, Some(scan), planningNanos = run.nanos))

  private def plan(
      selection: Selection,
      counts: SearchCounts,
      groups: Groups,
      allRowsMatch: Boolean
  ): LimitPlan = LimitPlan(
    ChosenRows(
      scan.limit,
      scan.conjuncts,
      selection,
      counts,
      run.nanos,
      allRowsMatch,
      groups = Some(groups)
    ),
    scan.table.settings
  )

  /** All rows of the files that may match. */
  private def all(chosen: Seq[ListedFile], seen: Seq[ClassifiedFile]): Selection = {
    val positions = chosen.map(_.position).toSet
    val inspected = seen.filter(file => positions(file.listed.position))
    val unseen = chosen.filterNot(inspected.map(_.listed.position).toSet.compose(_.position))
    val (parts, whole) = new SelectPossible(select)(inspected)
    Selection(parts.map(_._2), whole ++ unseen)
  }
}
