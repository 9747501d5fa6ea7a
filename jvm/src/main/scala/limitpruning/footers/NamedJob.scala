package limitpruning.footers

import java.util.UUID

import org.apache.spark.SparkContext

/** Starts a Spark job of the extension, for a query that is being planned or that runs. */
private[limitpruning] object NamedJob {
  // The same names as in SparkContext.
  private val Description = "spark.job.description"
  private val Group = "spark.jobGroup.id"
  private val Interrupt = "spark.job.interruptOnCancel"

  /**
   * Sets the description that the Spark UI shows. The query's own job group does not change, so that the
   * query can be cancelled.
   *
   * @param isInterruptible whether tasks may be interrupted, because they only wait for storage, and nothing waits for them
   */
  def apply[T](
      context: SparkContext,
      description: String,
      isInterruptible: Boolean = false
  )(start: => T): T = {
    val before = Seq(Description, Group, Interrupt).map(key => key -> context.getLocalProperty(key))
    context.setLocalProperty(Description, description)
    if (isInterruptible) context.setLocalProperty(Interrupt, "true")
    if (context.getLocalProperty(Group) == null)
      context.setLocalProperty(Group, s"limit-pruning-${UUID.randomUUID}")
    try start
    finally before.foreach { case (key, value) => context.setLocalProperty(key, value) }
  }
}
