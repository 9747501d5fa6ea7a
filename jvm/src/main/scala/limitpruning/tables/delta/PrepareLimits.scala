package limitpruning.tables.delta

import org.apache.spark.sql.{AnalysisException, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionSet, IntegerLiteral}
import org.apache.spark.sql.catalyst.planning.ScanOperation
import org.apache.spark.sql.catalyst.plans.logical.{Command, LocalLimit, LogicalPlan, Project, Sort, Subquery}
import org.apache.spark.sql.catalyst.trees.TreePattern.PLAN_EXPRESSION
import org.apache.spark.sql.delta.{GeneratedColumn, OptimisticTransaction, Snapshot}
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.files.TahoeLogFileIndex
import org.apache.spark.sql.delta.sources.DeltaSQLConf
import org.apache.spark.sql.delta.stats.{DataSize, DeltaDataSkippingType, DeltaScan, PreparedDeltaFileIndex}
import org.apache.spark.sql.execution.datasources.LogicalRelation

import limitpruning.footers.FactsCache
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
   * @param filters all filters of the table
   * @param keys of an ORDER BY; without any, all rows that match satisfy the LIMIT
   */
  private[delta] final case class Limited(
      rows: Int,
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
      case LocalLimit(IntegerLiteral(rows), child) => limited(rows, child, Nil)
      case _ => None
    }

    private def ordered(rows: Int, sort: Sort): Option[Limited] =
      if (sort.global) limited(rows, sort.child, sort.order.map(_.child)) else None

    private def limited(rows: Int, plan: LogicalPlan, keys: Seq[Expression]): Option[Limited] = plan match {
      case ScanOperation(projections, Nil, filters, IndexedRelation(relation, index: TahoeLogFileIndex))
          if projections.forall(_.deterministic) && filters.forall(_.deterministic) &&
            index.partitionFilters.isEmpty =>
        Some(Limited(rows, relation, index, filters, keys))
      case _ => None
    }
  }

  /** None if the table changed so that the query cannot read it: Delta's own rule has the same error, for the user. */
  private def snapshotOf(index: TahoeLogFileIndex): Option[Snapshot] =
    try Some(index.getSnapshot)
    catch { case _: AnalysisException => None }

  /** The most files of a table that are cached. */
  private val MostFiles = 20000
}

/** Chooses the files for one LIMIT. */
private final class PrepareLimits(session: SparkSession, limited: PrepareLimits.Limited, cache: FactsCache) {
  import PrepareLimits._
  import limited.{filters, keys, relation, rows}

  /** None if Delta is to choose the files. */
  def index: Option[PreparedDeltaFileIndex] = for {
    snapshot <- snapshotOf(limited.index)
    // Delta adds filters of the columns that are generated.
    if filters.isEmpty || !GeneratedColumn.hasGeneratedColumns(snapshot.metadata.schema)
    all <- filesOf(snapshot)
    files <- filesOf(snapshot, all)
  } yield PreparedIndex(session, limited.index, scanOf(snapshot, all, files), all.files)

  private def filesOf(snapshot: Snapshot, all: LogFiles): Option[Seq[AddFile]] =
    if (filters.isEmpty) Some(if (keys.isEmpty) all.enoughFor(rows) else all.files)
    else
      MatchingFiles(
        relation,
        PreparedIndex(session, limited.index, scanOf(snapshot, all, all.files, Nil), all.files),
        filters,
        keys,
        cache
      )
        .map { files =>
          if (keys.isEmpty && filters.forall(isOfPartitions(snapshot, _))) {
            val paths = files.iterator.map(_.path).toSet
            all.enoughFor(rows, paths)
          } else files
        }

  private def isOfPartitions(snapshot: Snapshot, filter: Expression): Boolean =
    filter.references.forall { column =>
      snapshot.metadata.partitionColumns.exists(session.sessionState.conf.resolver(_, column.name))
    }

  private def scanOf(
      snapshot: Snapshot,
      all: LogFiles,
      files: Seq[AddFile],
      filters: Seq[Expression] = filters
  ): DeltaScan = {
    val size = DataSize(Some(all.bytes), None, Some(all.files.size.toLong))
    val (ofPartitions, ofRows) = filters.partition(isOfPartitions(snapshot, _))
    DeltaScan(
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
  }

  /** All files; none if Delta is to choose them. */
  private def filesOf(snapshot: Snapshot): Option[LogFiles] = {
    val id = LogPartIds.of(snapshot, limited.index.path.toString, LogFiles)
    def read(): Some[LogFiles] = {
      val read = LogFiles.of(snapshot)
      cache.keep(id, if (read.files.size <= MostFiles) read else TooManyFiles)
      Some(read)
    }
    cache.log(id) match {
      case Some(files: LogFiles) => Some(files)
      case Some(AskedOnce) => read()
      case Some(_) => None
      // Delta reads less for a predicate. A table may change before each query.
      case None if filters.nonEmpty =>
        cache.keep(id, AskedOnce)
        None
      case None => read()
    }
  }
}
