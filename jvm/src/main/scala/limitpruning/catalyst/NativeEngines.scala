package limitpruning.catalyst

import org.apache.spark.sql.SparkSession

import limitpruning.conf.{LimitPruningConf, SparkSessions}
import limitpruning.select.Selection
import limitpruning.tables.SelectedIndex

/**
 * Decides whether Spark's own scan node reads a selection. Engines that replace Spark's physical operators search the
 * plan for Spark's scan node and do not recognize `LimitPrunedScanExec`. With Spark's node, an engine reads the files
 * of a selection completely, with all filters and with its own reader.
 */
object NativeEngines {

  /** An engine: its name, the package of the rules that it adds to a session, and the setting that turns it off. */
  private final case class Engine(name: String, packageName: String, enabled: String)

  private val Known = Seq(
    Engine("Apache DataFusion Comet", "org.apache.comet.", "spark.comet.enabled"),
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

  private def reasonForFileScan(session: SparkSession, isReplaceable: String => Boolean): Option[String] = {
    val state = SparkSessions.onServer(session).sessionState
    val rules = state.columnarRules.map(_.getClass.getName)
    def active = Known.find { engine =>
      rules.exists(_.startsWith(engine.packageName)) &&
      state.conf.getConfString(engine.enabled, "true").toBoolean
    }
    state.conf.getConf(LimitPruningConf.FileScan) match {
      case "always" => Some(s"${LimitPruningConf.FileScan.key} is always")
      case "never" => None
      case _ =>
        active.map(engine => s"${engine.name} replaces Spark's scan").orElse {
          rules.headOption.filter(isReplaceable).map(rule =>
            s"$rule may replace Spark's scan"
          )
        }
    }
  }
}
