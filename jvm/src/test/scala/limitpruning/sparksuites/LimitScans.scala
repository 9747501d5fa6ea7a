package limitpruning.sparksuites

import scala.util.control.NonFatal

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.planning.ScanOperation
import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

import limitpruning.conf.SparkSessions
import limitpruning.tables.ParquetTable

/**
 * Puts a LIMIT over every scan of Parquet, with its filter and projection, in Spark's own suites. The limit is the
 * number of rows that the scan returns, so that answers stay the same: if pruning loses a row, or reads one that
 * the filter drops, a test sees it. `spark.sql.extensions` must list it first: then its rule runs first, too.
 */
class LimitScans extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit =
    extensions.injectPreCBORule(new LimitScans.AddLimits(_))
}

object LimitScans {

  /** Whether this thread counts the rows of a scan: that query gets no LIMIT. */
  private val counting = new ThreadLocal[Boolean] { override def initialValue(): Boolean = false }

  private class AddLimits(session: SparkSession) extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan = if (counting.get) plan else limited(plan)

    private def limited(plan: LogicalPlan): LogicalPlan = plan match {
      case LocalLimit(_, ScanOperation(_, _, _, _)) => plan
      case ScanOperation(_, _, _, leaf)
          if ParquetTable.of(leaf).nonEmpty && !leaf.isStreaming && plan.deterministic =>
        count(plan).fold(plan)(rows => LocalLimit(Literal(math.max(rows, 1)), plan))
      case _ => plan.mapChildren(limited)
    }

    /** None if the scan fails: tests expect such failures where they run the query. */
    private def count(plan: LogicalPlan): Option[Int] =
      try {
        counting.set(true)
        Some(SparkSessions.onServer(session).sessionState.executePlan(plan).toRdd.count().toInt)
      } catch { case NonFatal(_) => None }
      finally counting.set(false)
  }
}
