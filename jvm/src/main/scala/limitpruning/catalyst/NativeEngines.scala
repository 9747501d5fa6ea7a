package limitpruning.catalyst

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.internal.SQLConf

import limitpruning.conf.{LimitPruningConf, SparkSessions}
import limitpruning.select.Selection
import limitpruning.tables.SelectedIndex

/**
 * Decides whether Spark's own scan node reads a selection. Engines that replace Spark's physical operators search the
 * plan for Spark's scan node and do not recognize `LimitPrunedScanExec`. With Spark's node, an engine reads the files
 * of a selection completely, with all filters and with its own reader.
 */
object NativeEngines {

  /**
   * An engine.
   *
   * @param packageName the package of the rules that it adds to a session
   * @param settings it replaces scans only if all of these settings are true, which is their default
   */
  private final case class Engine(name: String, packageName: String, settings: String*) {
    def adds(rule: String): Boolean = rule.startsWith(packageName)
  }

  private val Known = Seq(
    Engine(
      "Apache DataFusion Comet",
      "org.apache.comet.",
      "spark.comet.enabled",
      "spark.comet.exec.enabled",
      "spark.comet.scan.enabled"
    ),
    Engine("Apache Gluten", "org.apache.gluten.", "spark.gluten.enabled"),
    Engine("RAPIDS Accelerator", "com.nvidia.spark.", "spark.rapids.sql.enabled")
  )

  /** Why Spark's own scan node reads a selection; none if `LimitPrunedScanExec` reads it. */
  def reasonForFileScan(session: SparkSession, index: SelectedIndex): Option[String] =
    index.reasonForFileScan.orElse(reasonForFileScan(session, index.chosen.selection))

  private def reasonForFileScan(session: SparkSession, selection: Selection): Option[String] =
    reasonForFileScan(session, _ => selection.isOfWholeFiles)

  /** Why Spark's own scan node may have to read a selection that is not known yet; none if it never has to. */
  def reasonForUnknown(session: SparkSession): Option[String] = reasonForFileScan(session, _ => true)

  /**
   * Why rows cannot be chosen when the query runs; none if they can be. The node that chooses has Spark's own scan as its
   * child, until it has chosen. An engine that is active replaces this child, whatever the setting is.
   */
  def reasonForChild(session: SparkSession): Option[String] =
    active(session).map(replaces).orElse(reasonForUnknown(session))

  private def reasonForFileScan(session: SparkSession, isReplaceable: String => Boolean): Option[String] =
    confOf(session).getConf(LimitPruningConf.FileScan) match {
      case "always" => Some(s"${LimitPruningConf.FileScan.key} is always")
      case "never" => None
      case _ =>
        active(session).map(replaces).orElse {
          val others = rulesOf(session).filterNot(rule => Known.exists(_.adds(rule)))
          others.headOption.filter(isReplaceable).map(rule => s"$rule may replace Spark's scan")
        }
    }

  private def replaces(engine: Engine): String = s"${engine.name} replaces Spark's scan"

  /** The engine of the session, if it is not turned off. */
  private def active(session: SparkSession): Option[Engine] = {
    val rules = rulesOf(session)
    val conf = confOf(session)
    Known.find { engine =>
      rules.exists(engine.adds) && engine.settings.forall(conf.getConfString(_, "true").toBoolean)
    }
  }

  private def rulesOf(session: SparkSession): Seq[String] =
    SparkSessions.onServer(session).sessionState.columnarRules.map(_.getClass.getName)

  private def confOf(session: SparkSession): SQLConf = SparkSessions.onServer(session).sessionState.conf
}
