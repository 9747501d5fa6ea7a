package limitpruning.tables.delta

import org.apache.spark.sql.{AnalysisException, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{ExpressionSet, IntegerLiteral}
import org.apache.spark.sql.catalyst.planning.ScanOperation
import org.apache.spark.sql.catalyst.plans.logical.{Command, LocalLimit, LogicalPlan, Subquery}
import org.apache.spark.sql.catalyst.trees.TreePattern.PLAN_EXPRESSION
import org.apache.spark.sql.delta.{OptimisticTransaction, Snapshot}
import org.apache.spark.sql.delta.files.TahoeLogFileIndex
import org.apache.spark.sql.delta.sources.DeltaSQLConf
import org.apache.spark.sql.delta.stats.{DataSize, DeltaDataSkippingType, DeltaScan}

import limitpruning.footers.FactsCache
import limitpruning.tables.{IndexedRelation, SelectedRelation}

/**
 * Chooses the files for a LIMIT without a predicate as Delta's LIMIT push-down does, by the numbers of rows in the log. Delta reads
 * them in a Spark job for each query. Here, they are read once for each version of a table. Delta changes no table whose files are
 * chosen.
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
      plan.collectFirst { case LimitOfDelta(rows, index) => (rows, index) } match {
        case None => Some(plan)
        case Some((rows, index)) => scanOf(index, rows, cache).map { scan =>
            val prepared = PreparedIndex(session, index, scan)
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

  /** A LIMIT that any rows of a Delta table satisfy, of which Delta has not chosen the files. */
  private object LimitOfDelta {
    def unapply(plan: LogicalPlan): Option[(Int, TahoeLogFileIndex)] = plan match {
      case LocalLimit(
            IntegerLiteral(rows),
            ScanOperation(projections, Nil, Nil, IndexedRelation(_, index: TahoeLogFileIndex))
          ) if projections.forall(_.deterministic) && index.partitionFilters.isEmpty => Some((rows, index))
      case _ => None
    }
  }

  /** None if Delta is to choose the files. */
  private def scanOf(index: TahoeLogFileIndex, limit: Int, cache: FactsCache): Option[DeltaScan] = for {
    snapshot <- snapshotOf(index)
    all <- filesOf(snapshot, index.path.toString, cache)
  } yield {
    val files = all.enoughFor(limit)
    val size = DataSize(Some(all.bytes), None, Some(all.files.size.toLong))
    DeltaScan(
      version = snapshot.version,
      files = files,
      total = size,
      partition = size,
      scanned = DataSize(Some(files.map(_.size).sum), None, Some(files.size.toLong))
    )(
      scannedSnapshot = snapshot,
      partitionFilters = ExpressionSet(Nil),
      dataFilters = ExpressionSet(Nil),
      partitionLikeDataFilters = ExpressionSet(Nil),
      rewrittenPartitionLikeDataFilters = Set.empty,
      unusedFilters = ExpressionSet(Nil),
      scanDurationMs = 0L,
      dataSkippingType = DeltaDataSkippingType.limit
    )
  }

  /** None if the table changed so that the query cannot read it: Delta's own rule has the same error, for the user. */
  private def snapshotOf(index: TahoeLogFileIndex): Option[Snapshot] =
    try Some(index.getSnapshot)
    catch { case _: AnalysisException => None }

  private def filesOf(snapshot: Snapshot, table: String, cache: FactsCache): Option[LogFiles] = {
    val id = LogPartIds.of(snapshot, table, LogFiles)
    cache.log(id) match {
      case Some(files: LogFiles) => Some(files)
      case Some(_) => None
      case None =>
        val read = LogFiles.of(snapshot)
        cache.keep(id, if (read.files.size <= MostFiles) read else TooManyFiles)
        Some(read)
    }
  }

  /** The most files of a table that are cached. */
  private val MostFiles = 20000
}
