package limitpruning.catalyst

import org.apache.spark.sql.execution.SparkPlan

/** A node that chooses the rows for a LIMIT when its query runs. */
private[catalyst] trait ChoosesRows extends SparkPlan {

  /**
   * Chooses the first rows of each file, if nothing is chosen yet. Only for a LIMIT without a predicate, and for an action
   * that takes as many rows as it needs, task by task.
   */
  def chooseFirstRows(): Unit

  /**
   * What reads the table if no columns are read to choose the rows; none if the rows are chosen, or are always chosen so.
   */
  def withoutRows: Option[SparkPlan]

  /** Chooses what metadata alone have found, if nothing is chosen yet. */
  def chooseWithoutRows(): Unit

  /**
   * Whether it pays to choose the rows by reading columns.
   *
   * @param share the share of the table's partitions that plain Spark still needs
   * @param found the rows in the partitions before these
   */
  def rowsPay(share: Double, found: Int): Boolean
}
