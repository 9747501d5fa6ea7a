package limitpruning.catalyst

import org.apache.spark.sql.SparkSession

import limitpruning.conf.{LimitPruningConf, SparkSessions}
import limitpruning.select.Selection

/**
 * Engines that replace Spark's physical operators by their own look for Spark's own scan node, which ours would hide from
 * them. With Spark's node they read the files of a selection, whole and with all filters, in their own way.
 */
object NativeEngines {

  /** An engine, by the package of the rules that it adds to a session, and the setting that switches it off. */
  private final case class Engine(name: String, packageName: String, enabled: String)

  private val Known = Seq(
    Engine("Apache DataFusion Comet", "org.apache.comet.", "spark.comet.enabled"),
    Engine("Apache Gluten", "org.apache.gluten.", "spark.gluten.enabled"),
    Engine("RAPIDS Accelerator", "com.nvidia.spark.", "spark.rapids.sql.enabled")
  )

  /** Why a selection is read through Spark's own scan node; none where ours reads it. */
  def reasonForFileScan(session: SparkSession, selection: Selection): Option[String] = {
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
          rules.headOption.filter(_ => selection.isOfWholeFiles).map(rule =>
            s"$rule may replace Spark's scan"
          )
        }
    }
  }
}
