package limitpruning.tables

import java.util.OptionalLong

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.read.{Batch, Scan, Statistics, SupportsReportStatistics}
import org.apache.spark.sql.types.StructType

import limitpruning.search.{ChosenFiles, ReadableTable, SampleOfFiles}
import limitpruning.select.Reason

/**
 * The rows that a LIMIT needs from a table whose format lists files in manifests, if they are chosen when the query runs, by
 * reading columns.
 *
 * @param rows what is wanted
 * @param searched what the search of metadata found while planning
 * @param sample the row groups in which rows of groups are searched for; none for the whole table
 */
final case class WantedFiles(
    rows: WantedRows,
    table: ReadableTable,
    searched: Either[Reason, ChosenFiles],
    sample: Option[SampleOfFiles] = None
) {

  /** What is chosen for all copies of the scan. */
  val chosenOnce: ChosenOnce[Either[Reason, ChosenFiles]] = new ChosenOnce
}

/**
 * A scan of data source V2, with the rows that a LIMIT needs. It carries them from the rule to the strategy. It reads what the
 * original reads, so a plan with it gives correct rows with any planner strategy. Two of these scans are equal only if the same
 * rows of the same table are wanted; below outer joins, only if they are copies of one.
 *
 * @param output the columns of the relation, over which `wanted` is
 */
final class UndecidedScan(val original: Scan, output: Seq[Attribute], val wanted: WantedFiles)
    extends Scan
    with SupportsReportStatistics {
  private lazy val canonicalized = wanted.rows.canonicalized(output)

  override def readSchema: StructType = original.readSchema
  override def description: String = original.description
  override def toBatch: Batch = original.toBatch
  override def columnarSupportMode: Scan.ColumnarSupportMode = original.columnarSupportMode
  override def supportedCustomMetrics: Array[CustomMetric] = original.supportedCustomMetrics
  override def reportDriverMetrics: Array[CustomTaskMetric] = original.reportDriverMetrics

  override def estimateStatistics: Statistics = original match {
    case known: SupportsReportStatistics => known.estimateStatistics
    case _ => UndecidedScan.Unknown
  }

  override def equals(other: Any): Boolean = other match {
    case that: UndecidedScan =>
      (wanted eq that.wanted) || wanted.rows.ofCopies.isEmpty && original == that.original &&
      canonicalized == that.canonicalized
    case _ => false
  }

  override def hashCode: Int = wanted.rows.limit
}

private object UndecidedScan {
  private val Unknown: Statistics = new Statistics {
    override def sizeInBytes: OptionalLong = OptionalLong.empty
    override def numRows: OptionalLong = OptionalLong.empty
  }
}
