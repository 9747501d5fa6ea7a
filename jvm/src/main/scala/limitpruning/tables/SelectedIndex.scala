package limitpruning.tables

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.FileIndex

import limitpruning.search.LimitPlan
import limitpruning.select.ChosenRows

/**
 * A file index that is restricted to the files of a selection. It carries the selection from the rule to the strategy,
 * and marks a relation that the rule has already changed.
 */
trait SelectedIndex extends FileIndex {

  /** The table's own index, which lists the files that remain after partition pruning. */
  def original: FileIndex

  /** The rows to read, and how they were chosen. */
  def plan: LimitPlan

  /**
   * Plans a scan over this index, or over the original index, as without the extension. Over this index, the format's own
   * reader reads the files of the selection completely.
   */
  def planAsIs(plan: LogicalPlan): Seq[SparkPlan]

  /** Why only the format's own reader can read the selected files; none if single row groups can be read. */
  def reasonForFileScan: Option[String] = None

  final def chosen: ChosenRows = plan.rows
}
