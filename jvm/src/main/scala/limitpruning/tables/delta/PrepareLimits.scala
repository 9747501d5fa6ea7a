package limitpruning.tables.delta

import org.apache.spark.sql.{AnalysisException, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{
  Alias, Attribute, Expression, ExpressionSet, IntegerLiteral, NamedExpression
}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.optimizer.InferFiltersFromConstraints
import org.apache.spark.sql.catalyst.planning.ScanOperation
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate, Command, LocalLimit, LogicalPlan, Project, Sort, Subquery
}
import org.apache.spark.sql.catalyst.trees.TreePattern.PLAN_EXPRESSION
import org.apache.spark.sql.delta.{GeneratedColumn, OptimisticTransaction, Snapshot}
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.files.TahoeLogFileIndex
import org.apache.spark.sql.delta.sources.DeltaSQLConf
import org.apache.spark.sql.delta.stats.{DataSize, DeltaDataSkippingType, DeltaScan, PreparedDeltaFileIndex}
import org.apache.spark.sql.execution.datasources.LogicalRelation

import limitpruning.footers.{FactsCache, LogPartId}
import limitpruning.search.KeyTuples
import limitpruning.tables.{IndexedRelation, SelectedRelation}

/**
 * Chooses the files for a LIMIT as Delta does, by its data skipping or, without a predicate of rows, by the numbers of rows in the log.
 * Delta reads them in a Spark job for each query. Here, they are read once for each version of a table. Delta changes no table whose
 * files are chosen.
 */
private[tables] object PrepareLimits {

  /**
   * @return the same plan if it has no such LIMIT, or if Delta may choose other files, such as those of a transaction, or one version
   *   for several tables of the plan; none if Delta is to choose the files
   */
  def apply(session: SparkSession, plan: LogicalPlan, cache: FactsCache): Option[LogicalPlan] = {
    val conf = session.sessionState.conf
    if (
      cache.isOn && isAlone(plan) && OptimisticTransaction.getActive().isEmpty &&
      conf.getConf(DeltaSQLConf.DELTA_STATS_SKIPPING) &&
      conf.getConf(DeltaSQLConf.DELTA_LIMIT_PUSHDOWN_ENABLED)
    )
      plan.collectFirst { case LimitOfDelta(limited) => limited } match {
        case None => Some(plan)
        // Spark infers more filters later, and Delta chooses files again for other filters than those that they are chosen for.
        case Some(limited)
            if limited.filters.nonEmpty &&
              !InferFiltersFromConstraints(limited.plan).fastEquals(limited.plan) =>
          Some(plan)
        case Some(limited) => new PrepareLimits(session, limited, cache).index.map { prepared =>
            plan.transformDown { case IndexedRelation(relation, _) =>
              SelectedRelation.withLocation(relation, prepared)
            }
          }
      }
    else Some(plan)
  }

  /** Whether a query reads nothing but one table. */
  private def isAlone(plan: LogicalPlan): Boolean = plan match {
    case _: Subquery | _: Command => false
    case _ =>
      !plan.isStreaming && !plan.containsPattern(PLAN_EXPRESSION) && plan.collectLeaves().size == 1
  }

  /**
   * A LIMIT over a Delta table of which Delta has not chosen the files.
   *
   * @param plan below the LIMIT
   * @param filters all filters of the table
   * @param keys the first key of an ORDER BY, or the keys of groups; without any, all rows that match satisfy the LIMIT
   */
  private[delta] final case class Limited(
      rows: Int,
      plan: LogicalPlan,
      relation: LogicalRelation,
      index: TahoeLogFileIndex,
      filters: Seq[Expression],
      keys: Seq[Expression]
  )

  private object LimitOfDelta {
    def unapply(plan: LogicalPlan): Option[Limited] = plan match {
      case LocalLimit(IntegerLiteral(rows), sort: Sort) => ordered(rows, sort)
      case LocalLimit(IntegerLiteral(rows), Project(columns, sort: Sort))
          if columns.forall(_.deterministic) =>
        ordered(rows, sort)
      case LocalLimit(IntegerLiteral(rows), groups: Aggregate) if isOfKeys(groups) =>
        limited(rows, groups.child, KeyTuples.compared(groups.groupingExpressions))
      case LocalLimit(IntegerLiteral(rows), child) => limited(rows, child, Nil)
      case _ => None
    }

    /** Not of functions: Delta answers some by its log. */
    private def isOfKeys(groups: Aggregate) = groups.groupingExpressions.nonEmpty &&
      !groups.aggregateExpressions.exists(_.exists(_.isInstanceOf[AggregateExpression]))

    private def ordered(rows: Int, sort: Sort): Option[Limited] =
      if (sort.global) limited(rows, sort.child, sort.order.take(1).map(_.child)) else None

    private def ofTable(key: Expression, projections: Seq[NamedExpression]): Expression = {
      val aliases = projections.collect { case alias: Alias => alias.exprId -> alias.child }.toMap
      key.transform { case column: Attribute => aliases.getOrElse(column.exprId, column) }
    }

    private def limited(rows: Int, plan: LogicalPlan, keys: Seq[Expression]): Option[Limited] = plan match {
      case ScanOperation(projections, Nil, filters, IndexedRelation(relation, index: TahoeLogFileIndex))
          if projections.forall(_.deterministic) && filters.forall(_.deterministic) &&
            index.partitionFilters.isEmpty =>
        Some(Limited(rows, plan, relation, index, filters, keys.map(ofTable(_, projections))))
      case _ => None
    }
  }

  /** None if the table changed so that the query cannot read it: Delta's own rule has the same error, for the user. */
  private def snapshotOf(index: TahoeLogFileIndex): Option[Snapshot] =
    try Some(index.getSnapshot)
    catch { case _: AnalysisException => None }

  /** The most files that are compared with a predicate, or searched for an order or groups: Delta's job takes no longer for more. */
  private val MostCompared = 20000
}

/** Chooses the files for one LIMIT. */
private final class PrepareLimits(session: SparkSession, limited: PrepareLimits.Limited, cache: FactsCache) {
  import PrepareLimits._
  import limited.{filters, keys, relation, rows}

  /** None if Delta is to choose the files. */
  def index: Option[PreparedDeltaFileIndex] =
    if (filters.isEmpty)
      for (snapshot <- newest; all <- allFiles(snapshot))
        yield indexOf(snapshot, all, if (isAnyRow) all.enoughFor(rows) else all.files)
    else {
      val matching = new MatchingFiles(relation, filters, keys, cache)
      if (matching.canDecide)
        for {
          snapshot <- newest
          // Delta adds filters of the columns that are generated.
          if !GeneratedColumn.hasGeneratedColumns(snapshot.metadata.schema)
          all <- allFiles(snapshot)
          prepared <- matchingIn(snapshot, all, matching)
        } yield prepared
      else None
    }

  /** None, too, if the files of the version that was read last are left to Delta: to ask for the newest takes a listing of the log. */
  private def newest: Option[Snapshot] = {
    val last =
      Option(limited.index.deltaLog.unsafeVolatileSnapshot).filterNot(_ => limited.index.isTimeTravelQuery)
    if (last.exists(isLeftToDelta)) None else snapshotOf(limited.index)
  }

  private def isLeftToDelta(snapshot: Snapshot): Boolean = cache.log(id(snapshot)) match {
    case Some(TooManyFiles) => true
    case Some(TooManyToCompare) => !isAnyRow
    case Some(files: LogFiles) => !isAnyRow && files.files.size > MostCompared
    // Delta reads less for a predicate. A table may change before each query.
    case None if filters.nonEmpty =>
      cache.keep(id(snapshot), AskedOnce)
      true
    case _ => false
  }

  private def matchingIn(
      snapshot: Snapshot,
      all: LogFiles,
      matching: MatchingFiles
  ): Option[PreparedDeltaFileIndex] =
    matching.in(indexOf(snapshot, all, all.files)).map { files =>
      val allMatch = keys.isEmpty && matching.ofRows.isEmpty
      val chosen = if (allMatch) all.enoughFor(rows, files.iterator.map(_.path).toSet) else files
      indexOf(snapshot, all, chosen, matching.ofPartitions, matching.ofRows)
    }

  private def indexOf(
      snapshot: Snapshot,
      all: LogFiles,
      files: Seq[AddFile],
      ofPartitions: Seq[Expression] = Nil,
      ofRows: Seq[Expression] = Nil
  ): PreparedDeltaFileIndex = {
    val size = DataSize(Some(all.bytes), None, Some(all.files.size.toLong))
    val scan = DeltaScan(
      version = snapshot.version,
      files = files,
      total = size,
      partition = size,
      scanned = DataSize(Some(files.map(_.size).sum), None, Some(files.size.toLong))
    )(
      scannedSnapshot = snapshot,
      partitionFilters = ExpressionSet(ofPartitions),
      dataFilters = ExpressionSet(ofRows),
      partitionLikeDataFilters = ExpressionSet(Nil),
      rewrittenPartitionLikeDataFilters = Set.empty,
      unusedFilters = ExpressionSet(Nil),
      scanDurationMs = 0L,
      dataSkippingType =
        if (ofRows.isEmpty) DeltaDataSkippingType.limit else DeltaDataSkippingType.dataSkippingOnlyV1
    )
    PreparedIndex(session, limited.index, scan, all.files)
  }

  /** None if Delta is to choose the files. */
  private def allFiles(snapshot: Snapshot): Option[LogFiles] =
    if (isLeftToDelta(snapshot)) None
    else cache.log(id(snapshot)) match {
      case Some(files: LogFiles) => Some(files)
      case _ if isAnyRow || snapshot.numOfFiles <= MostCompared =>
        val read = LogFiles.of(snapshot)
        cache.keep(id(snapshot), if (read.size <= cache.mostOfTable) read else TooManyFiles)
        Some(read)
      case _ =>
        cache.keep(id(snapshot), TooManyToCompare)
        None
    }

  /** Whether the LIMIT has neither a predicate nor an order. Delta reads the numbers of rows of all files for it, too. */
  private def isAnyRow: Boolean = filters.isEmpty && keys.isEmpty

  private def id(snapshot: Snapshot): LogPartId =
    LogPartIds.of(snapshot, limited.index.path.toString, LogFiles)
}
