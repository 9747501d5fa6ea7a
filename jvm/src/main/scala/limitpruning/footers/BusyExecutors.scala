package limitpruning.footers

import org.apache.spark.SparkContext

/** Whether a job would have to wait for other tasks, or for executors. */
private[limitpruning] object BusyExecutors {
  def apply(context: SparkContext): Boolean = {
    val executors = context.statusTracker.getExecutorInfos // the driver is one of them
    val running = executors.iterator.map(_.numRunningTasks()).sum
    running >= context.defaultParallelism || (!context.isLocal && executors.length <= 1)
  }
}
