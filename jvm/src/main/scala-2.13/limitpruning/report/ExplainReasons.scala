package limitpruning.report

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.sql.{ExtendedExplainGenerator, SparkSession}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec
import org.apache.spark.sql.internal.SQLConf

import limitpruning.conf.{LimitPruningConf, SparkSessions}

/**
 * Shows in EXPLAIN the reason for each LIMIT over Parquet that is not covered, one line for each. Spark
 * creates an instance from the class name in `spark.sql.extendedExplainProviders`, which
 * [[ExplainReasons.keepInStep]] sets.
 *
 * Spark prints the title of a provider before it calls the provider. It also prints a title with nothing
 * below it if a provider failed. Therefore the text is never empty, even for a query without a LIMIT over
 * Parquet.
 */
final class ExplainReasons extends ExtendedExplainGenerator {
  override def title: String = "Limit Pruning"

  override def generateExtendedInfo(plan: SparkPlan): String =
    try reasonsOf(plan)
    catch {
      // Spark calls this for every query that runs, and catches only NonFatal errors. PruneLimits explains
      // the other errors.
      case error @ (NonFatal(_) | _: LinkageError | _: StackOverflowError) =>
        s"The reasons cannot be shown: $error"
    }

  private def reasonsOf(plan: SparkPlan): String = {
    val limits = logicalOf(plan).toSeq.flatMap(DescribeQuery.of(_, plan, mostRowGroups = 0).limits)
    val lines = for (limit <- limits; reason <- limit.reason) yield {
      val rows = limit.limit.fold("")(n => s" $n")
      val order = limit.order.fold("")(order => s" ORDER BY ${order.key}")
      val what =
        if (limit.isNarrowed) "not covered"
        else if (reason.isPending) "not decided yet"
        else "not pruned"
      s"${limit.table}$order LIMIT$rows: $what: ${reason.message} (${reason.code})"
    }
    if (lines.nonEmpty) lines.mkString("\n")
    else if (limits.isEmpty) "No LIMIT over Parquet."
    else if (limits.exists(isOverFiles)) "Every LIMIT over Parquet or Apache Iceberg is pruned."
    else "Every LIMIT over Parquet is pruned."
  }

  /** Whether the files of the table may have any format. */
  private def isOverFiles(limit: LimitReport): Boolean = limit.files.exists(_.chosen.nonEmpty)

  /** The logical plan from which the physical plan was created, before adaptive execution changed it. */
  private def logicalOf(plan: SparkPlan) = plan match {
    case adaptive: AdaptiveSparkPlanExec => DescribeQuery.logicalOf(adaptive.inputPlan)
    case other => DescribeQuery.logicalOf(other)
  }
}

object ExplainReasons extends Logging {
  private val name = classOf[ExplainReasons].getName

  /**
   * Ensures that the session's providers contain [[ExplainReasons]] if, and only if,
   * `spark.limitPruning.explainReasons` is true. Other providers do not change. This must be called for each
   * query that is optimized, on its thread, before Spark reads the providers.
   *
   * Spark loads providers with the thread's class loader, and fails the query if it cannot load them. Threads
   * may have different loaders. The threads of Java's common pool have the system's loader, which cannot load
   * the JARs that are passed to `spark-submit`. If a query of a session is optimized on such a thread, the
   * setting is permanently switched off for this session: its next query may be optimized on a thread that
   * can load the class, and run on a thread that cannot.
   */
  def keepInStep(session: SparkSession): Unit = synchronized {
    val conf = SparkSessions.onServer(session).sessionState.conf
    if (conf.getConf(LimitPruningConf.ExplainReasons) && !canBeLoaded) {
      conf.setConf(LimitPruningConf.ExplainReasons, false)
      logWarning(
        s"In this session, EXPLAIN does not show why a LIMIT is not pruned: $name cannot be loaded on thread " +
          s"${Thread.currentThread().getName}. Put the extension's JAR into the directory of Spark's own JARs, or set " +
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

  /**
   * Loads the class in the same way as `Utils.loadExtensions`. A copy of the class from another loader does
   * not recognize this class's plans.
   */
  private def canBeLoaded: Boolean = {
    val loader = Option(Thread.currentThread().getContextClassLoader)
      .getOrElse(classOf[ExtendedExplainGenerator].getClassLoader)
    try Class.forName(name, true, loader) eq classOf[ExplainReasons]
    catch { case NonFatal(_) | _: LinkageError => false }
  }
}
