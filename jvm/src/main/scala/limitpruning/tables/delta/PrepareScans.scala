package limitpruning.tables.delta

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.delta.stats.PrepareDeltaScan

/**
 * Runs Delta's own rule that chooses files by the log, answers queries from metadata alone, pushes LIMITs down over
 * partition filters, and records in a transaction what is read. It changes nothing that it has already prepared, so it
 * does not matter that Delta runs it, too.
 */
private[tables] object PrepareScans {
  def apply(session: SparkSession, plan: LogicalPlan): LogicalPlan = new PrepareDeltaScan(session)(plan)
}
