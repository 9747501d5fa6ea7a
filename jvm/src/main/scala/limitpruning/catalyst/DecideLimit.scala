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
import limitpruning.rows.RowsPay
import limitpruning.search.{
  ChooseGroups, ChooseRows, ChooseTopRows, GroupKeys, LikelyRowGroups, LimitPlan, LimitedScan, NotPruned,
  SearchInputs, TopRowsScan
}
import limitpruning.select.Reason
import limitpruning.tables.{FileSourceTable, ParquetTable, UndecidedRelation, WantedOrder, WantedRows}

/** Decides what to read for one LIMIT, with or without ORDER BY: matches the plan, lists the table, searches it. */
final class DecideLimit(session: SparkSession, cache: FactsCache, conf: SQLConf) {

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
    MatchTopRows.of(limit) match {
      case Some(ordered) =>
        decide(limit, ordered, isRoot, isJoined = ordered.exists(_.isJoined))(_.scan)(top =>
          Some(wanted(top))
        )(_ => Nil)(ChooseTopRows(_, _))
      case None => MatchGroups.of(limit) match {
          // Not the rows of a root: any rows of the table do not have enough groups.
          case Some(groups) =>
            decide(limit, groups, isRoot = false, countsRows = false)(_.scan)(_ => None)(g =>
              GroupKeys.compared(g.keys)
            )(
              ChooseGroups(_, _)
            )
          case None =>
            MatchLimit.of(limit).map(_.map(_.copy(offset = offset))).flatMap(
              decide(limit, _, isRoot, mayHaveReserve = true)(identity)(_ => None)(_ => Nil)(ChooseRows(_, _))
            )
        }
    }

  /**
   * @return an aggregate of MIN and MAX over the selected rows; `None` if it is not pruned: if the aggregate is another one, reads
   *   no known table or waits for subqueries, if a selection is already in place, or if little is skipped
   */
  def minMax(aggregate: Aggregate): Option[LogicalPlan] =
    MatchMinMax.of(aggregate).filterNot(_.exists(_.head.scan.waitsForSubqueries)).flatMap {
      // Reading the keys first saves nothing: the query reads little else.
      decide(aggregate, _, isRoot = false, countsRows = false)(_.head.scan)(_ => None)(_.map(_.key.child))(
        (orders, inputs) =>
          if (orders.forall(mayBeSeen(_, inputs)))
            ChooseTopRows.ofAll(orders, inputs).flatMap(ofFewRowGroups(orders.head, _))
          else Left(notClustered(orders.head, 0))
      )
    }.flatMap(_.toOption)

  /**
   * The same rows, if a threshold is known and excludes most of the table: Spark may read the table once for several aggregates
   * over it, and not if one of them has a selection. Nothing is skipped by the rows that are read. Spark merges aggregates over
   * equal selections, and the rows of one would skip row groups of another.
   */
  private def ofFewRowGroups(top: TopRowsScan, plan: LimitPlan): Either[NotPruned, LimitPlan] = {
    val rows = plan.rows
    val isThreshold = rows.top.exists(_.threshold.nonEmpty) && rows.selection.unseen.isEmpty
    if (isThreshold && rows.selection.bytes <= rows.counts.bytes / DecideLimit.LeastSkippedByMinMax)
      Right(plan.copy(notedSortKey = None))
    else Left(notClustered(top, rows.counts.filesInspected))
  }

  /** Whether the budget may be enough for all files that the listing does not exclude. If not, reading footers is in vain. */
  private def mayBeSeen(top: TopRowsScan, inputs: SearchInputs): Boolean =
    inputs.files.size <= inputs.budget.maxFiles || inputs.listing.hasFacts ||
      top.key.references.subsetOf(AttributeSet(top.scan.table.partitionColumns))

  private def notClustered(top: TopRowsScan, files: Int): NotPruned =
    NotPruned(Reason.KeyNotClustered(files, top.key.sql, ""))

  /**
   * @param plan contains the relation of the scan
   * @param orderOf the order whose first sort key needs facts in addition to those of the predicate
   * @param keysOf other expressions that need such facts
   * @param mayHaveReserve whether rows of other files can replace those of a file that Spark skips. The first rows in an
   *   order, or the rows of a group, may be in the skipped file alone.
   * @param countsRows whether the LIMIT counts rows, and not groups
   * @param isJoined whether the scan is on the preserved side of outer joins. Spark may copy this side, into the other side
   *   and into runtime filters, and each copy must have the same rows. So they are chosen now, once for all.
   */
  private def decide[A](
      plan: LogicalPlan,
      matched: Either[Reason, A],
      isRoot: Boolean,
      mayHaveReserve: Boolean = false,
      countsRows: Boolean = true,
      isJoined: Boolean = false
  )(scanOf: A => LimitedScan)(orderOf: A => Option[WantedOrder])(keysOf: A => Seq[Expression])(
      search: (A, SearchInputs) => Either[NotPruned, LimitPlan]
  ): Option[Either[NotPruned, LogicalPlan]] = matched match {
    case Left(Reason.NotSeen) => None // PruneV2Limits decides
    case Left(reason) => Some(Left(NotPruned(reason)))
    case Right(request) =>
      val scan = scanOf(request)
      val tolerated = scan.table.toleratesBadFiles
      def order = orderOf(request)
      def atRoot = if (isRoot && order.isEmpty && tolerated.isEmpty) takenWhenRun(plan, scan) else None
      if (isDecided(scan)) None
      else if (tolerated.nonEmpty && (scan.waitsForSubqueries || !mayHaveReserve))
        tolerated.map(reason => Left(NotPruned(reason, Some(scan))))
      else if (scan.waitsForSubqueries && isJoined) Some(Left(NotPruned(Reason.Subquery, Some(scan))))
      else if (scan.waitsForSubqueries) Some(whenRun(plan, scan, order))
      else atRoot.orElse {
        val keys = order.map(_.overTable.child).toSeq ++ keysOf(request)
        val isOneTask = isRoot && keys.isEmpty
        Using.resource(new SearchInputs(scan, session, cache, conf, keys, isOneTask = isOneTask)) { inputs =>
          val found = search(request, inputs)
          def byRows =
            if (countsRows && !isJoined) this.byRows(plan, scan, order, inputs, found, isRoot) else None
          def read(chosen: LimitPlan) =
            if (isJoined) OuterJoin.changePreserved(plan)(inputs.listing.read(_, chosen))
            else inputs.listing.read(plan, chosen)
          Some(byRows.map(Right(_)).getOrElse(found.map(read)))
        }
      }
  }

  /**
   * If metadata do not cover the LIMIT, its rows may be found by reading columns when the query runs.
   *
   * @return none if this does not pay
   */
  private def byRows(
      plan: LogicalPlan,
      scan: LimitedScan,
      order: Option[WantedOrder],
      inputs: SearchInputs,
      found: Either[NotPruned, LimitPlan],
      isRoot: Boolean
  ): Option[LogicalPlan] = for {
    table <- Some(scan.table).collect {
      case table: FileSourceTable if table.canReadFirst && table.toleratesBadFiles.isEmpty => table
    }
    if order.forall(_.keys.forall(hasStableColumns)) && NativeEngines.reasonForChild(session).isEmpty
    keys = order.toSeq.flatMap(_.keys)
    saved <- RowsPay(scan, keys, inputs, found, conf.getConf(LimitPruningConf.RowsMinBytes))
  } yield table.decideWhenRun(
    plan,
    WantedRows(
      scan.limit,
      scan.conjuncts,
      order,
      Some(found),
      saved.bytes,
      isRoot,
      inFirstTask = isRoot && saved.inFirstTask && conf.getConf(LimitPruningConf.RowsInFirstTask),
      if (keys.isEmpty) LikelyRowGroups.of(found) else LikelyRowGroups.none
    )
  )

  /** Whether the rows are chosen, or are to be chosen when the query runs. */
  private def isDecided(scan: LimitedScan): Boolean =
    scan.table.selected.nonEmpty || UndecidedRelation.unapply(scan.table.leaf).nonEmpty

  /**
   * Without a predicate, the first task of a `take` finds enough rows by itself, so a footer that is read while planning
   * only costs time. Other actions need a search. The plan is the same for all actions, so the LIMIT is decided when the
   * query runs.
   *
   * @return none if the LIMIT is planned now
   */
  private def takenWhenRun(plan: LogicalPlan, scan: LimitedScan): Option[Either[NotPruned, LogicalPlan]] =
    scan.table match {
      case table: ParquetTable
          if scan.conjuncts.isEmpty && scan.limit <= DecideLimit.MostTaken && table.canDecideWhenRun &&
            !conf.getConf(LimitPruningConf.AtRoot) && NativeEngines.reasonForChild(session).isEmpty =>
        Some(Right(table.decideWhenRun(plan, WantedRows(scan.limit, Nil, None))))
      case _ => None
    }

  private def whenRun(
      plan: LogicalPlan,
      scan: LimitedScan,
      order: Option[WantedOrder]
  ): Either[NotPruned, LogicalPlan] = scan.table match {
    case table: ParquetTable
        if conf.subqueryReuseEnabled && order.forall(hasSimpleKey) &&
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
    case Some(Right(Seq(top))) if top.scan.table.canDecideWhenRun && !isDecided(top.scan) =>
      whenRun(aggregate, top.scan, Some(wanted(top))).getOrElse(aggregate)
    case _ => aggregate
  }

  private def wanted(top: TopRowsScan): WantedOrder = WantedOrder(top.key, top.sorted, top.order)

  /** Whether Spark cannot change the columns of the key after the rule. It may remove fields of structs. */
  private def hasSimpleKey(order: WantedOrder): Boolean = hasStableColumns(order.overTable)

  private def hasStableColumns(key: Expression): Boolean =
    key.references.forall(column => SupportedTypes.contains(column.dataType))
}

private object DecideLimit {

  /** A MIN or MAX reads at most one in this many bytes. */
  private val LeastSkippedByMinMax = 4

  /** The maximum number of rows that one task is expected to find: most row groups have more. */
  private val MostTaken = 10000
}
