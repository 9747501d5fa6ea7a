package limitpruning.catalyst

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{
  And, Attribute, AttributeSet, Expression, SortOrder, Unevaluable
}
import org.apache.spark.sql.catalyst.planning.ScanOperation
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.execution.{FileSourceScanExec, FilterExec, SparkPlan}
import org.apache.spark.sql.execution.datasources.{FileSourceStrategy, LogicalRelation}

import limitpruning.conf.SparkSessions
import limitpruning.scan.{HiddenRows, LimitPrunedScanExec, NoteTopKeysExec, SelectionRead}
import limitpruning.select.{SkippedRows, Threshold}
import limitpruning.shims.{SparkShims, Strategy}
import limitpruning.tables.{
  DeltaLake, ScanClauses, ScanContract, SelectedIndex, SelectedRelation, UndecidedIndex, UndecidedRelation
}

/**
 * Plans the scan of a selection.
 *
 *  - If every selected row satisfies the predicate, the plan has neither the Filter nor the columns that only the
 *    Filter needs, unless Spark would read the other columns by another reader. Otherwise, the plan evaluates all filters above the scan.
 *  - If the filters are not those that the rows were chosen for, the scan is planned as without the extension. This
 *    happens if Spark adds a runtime filter, or moves a filter because of Python UDFs.
 *  - If the rows are chosen when the query runs, the plan has Spark's own scan with all filters, and above the scan the node
 *    that chooses.
 *  - If an engine needs Spark's own scan node, this node reads the selected files completely, with all filters.
 */
final case class PlanLimitPrunedScan(session: SparkSession, state: PlanningState) extends Strategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case ScanOperation(projections, Nil, filters, SelectedRelation(logical, index))
        if index.chosen.isChosenFor(filters) =>
      if (NativeEngines.reasonForFileScan(session, index).nonEmpty) index.planAsIs(plan)
      else {
        lazy val withFilters = FileSourceStrategy(plan)
        // If the filters use no other columns, both are read by the same reader, and the scan is planned only once.
        def isSameReader(proved: Seq[SparkPlan]) =
          AttributeSet(
            filters.flatMap(_.references)
          ).subsetOf(AttributeSet(projections.flatMap(_.references))) ||
            haveSameReader(withFilters, proved)
        val proved =
          if (index.chosen.allRowsMatch)
            Some(FileSourceStrategy(Project(projections, logical))).filter(isSameReader)
          else None
        val planned = proved.getOrElse(withFilters)
        if (hasUnknownField(planned)) planRestored(plan, index)
        else planned.map(replaceScan(_, index, keepsFilters = proved.isEmpty))
      }
    case ScanOperation(_, _, _, SelectedRelation(_, index)) => planRestored(plan, index)
    case ScanOperation(_, Nil, filters, UndecidedRelation(logical, index)) =>
      val planned = index.planAsIs(UndecidedRelation.restoreIn(plan))
      if (!isAsWanted(filters, logical, index) || hasUnknownField(planned) || countsRows(planned)) planned
      else planned.map(chooseWhenRun(_, logical, filters, index))
    case ScanOperation(_, _, _, UndecidedRelation(_, index)) =>
      index.planAsIs(UndecidedRelation.restoreIn(plan))
    case _ => Nil
  }

  /**
   * Plans all of the table. If the plan above does not skip all rows of the OFFSET, because the first ones were counted, the others
   * are skipped here: there may be another filter, which fewer rows pass.
   */
  private def planRestored(plan: LogicalPlan, index: SelectedIndex): Seq[SparkPlan] = {
    val restored = SelectedRelation.restoreIn(plan)
    if (index.chosen.skipped == SkippedRows.Zero) index.planAsIs(restored)
    else Seq(planLater(SkipByOffset.skipping(index.chosen, restored)))
  }

  private def countsRows(planned: Seq[SparkPlan]): Boolean = planned.exists(_.exists {
    case scan: FileSourceScanExec => HiddenRows.areCountedBy(scan)
    case _ => false
  })

  private def hasUnknownField(planned: Seq[SparkPlan]): Boolean =
    planned.exists(_.exists(PlanLimitPrunedScan.unknownField(_).nonEmpty))

  /** Whether the filters and the columns of the keys are still those for which rows are to be chosen. */
  private def isAsWanted(
      filters: Seq[Expression],
      logical: LogicalRelation,
      index: UndecidedIndex
  ): Boolean = {
    val keys = index.wanted.keys.flatMap(_.references)
    ScalarSubqueries.areSupported(filters) && ScalarSubqueries.areSame(filters, index.wanted.conjuncts) &&
    keys.forall(key => logical.output.exists(c => c.exprId == key.exprId && c.dataType == key.dataType))
  }

  private def chooseWhenRun(
      planned: SparkPlan,
      logical: LogicalRelation,
      filters: Seq[Expression],
      index: UndecidedIndex
  ): SparkPlan = {
    val wanted = index.wanted
    val choose = new ChooseWhenRun(session, state, UndecidedRelation.restored(logical, index), index)
    val withChoice = planned.transformUp { case scan: FileSourceScanExec =>
      withAllFilters(
        scan,
        ChooseWhenRunExec(
          filters,
          wanted.limit,
          wanted.order.toSeq.flatMap(_.all),
          wanted.groups,
          Some(choose),
          SparkShims.withSubqueryFilters(scan, filters, logical)
        )
      )
    }
    if (wanted.areAny || wanted.isRoot && wanted.order.isEmpty) TakeFirstRowsExec(wanted.limit, withChoice)
    // The rows of one group do not exclude those of another.
    else wanted.order.filter(_ => wanted.groups.isEmpty).fold(withChoice)(order =>
      noting(order.firstOverOutput, wanted.limit, withChoice)
    )
  }

  /**
   * Whether the same of Spark's readers reads both plans. Without the columns of the filters, Spark may change the reader,
   * and each reader has encodings that the other one does not support.
   */
  private def haveSameReader(some: Seq[SparkPlan], others: Seq[SparkPlan]): Boolean =
    readers(some) == readers(others)

  // The vectorized reader may also return rows: without whole-stage code generation, the scan is not columnar.
  private def readers(planned: Seq[SparkPlan]): Seq[(Boolean, Boolean)] =
    planned.flatMap(_.collect { case scan: FileSourceScanExec =>
      (SelectionRead.isColumnar(scan), SelectionRead.isVectorized(scan))
    })

  private def replaceScan(planned: SparkPlan, index: SelectedIndex, keepsFilters: Boolean): SparkPlan = {
    val replaced = planned.transformUp { case scan: FileSourceScanExec =>
      withAllFilters(
        scan,
        LimitPrunedScanExec(scan, index.chosen, index.plan.settings).copy(isFiltered = keepsFilters)
      )
    }
    index.plan.notedSortKey.fold(replaced)(noting(_, index.chosen.limit, replaced))
  }

  /**
   * Adds the partition filters above the scan. Spark has them only in its own scan node, which prunes directories by
   * them. The scan of a selection does not.
   */
  private def withAllFilters(scan: FileSourceScanExec, ours: SparkPlan): SparkPlan =
    scan.partitionFilters.reduceOption(And(_, _)).fold[SparkPlan](ours)(FilterExec(_, ours))

  /**
   * Adds a node that notes the keys of passing rows, if the limit is small enough and the output of the plan has the
   * columns of the key.
   */
  private def noting(key: SortOrder, limit: Int, plan: SparkPlan): SparkPlan =
    if (
      limit <= Threshold.MostNoted && key.references.subsetOf(plan.outputSet) &&
      canBeEvaluated(key.child)
    )
      NoteTopKeysExec(key, limit, plan)
    else plan

  /** Spark evaluates some expressions in nodes of their own, such as Python functions. */
  private def canBeEvaluated(key: Expression): Boolean = !key.exists {
    case _: Attribute => false // which is bound
    case other => other.isInstanceOf[Unevaluable]
  }
}

object PlanLimitPrunedScan {

  /**
   * Ensures that this strategy comes before the strategy of Delta Lake, which plans every file scan of the session. Their
   * order otherwise depends on the order of the extensions in `spark.sql.extensions`. Strategies of the session itself
   * come before those of extensions. This must be called for each query that is optimized, because a cloned session has
   * the strategies of the original session.
   */
  def comeBeforeDelta(session: SparkSession, planning: PlanningState): Unit = synchronized {
    val state = SparkSessions.onServer(session).sessionState
    val methods = state.experimentalMethods
    val (ours, others) = methods.extraStrategies.partition(_.isInstanceOf[PlanLimitPrunedScan])
    def isAfterDelta = state.planner.strategies
      .takeWhile(!_.isInstanceOf[PlanLimitPrunedScan])
      .exists(DeltaLake.isStrategy)
    val first = PlanLimitPrunedScan(session, planning)
    if (!ours.contains(first) && (ours.nonEmpty || isAfterDelta)) methods.extraStrategies = others :+ first
  }

  /** A field of Spark's scan node that [[ScanContract]] does not list; none for other nodes. */
  def unknownField(plan: SparkPlan): Option[String] = plan match {
    case scan: FileSourceScanExec => ScanContract.undecided(scan, ScanClauses.fileSourceScan)
    case _ => None
  }
}
