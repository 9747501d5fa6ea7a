package limitpruning.tables

import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkStrategy
import org.apache.spark.sql.execution.datasources.{FileIndex, HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.internal.SQLConf

import limitpruning.footers.FactsCache
import limitpruning.parquet.ColumnNames
import limitpruning.search.Table
import limitpruning.select.Reason
import limitpruning.tables.delta.{DeltaTable, PrepareLimits, PrepareScans}

/**
 * The only way to the classes that need Delta Lake. Delta may be missing, or have another version, so its classes are
 * recognized by name before anything that refers to them is loaded.
 */
object DeltaLake extends Logging {
  private val Classes = "org.apache.spark.sql.delta."

  /** @return the Delta table that a relation reads, or the reason why it is not supported; `None` for another format */
  def table(leaf: LogicalRelation, files: HadoopFsRelation): Option[Either[Reason, Table]] =
    if (!files.fileFormat.getClass.getName.startsWith(Classes)) None
    else if (isUnprepared(files.location)) Some(Left(Reason.DeltaNotPrepared))
    else
      try {
        val table = new DeltaTable(leaf, files)
        val _ = table.unsupported // a class is loaded, and a method is found, when it is first used
        Some(Right(table))
      } catch { case error: LinkageError => Some(Left(Reason.DeltaVersion(error.toString))) }

  /**
   * The plan after Delta has chosen the files of its tables. Delta does this in a rule of its own. If this rule comes
   * after the rule of this extension, it must run first.
   */
  def prepared(session: SparkSession, plan: LogicalPlan): LogicalPlan =
    if (!hasUnprepared(plan)) plan
    else
      try PrepareScans(session, plan)
      catch {
        case error: LinkageError =>
          logWarning("LIMITs over Delta tables are not pruned with this version of Delta Lake", error)
          plan
      }

  /**
   * The plan with the files for a LIMIT, by what is cached of the log; none if Delta is to choose them; see
   * [[PrepareLimits]].
   */
  def preparedLimits(session: SparkSession, plan: LogicalPlan, cache: FactsCache): Option[LogicalPlan] =
    if (!hasUnprepared(plan)) Some(plan)
    else
      try PrepareLimits(session, plan, cache)
      catch { case _: LinkageError => None }

  /** Whether Delta evaluates the source of a MERGE twice. By default, it stores the rows of a source with a LIMIT. */
  def evaluatesSourcesTwice(conf: SQLConf): Boolean = ColumnNames.areSame(
    conf.getConfString("spark.databricks.delta.merge.materializeSource", "auto"),
    "none",
    caseSensitive = false
  )

  /** Whether a planner strategy is Delta's. */
  def isStrategy(strategy: SparkStrategy): Boolean = strategy.getClass.getName.startsWith(Classes)

  private def hasUnprepared(plan: LogicalPlan): Boolean =
    plan.exists(node => readsUnprepared(node) || node.subqueries.exists(hasUnprepared))

  private def readsUnprepared(plan: LogicalPlan): Boolean = plan match {
    case IndexedRelation(_, index) => isUnprepared(index)
    case _ => false
  }

  private def isUnprepared(index: FileIndex): Boolean =
    index.getClass.getName == "org.apache.spark.sql.delta.files.TahoeLogFileIndex"
}
