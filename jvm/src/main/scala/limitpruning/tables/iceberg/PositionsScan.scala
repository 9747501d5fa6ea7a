package limitpruning.tables.iceberg

import scala.jdk.CollectionConverters._

import org.apache.iceberg.{BatchScan, FileScanTask, MetadataColumns, Schema}
import org.apache.iceberg.spark.SparkSchemaUtil
import org.apache.iceberg.types.Types.NestedField
import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.read.{Batch, Scan}
import org.apache.spark.sql.types.StructType

/**
 * Iceberg's own scan of a few columns, and of the places of the rows. Iceberg reads them, with the snapshot, the filters and the
 * settings of the original scan, and without deleted rows.
 *
 * @param original Iceberg's scan of all columns
 * @param columns the columns, without those of places
 */
private final class PositionsScan(
    original: Scan,
    internals: ScanInternals,
    planned: BatchScan,
    tasks: Seq[FileScanTask],
    columns: Seq[NestedField]
) extends Scan {
  import PositionsScan._

  private val schema = new Schema((columns ++ Seq(Path, Row)).asJava)

  // Created at once: if it cannot be, the rows are not searched for.
  private val batch: Batch =
    internals.batch(
      TaskGroups(planned, tasks, internals.splitSize(planned, tasks)).asJava,
      System.identityHashCode(this),
      schema
    )

  override def readSchema: StructType = SparkSchemaUtil.convert(schema)
  override def description: String = s"${original.description} positions"
  override def toBatch: Batch = batch
  override def supportedCustomMetrics: Array[CustomMetric] = original.supportedCustomMetrics
}

private object PositionsScan {
  val Path: NestedField = MetadataColumns.FILE_PATH
  val Row: NestedField = MetadataColumns.ROW_POSITION
}
