package limitpruning.scan

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.spark.SparkContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.util.SerializableConfiguration

/**
 * The Hadoop configuration that tasks read files with. Spark's reader of Parquet has broadcast it already. To broadcast it a
 * second time takes milliseconds, which is much for a LIMIT.
 */
private[scan] object ReaderConfiguration {

  /**
   * @param read Spark's reader
   * @param conf what `read` was built with, broadcast here if `read` has no such broadcast
   */
  def of(
      context: SparkContext,
      read: PartitionedFile => Iterator[InternalRow],
      conf: Configuration
  ): Broadcast[SerializableConfiguration] =
    capturedBy(read).getOrElse(context.broadcast(new SerializableConfiguration(conf)))

  /** None if the reader is wrapped, as that of Delta Lake. */
  private[scan] def capturedBy(read: AnyRef): Option[Broadcast[SerializableConfiguration]] =
    try
      read.getClass.getDeclaredFields.iterator.map { field =>
        field.setAccessible(true)
        field.get(read)
      }.collectFirst {
        case found: Broadcast[_] if found.value.isInstanceOf[SerializableConfiguration] =>
          found.asInstanceOf[Broadcast[SerializableConfiguration]]
      }
    catch { case NonFatal(_) | _: LinkageError => None }
}
