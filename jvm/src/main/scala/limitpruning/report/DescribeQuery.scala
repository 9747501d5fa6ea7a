package limitpruning.report

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{CommandResult, LocalLimit, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.TreePattern.{AGGREGATE, LIMIT, WINDOW_GROUP_LIMIT}
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.{FileSourceScanExec, QueryExecution, SparkPlan}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.{FileIndex, HadoopFsRelation}
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec

import limitpruning.catalyst.{
  ChooseFilesWhenRunExec, ChooseWhenRunExec, ChoosesRows, NativeEngines, PlanLimitPrunedScan
}
import limitpruning.report.DescribeDecision.{notPruned, orderOf, selected, taken, undecided}
import limitpruning.scan.LimitPrunedScanExec
import limitpruning.search.{LimitedScan, NotPruned, Table}
import limitpruning.select.Reason
import limitpruning.tables.{SelectedIndex, SelectedRelation, UndecidedIndex, UndecidedRelation}

/** Creates a report from a query's plans. The plans contain all decisions, so nothing is stored elsewhere. */
object DescribeQuery {
  private val nodes = new PhysicalNodes

  /**
   * Plans the query if that has not been done. Never runs it.
   *
   * @param mostRowGroups the maximum number of row groups that are described for each LIMIT
   */
  def apply(execution: QueryExecution, mostRowGroups: Int): PruningReport = {
    val (logical, physical) = execution.optimizedPlan match {
      case command: CommandResult =>
        (
          logicalOf(command.commandPhysicalPlan).getOrElse(command.commandLogicalPlan),
          command.commandPhysicalPlan
        )
      case query => (query, execution.executedPlan)
    }
    of(logical, physical, mostRowGroups)
  }

  /** @param logical the optimized plan from which the physical plan was created */
  def of(logical: LogicalPlan, physical: SparkPlan, mostRowGroups: Int): PruningReport = {
    val limits = logical.collectWithSubqueries { case limit: LocalLimit => limit }
    // Not those of subqueries, for which a LIMIT may wait: EXPLAIN shows them.
    val minMax = logical.collect { case PrunedMinMax(limit) => limit }
    val windows = logical.collectWithSubqueries { case PrunedWindow(limit) => limit }
    val describe = new DescribeQuery(physical, mostRowGroups)
    PruningReport((limits ++ minMax ++ windows).flatMap(describe(_)))
  }

  /**
   * The optimized plan with a LIMIT, or with a MIN or MAX, from which a physical plan was created. A command itself contains only
   * the plan before optimization.
   */
  def logicalOf(physical: SparkPlan): Option[LogicalPlan] =
    nodes.collectFirst(physical) {
      case node if node.logicalLink.exists(_.containsAnyPattern(LIMIT, AGGREGATE, WINDOW_GROUP_LIMIT)) =>
        node.logicalLink
    }.flatten
}

/**
 * Describes the LIMITs of one query.
 *
 * @param most the maximum number of row groups that are described for each LIMIT
 */
private final class DescribeQuery(physical: SparkPlan, most: Int) {

  // A query may have hundreds of LIMITs, and its plan thousands of nodes. Only some nodes are of interest.
  private lazy val nodes: Seq[SparkPlan] = DescribeQuery.nodes.collectWithSubqueries(physical) {
    case choosing: ChoosesRows => choosing
    case leaf if leaf.children.isEmpty => leaf
  }

  def apply(limit: LocalLimit): Option[LimitReport] = {
    def choosing = nodes.collect { case node: ChooseFilesWhenRunExec => node }
    def isReadAsIs(scan: Scan) = nodes.exists {
      case batch: BatchScanExec => batch.scan eq scan
      case _ => false
    }
    DescribeFiles(limit, choosing, most)(isReadAsIs).orElse(describeRows(limit))
  }

  private def describeRows(limit: LocalLimit): Option[LimitReport] =
    MatchedLimit.of(limit).map {
      case Right(scan) => scan.table.leaf match {
          case SelectedRelation(relation, index) =>
            val session = relation.relation.sqlContext.sparkSession
            planned(limit, scan, index, session)
          case UndecidedRelation(_, index) => whenRun(limit, scan, index)
          case _ => notPruned(limit, tagged(limit).getOrElse(NotPruned(Reason.NotSeen, Some(scan))), most)
        }
      case Left(reason) => notPruned(limit, tagged(limit).getOrElse(NotPruned(reason)), most)
    }

  private def tagged(limit: LocalLimit): Option[NotPruned] = limit.getTagValue(NotPruned.Tag)

  private def planned(
      limit: LocalLimit,
      limited: LimitedScan[Table],
      index: SelectedIndex,
      session: SparkSession
  ): LimitReport = {
    val chosen = index.chosen
    val scan = nodes.collectFirst {
      case scan: LimitPrunedScanExec if scan.chosen.selection == chosen.selection => scan
    }
    val wholeFiles = if (scan.isEmpty) whyWholeFiles(index, session) else None
    // The rest of the query may read the whole table, too.
    val restored =
      if (scan.isEmpty && wholeFiles.isEmpty) whyRestored(index.original) else None
    restored match {
      case Some(reason) =>
        val asChosen = limited.copy(conjuncts = chosen.conjuncts)
        notPruned(limit, undecided(reason, asChosen, index.plan), most)
      case None =>
        val report =
          selected(limited, index.plan, scan, scan.fold(wholeFiles)(_.noPageSkipping), most)
        if (wholeFiles.isEmpty || chosen.selection.isOfWholeFiles) report
        else report.copy(rowsToRead = None, rowRanges = None, rowsCut = None)
    }
  }

  /** Why another scan reads the selected files; none if the plan has no such scan. */
  private def whyWholeFiles(index: SelectedIndex, session: SparkSession): Option[String] =
    nodes.collectFirst {
      case OtherScan(location) if location == index =>
        val reason = NativeEngines.reasonForFileScan(session, index)
        s"whole files are read: ${reason.getOrElse("another extension has planned the scan")}"
    }

  /** The file index of a scan that is not the extension's: Spark's own, or that of an engine, with the relation of Spark's scan. */
  private object OtherScan {
    def unapply(node: SparkPlan): Option[FileIndex] = node match {
      case scan: FileSourceScanExec => Some(scan.relation.location)
      case _: LimitPrunedScanExec => None
      case leaf if leaf.children.isEmpty =>
        leaf.productIterator.collectFirst {
          case relation: HadoopFsRelation => relation.location
          case scan: FileSourceScanExec => scan.relation.location
        }
      case _ => None
    }
  }

  /** Why the strategy planned Spark's own scan, over the table's own index; none if the plan has no such scan. */
  private def whyRestored(original: FileIndex): Option[Reason] =
    nodes.collectFirst {
      case node @ OtherScan(location) if location eq original =>
        PlanLimitPrunedScan.unknownField(node).fold[Reason](Reason.FiltersChanged)(Reason.UnknownField(_))
    }

  /** A LIMIT whose rows are chosen when the query runs. Of the nodes that choose, one that has run is described. */
  private def whenRun(
      limit: LocalLimit,
      limited: LimitedScan[Table],
      index: UndecidedIndex
  ): LimitReport = {
    val own = nodes.collect { case node: ChooseWhenRunExec if node.choose.exists(_.index eq index) => node }
    own.flatMap(_.choice).headOption match {
      case Some(Right(chosen)) if chosen.plan.whileReading.nonEmpty =>
        taken(limit, limited, chosen, most)
      case Some(Right(chosen)) =>
        val report = selected(limited, chosen.plan, Some(chosen.scan), chosen.scan.noPageSkipping, most)
        report.copy(order = report.order.orElse(orderOf(limit)))
      case Some(Left(decision)) =>
        notPruned(limit, decision.copy(scan = decision.scan.orElse(Some(limited))), most)
      case None =>
        // A plan with neither has not come to run: Spark removes a scan if another part of the query has no rows.
        val restored = if (own.isEmpty) whyRestored(index.original) else None
        val searched = index.wanted.searched
        val waiting =
          if (index.wanted.areAny) Reason.AtRoot
          else searched.fold[Reason](Reason.DecidedWhenRun)(found =>
            Reason.DecidedByRows(found.fold(decision => Some(decision.reason), _.rows.notCovered))
          )
        val decision =
          searched.map(_.fold(identity, undecided(waiting, limited, _))).getOrElse(NotPruned(
            waiting,
            Some(limited)
          ))
        notPruned(limit, decision.copy(reason = restored.getOrElse(waiting)), most)
    }
  }
}

/**
 * Traverses a physical plan with Spark's own helper, through adaptive execution, subqueries and reused
 * exchanges. This is a class, because an object would have a static method for each method of the helper, and
 * these methods differ between minor versions of Spark.
 */
private[report] class PhysicalNodes extends AdaptiveSparkPlanHelper {

  override protected def allChildren(plan: SparkPlan): Seq[SparkPlan] = plan match {
    case reused: ReusedExchangeExec => Seq(reused.child)
    case other => super.allChildren(other)
  }
}
