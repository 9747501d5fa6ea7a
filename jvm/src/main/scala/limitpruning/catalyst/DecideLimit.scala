package limitpruning.catalyst

import scala.collection.mutable
import scala.util.Using

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{
  AttributeSet, ExprId, Expression, NamedExpression, ScalarSubquery
}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LocalLimit, LogicalPlan}
import org.apache.spark.sql.internal.SQLConf

import limitpruning.conf.LimitPruningConf
import limitpruning.footers.FactsCache
import limitpruning.predicate.SupportedTypes
import limitpruning.search.{
  AnyRowsScan, AnyValueScan, ChooseGroups, ChooseRows, ChooseTopRows, GroupsScan, LimitPlan,
  LimitQuery, LimitedScan, MinMaxScan, NotPruned, SearchInputs, SortKeys, Table, TopRowsScan
}
import limitpruning.select.Reason
import limitpruning.tables.{ParquetTable, UndecidedRelation, WantedRows}

/** Decides what to read for one LIMIT: matches the plan, lists the table, searches it. */
final class DecideLimit(session: SparkSession, cache: FactsCache, conf: SQLConf) {
  import DecideLimit._

  private val decideByRows = new DecideByRows(session, cache, conf)

  /**
   * @param isRoot whether the LIMIT is at the root of the query
   * @param offset how many of its rows an OFFSET skips, if the caller can reduce both by the rows that are counted
   * @return the LIMIT over the selected rows, or over a relation whose rows are chosen when the query runs, or why it is
   *   not pruned; `None` if it reads no known table, or if a selection is already in place
   */
  def apply(
      limit: LocalLimit,
      isRoot: Boolean = false,
      offset: Int = 0
  ): Option[Either[NotPruned, LogicalPlan]] =
    MatchQuery.of(limit).flatMap {
      case Right(AnyRowsScan(scan)) =>
        decide(limit, Right(AnyRowsScan(scan.copy(offset = offset))), isRoot)
      case matched => decide(limit, matched, isRoot)
    }

  /**
   * @return an aggregate of MIN and MAX, or of ANY_VALUE, over the selected rows; `None` if it is not pruned: if the aggregate is another one, reads
   *   no known table or waits for subqueries, if a selection is already in place, or if little is skipped
   */
  def minMax(aggregate: Aggregate): Option[LogicalPlan] =
    MatchMinMax.of(aggregate).map(_.map(MinMaxScan(_)))
      .orElse(MatchMinMax.anyRow(aggregate).map(_.map(AnyValueScan(_))))
      .filterNot(_.exists(_.scan.waitsForSubqueries))
      .flatMap(decide(aggregate, _, isRoot = false))
      .flatMap(_.toOption)

  private def minMax(orders: Seq[TopRowsScan], inputs: SearchInputs): Either[NotPruned, LimitPlan] =
    if (orders.forall(mayBeSeen(_, inputs)))
      ChooseTopRows.ofAll(orders, inputs, mayNote = false).flatMap(ofFewRowGroups(orders.head, _))
    else Left(notClustered(orders.head, 0))

  /**
   * The same rows, if a threshold is known and excludes most of the table. Nothing is skipped by the rows that are read. Spark
   * merges aggregates over equal selections, and the rows of one would skip row groups of another.
   */
  private def ofFewRowGroups(top: TopRowsScan, plan: LimitPlan): Either[NotPruned, LimitPlan] = {
    val rows = plan.rows
    val isThreshold = rows.top.exists(_.threshold.nonEmpty) && rows.selection.unseen.isEmpty
    if (isThreshold && MinMaxScan.pays(rows.selection.bytes, rows.counts.bytes))
      Right(plan.copy(notedSortKey = None))
    else Left(notClustered(top, rows.counts.filesInspected))
  }

  /** Whether the budget may be enough for all files that the listing does not exclude. If not, reading footers is in vain. */
  private def mayBeSeen(top: TopRowsScan, inputs: SearchInputs): Boolean =
    inputs.files.size <= inputs.budget.maxFiles || inputs.listing.hasFacts ||
      top.order.first.references.subsetOf(AttributeSet(top.scan.table.partitionColumns))

  private def notClustered(top: TopRowsScan, files: Int): NotPruned =
    NotPruned(Reason.KeyNotClustered(files, top.order.first.sql, ""))

  /**
   * @param plan contains the relation of the scan
   * @param matched what is needed of it, or the reason why it is not pruned
   */
  private def decide(
      plan: LogicalPlan,
      matched: Either[Reason, LimitQuery],
      isRoot: Boolean
  ): Option[Either[NotPruned, LogicalPlan]] = matched match {
    case Left(Reason.NotSeen) => None // PruneV2Limits decides
    case Left(reason) => Some(Left(NotPruned(reason)))
    case Right(query) =>
      val scan = query.scan
      val tolerated = scan.table.toleratesBadFiles
      val isJoined = query match { case top: TopRowsScan => top.isJoined; case _ => false }
      // Rows of other files can replace those of a file that Spark skips. The first rows in an order, or the rows of a group, may be
      // in the skipped file alone.
      val isAnyRows = query.isInstanceOf[AnyRowsScan]
      def atRoot = if (isRoot && isAnyRows && tolerated.isEmpty) takenWhenRun(plan, scan) else None
      if (isDecided(scan)) None
      else if (tolerated.nonEmpty && (scan.waitsForSubqueries || !isAnyRows))
        tolerated.map(reason => Left(NotPruned(reason, Some(scan))))
      else if (scan.waitsForSubqueries && isJoined) Some(Left(NotPruned(Reason.Subquery, Some(scan))))
      else if (scan.waitsForSubqueries) Some(whenRun(plan, scan, query.sortKeys))
      else atRoot.orElse {
        val isOneTask = isRoot && isAnyRows
        Using.resource(new SearchInputs(
          scan,
          session,
          cache,
          conf,
          query.alsoNeeded,
          isOneTask = isOneTask
        )) {
          inputs =>
            val found = search(query, inputs)
            val byRows = decideByRows(query, inputs, found, isRoot)
            val read = byRows.map(Right(_))
              .getOrElse(found.map(chosen => inputs.listing.read(_: LogicalPlan, chosen)))
            Some(read.map(OuterJoin.changePreserved(plan)))
        }
      }
  }

  private def search(query: LimitQuery, inputs: SearchInputs): Either[NotPruned, LimitPlan] = query match {
    case AnyRowsScan(scan) => ChooseRows(scan, inputs)
    case top: TopRowsScan => ChooseTopRows(top, inputs)
    case groups: GroupsScan => ChooseGroups(groups, inputs)
    case MinMaxScan(orders) => minMax(orders, inputs)
    case AnyValueScan(scan) => ChooseRows(scan, inputs)
  }

  /**
   * Without a predicate, the first task of a `take` finds enough rows by itself, so a footer that is read while planning
   * only costs time. Other actions need a search. The plan is the same for all actions, so the LIMIT is decided when the
   * query runs.
   *
   * @return none if the LIMIT is planned now
   */
  private def takenWhenRun(
      plan: LogicalPlan,
      scan: LimitedScan[Table]
  ): Option[Either[NotPruned, LogicalPlan]] =
    scan.table match {
      case table: ParquetTable
          if scan.conjuncts.isEmpty && scan.limit <= MostTaken && table.canDecideWhenRun &&
            !conf.getConf(LimitPruningConf.AtRoot) && NativeEngines.reasonForChild(session).isEmpty =>
        Some(Right(table.decideWhenRun(plan, WantedRows(scan.limit, Nil, None))))
      case _ => None
    }

  private def whenRun(
      plan: LogicalPlan,
      scan: LimitedScan[Table],
      order: Option[SortKeys]
  ): Either[NotPruned, LogicalPlan] = scan.table match {
    case table: ParquetTable
        if conf.subqueryReuseEnabled && order.forall(keys => hasStableColumns(keys.first)) &&
          NativeEngines.reasonForChild(session).isEmpty =>
      Right(withMinMax(table.decideWhenRun(plan, WantedRows(scan.limit, scan.conjuncts, order))))
    case _ => Left(NotPruned(Reason.Subquery, Some(scan)))
  }

  /**
   * The plan with subqueries that choose the rows of a min or a max, such as the newest partition, when the query runs.
   * Spark has optimized these subqueries before the query around them. They are not searched now, because Spark lists the
   * files of a catalog table when the query runs, and both must be of one state.
   *
   * A subquery that changes gets another ID. Spark runs one subquery for each ID, and the rest of the query may have the
   * same subquery, in a filter that Spark inferred from a join. That one stays, and Spark may merge it with others.
   */
  private def withMinMax(plan: LogicalPlan): LogicalPlan = {
    val changedIds = mutable.HashMap.empty[ExprId, ExprId]
    plan.transformAllExpressions { case subquery: ScalarSubquery =>
      val chosen = subquery.plan.transformDown { case aggregate: Aggregate => minMaxWhenRun(aggregate) }
      if (chosen.fastEquals(subquery.plan)) subquery
      else {
        val id = changedIds.getOrElseUpdate(subquery.exprId, NamedExpression.newExprId)
        // Versions of Spark differ in the fields of a subquery.
        val fields = subquery.withNewPlan(chosen).productIterator.map {
          case _: ExprId => id
          case field => field.asInstanceOf[AnyRef]
        }
        subquery.makeCopy(fields.toArray)
      }
    }
  }

  private def minMaxWhenRun(aggregate: Aggregate): LogicalPlan = MatchMinMax.of(aggregate) match {
    case Some(Right(Seq(top)))
        if top.scan.table.canDecideWhenRun && !isDecided(top.scan) && !MatchMinMax.isOfTies(aggregate) =>
      whenRun(aggregate, top.scan, Some(top.order)).getOrElse(aggregate)
    case _ => aggregate
  }
}

private[catalyst] object DecideLimit {

  /** Whether the rows are chosen, or are to be chosen when the query runs. */
  def isDecided(scan: LimitedScan[Table]): Boolean =
    scan.table.selected.nonEmpty || UndecidedRelation.unapply(scan.table.leaf).nonEmpty

  /** Whether Spark cannot change the columns of a key after the rule. It may remove fields of structs. */
  def hasStableColumns(key: Expression): Boolean =
    key.references.forall(column => SupportedTypes.contains(column.dataType))

  /** The maximum number of rows that one task is expected to find: most row groups have more. */
  private val MostTaken = 10000
}
