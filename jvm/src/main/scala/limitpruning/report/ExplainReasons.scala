package limitpruning.report

import org.apache.spark.sql.{ExtendedExplainGenerator, SparkSession}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec
import org.apache.spark.sql.internal.SQLConf

import limitpruning.{LimitPruningConf, SparkSessions}

/**
 * Makes EXPLAIN tell, one line for each LIMIT over Parquet that is not covered, why that is so. To be named in
 * `spark.sql.extendedExplainProviders`, where `spark.limitPruning.explainReasons` puts it.
 */
final class ExplainReasons extends ExtendedExplainGenerator {
  override def title: String = "Limit Pruning"

  override def generateExtendedInfo(plan: SparkPlan): String = {
    val limits = logicalOf(plan).toSeq.flatMap(DescribeQuery.of(_, plan, mostRowGroups = 0).limits)
    val lines = for (limit <- limits; reason <- limit.reason) yield {
      val rows = limit.limit.fold("")(n => s" $n")
      val order = limit.order.fold("")(order => s" ORDER BY ${order.key}")
      val what = if (limit.isNarrowed) "not covered" else "left to Spark"
      s"${limit.table}$order LIMIT$rows: $what: ${reason.message} (${reason.code})"
    }
    if (lines.nonEmpty) lines.mkString("\n")
    else if (limits.isEmpty) "No LIMIT over Parquet."
    else "Every LIMIT over Parquet is pruned."
  }

  /** What the plan was made from, as it was before adaptive execution changed anything. */
  private def logicalOf(plan: SparkPlan) = plan match {
    case adaptive: AdaptiveSparkPlanExec => DescribeQuery.logicalOf(adaptive.inputPlan)
    case other => DescribeQuery.logicalOf(other)
  }
}

object ExplainReasons {

  /**
   * Where the setting says so, makes EXPLAIN in a session that is starting tell reasons. It is done here rather than by users:
   * where the class that Spark is told of cannot be loaded, every query fails.
   */
  def switchOn(session: SparkSession): Unit = {
    val conf = SparkSessions.onServer(session).sessionState.conf
    val name = classOf[ExplainReasons].getName
    val providers = conf.getConf(SQLConf.EXTENDED_EXPLAIN_PROVIDERS).getOrElse(Nil)
    if (conf.getConf(LimitPruningConf.ExplainReasons) && !providers.contains(name))
      conf.setConf(SQLConf.EXTENDED_EXPLAIN_PROVIDERS, Some(providers :+ name))
  }
}
