package limitpruning.sparksuites

import java.util.concurrent.atomic.LongAdder

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}

import limitpruning.scan.LimitPrunedScanExec
import limitpruning.search.NotPruned
import limitpruning.tables.{ParquetTable, SelectedRelation}

/**
 * Counts what LIMIT pruning does in the sessions of Spark's own suites, for `make test-spark`; changes no plan.
 * It is active with and without LIMIT pruning. `spark.sql.extensions` must list it last: then its rule runs
 * last, too.
 */
class WatchPlans extends (SparkSessionExtensions => Unit) {
  import WatchPlans._

  override def apply(extensions: SparkSessionExtensions): Unit = {
    extensions.injectPreCBORule { _ =>
      sessions.increment()
      CountLimits
    }
    extensions.injectColumnar(_ => CountScans)
  }
}

object WatchPlans {
  private val sessions, limits, pruned, refused, scans = new LongAdder

  /**
   * Counts since the JVM started: sessions that loaded the extensions; optimized plans with a LIMIT over Parquet
   * (V1); those of them in which pruning replaced a file index, and in which it left a reason; physical plans, or
   * stages of them, with a scan of ours.
   */
  def counts: Map[String, Long] = Map(
    "sessions" -> sessions.sum,
    "limits" -> limits.sum,
    "pruned" -> pruned.sum,
    "refused" -> refused.sum,
    "scans" -> scans.sum
  )

  private object CountLimits extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan = {
      val found = plan.collect { case limit: LocalLimit if limit.exists(isParquet) => limit }
      if (found.nonEmpty) limits.increment()
      if (plan.exists(SelectedRelation.unapply(_).nonEmpty)) pruned.increment()
      if (found.exists(_.getTagValue(NotPruned.Tag).nonEmpty)) refused.increment()
      plan
    }

    private def isParquet(plan: LogicalPlan): Boolean = ParquetTable.of(plan).nonEmpty
  }

  private object CountScans extends ColumnarRule {
    override def preColumnarTransitions: Rule[SparkPlan] = CountScan
  }

  private object CountScan extends Rule[SparkPlan] {
    override def apply(plan: SparkPlan): SparkPlan = {
      if (plan.exists(_.isInstanceOf[LimitPrunedScanExec])) scans.increment()
      plan
    }
  }
}
