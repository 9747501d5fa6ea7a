package limitpruning.report

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.sql.{ExtendedExplainGenerator, SparkSession}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec
import org.apache.spark.sql.internal.SQLConf

import limitpruning.conf.{LimitPruningConf, SparkSessions}

/**
 * Makes EXPLAIN show, one line for each LIMIT over Parquet that is not covered, why that is so. Spark makes one from its
 * name in `spark.sql.extendedExplainProviders`, where [[ExplainReasons.keepInStep]] puts it.
 *
 * Spark prints the title of a provider before it calls it, so a query without a LIMIT over Parquet gets a sentence, too: a
 * title with nothing below it is what Spark prints where a provider has failed.
 */
final class ExplainReasons extends ExtendedExplainGenerator {
  override def title: String = "Limit Pruning"

  override def generateExtendedInfo(plan: SparkPlan): String =
    try reasonsOf(plan)
    catch {
      // Spark calls this for every query that runs, and lets none but the first kind pass; see PruneLimits for the others.
      case error @ (NonFatal(_) | _: LinkageError | _: StackOverflowError) =>
        s"No reasons can be shown: $error"
    }

  private def reasonsOf(plan: SparkPlan): String = {
    val limits = logicalOf(plan).toSeq.flatMap(DescribeQuery.of(_, plan, mostRowGroups = 0).limits)
    val lines = for (limit <- limits; reason <- limit.reason) yield {
      val rows = limit.limit.fold("")(n => s" $n")
      val order = limit.order.fold("")(order => s" ORDER BY ${order.key}")
      val what = if (limit.isNarrowed) "not covered" else "not pruned"
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

object ExplainReasons extends Logging {
  private val name = classOf[ExplainReasons].getName

  /**
   * Makes the session's providers contain [[ExplainReasons]] if, and only if, `spark.limitPruning.explainReasons` is true;
   * other providers stay. To be called whenever a query is optimized, on its thread, before Spark reads the providers.
   *
   * Spark loads providers by the thread's class loader and fails the query where it cannot. Threads may have different
   * loaders: those of Java's common pool have the system's, which does not know the JARs that are given to `spark-submit`.
   * So a session whose query is found on such a thread has the setting switched off, for good: its next query may be
   * optimized where the class can be loaded, and run where it cannot.
   */
  def keepInStep(session: SparkSession): Unit = synchronized {
    val conf = SparkSessions.onServer(session).sessionState.conf
    if (conf.getConf(LimitPruningConf.ExplainReasons) && !canBeLoaded) {
      conf.setConf(LimitPruningConf.ExplainReasons, false)
      logWarning(
        s"EXPLAIN shows no reasons why a LIMIT is not pruned in this session: $name cannot be loaded on thread " +
          s"${Thread.currentThread().getName}. Put the JAR where Spark's own are, or set " +
          s"${LimitPruningConf.ExplainReasons.key}=false to avoid this message."
      )
    }
    val providers = conf.getConf(SQLConf.EXTENDED_EXPLAIN_PROVIDERS).getOrElse(Nil)
    val others = providers.filterNot(_ == name)
    if (conf.getConf(LimitPruningConf.ExplainReasons)) {
      if (others == providers) conf.setConf(SQLConf.EXTENDED_EXPLAIN_PROVIDERS, Some(providers :+ name))
    } else if (others.isEmpty && providers.nonEmpty) conf.unsetConf(SQLConf.EXTENDED_EXPLAIN_PROVIDERS)
    else if (others != providers) conf.setConf(SQLConf.EXTENDED_EXPLAIN_PROVIDERS, Some(others))
  }

  /** Looks for the class as `Utils.loadExtensions` does. A copy by another loader would not know this one's plans. */
  private def canBeLoaded: Boolean = {
    val loader = Option(Thread.currentThread().getContextClassLoader)
      .getOrElse(classOf[ExtendedExplainGenerator].getClassLoader)
    try Class.forName(name, true, loader) eq classOf[ExplainReasons]
    catch { case NonFatal(_) | _: LinkageError => false }
  }
}
