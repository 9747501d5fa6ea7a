package limitpruning.rows

import org.apache.spark.{SparkContext, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.util.LongAccumulator

/** Counts the bytes that tasks read for the rows of a scan. */
private[rows] object CountedBytes {

  /** The same rows, and a function that gives the bytes that have been read for them. */
  def of(context: SparkContext, rows: RDD[InternalRow]): (RDD[InternalRow], () => Long) = {
    val bytes = context.longAccumulator
    (rows.mapPartitions(inTask(bytes), preservesPartitioning = true), () => bytes.value)
  }

  // It runs on executors, so it must not capture what stays on the driver.
  private def inTask(bytes: LongAccumulator): Iterator[InternalRow] => Iterator[InternalRow] = { rows =>
    Option(TaskContext.get()).foreach { task =>
      val before = task.taskMetrics().inputMetrics.bytesRead
      task.addTaskCompletionListener[Unit](done =>
        bytes.add(done.taskMetrics().inputMetrics.bytesRead - before)
      )
    }
    rows
  }
}
