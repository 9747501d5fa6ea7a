package limitpruning.scan

import java.util.concurrent.TimeUnit.NANOSECONDS

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeProjection}
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, SinglePartition, UnknownPartitioning}
import org.apache.spark.sql.execution.{FileSourceScanExec, LeafExecNode, SparkPlan}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.vectorized.ColumnarBatch

import limitpruning.parquet.ReadSettings
import limitpruning.select.{ChosenRows, Threshold, WhileReading}

/**
 * Scans the row groups of a selection with Spark's own Parquet reader.
 *
 * @param output the scan's columns; a separate field, because executors need them and do not have `scan`
 * @param scan the scan that Spark planned over the selected files; it is never executed itself, and provides
 *   its columns, its relation and its reader
 * @param chosen what to read, and for which predicate
 * @param settings the settings for which the rows were selected
 * @param isOneTask whether a single task reads everything; fixed when the scan is planned, as operators above
 *   rely on it
 * @param whileReading finds out while reading whether a part of a file is enough, for files that planning did not
 *   inspect
 * @param shown the metrics of the node of the plan that runs this scan; none if this node is in the plan
 * @param isFiltered whether the plan evaluates the filters above this node
 */
case class LimitPrunedScanExec(
    output: Seq[Attribute],
    @transient scan: FileSourceScanExec,
    @transient chosen: ChosenRows,
    @transient settings: ReadSettings,
    isOneTask: Boolean,
    @transient whileReading: Option[WhileReading] = None,
    @transient shown: Option[Map[String, SQLMetric]] = None,
    isFiltered: Boolean = false
) extends LeafExecNode {

  /** By the settings when this is first called. Spark calls it when the query runs, if it plans adaptively. */
  override lazy val supportsColumnar: Boolean = scan.supportsColumnar
  override def vectorTypes: Option[Seq[String]] = scan.vectorTypes
  override lazy val metrics: Map[String, SQLMetric] = shown.getOrElse(ScanMetrics.create(sparkContext))

  /** One task needs no shuffle before a limit, a count, or a write by one task. */
  override def outputPartitioning: Partitioning = if (isOneTask) SinglePartition else UnknownPartitioning(0)

  @transient private lazy val reading = new SelectionRead(scan, chosen, settings)

  /** Compressed bytes of the column chunks, or of their pages, that will be read. */
  def bytesToRead: Long = reading.bytes

  /** Data pages of the selected row groups that will not be read. */
  def pagesSkipped: Long = reading.pagesSkipped

  /** The columns of which only whole pages are read, because Spark's reader cannot skip values in their encoding. */
  def columnsInWholePages: Seq[String] = reading.columnsInWholePages

  /**
   * Why row groups are read whole, even if the LIMIT needs few of their rows. None if pages can be skipped.
   */
  def noPageSkipping: Option[String] = reading.noPageSkipping

  /**
   * Whether the row filter is not evaluated, because every selected row is proved to pass it. If the rows are
   * chosen when the query runs, the filter is in the plan already.
   */
  def skipsRowFilter: Boolean = chosen.allRowsMatch && chosen.conjuncts.nonEmpty && shown.isEmpty &&
    !isFiltered

  /** The top-k threshold that tasks share, if it can save some of them a row group. */
  @transient private[scan] lazy val sharedThreshold: Option[Broadcast[SharedThreshold]] =
    if (chosen.top.nonEmpty && chosen.limit <= Threshold.MostNoted && chosen.selection.rowGroups > 1)
      Some(sparkContext.broadcast(new SharedThreshold))
    else None

  private def skip: Option[SkipBehindThreshold] =
    for (top <- chosen.top; shared <- sharedThreshold)
      yield new SkipBehindThreshold(shared, top.order, metrics(ScanMetrics.RowGroupsSkipped))

  @transient private lazy val inputRDD: RDD[InternalRow] = {
    ScanMetrics.postPlanned(sparkContext, metrics, chosen, bytesToRead, pagesSkipped)
    reading.rdd(metrics, skip, whileReading, isOneTask)
  }

  override protected def doExecute(): RDD[InternalRow] = {
    val rows = longMetric(ScanMetrics.OutputRows)
    val types = schema
    // The vectorized reader returns rows of its batches, which operators must not receive.
    val needsUnsafeRows = conf.parquetVectorizedReaderEnabled
    inputRDD.mapPartitionsWithIndex { (index, read) =>
      val iterator = ReportFileChanges.in(read)
      if (needsUnsafeRows) {
        val toUnsafe = UnsafeProjection.create(types)
        toUnsafe.initialize(index)
        iterator.map { row => rows += 1; toUnsafe(row) }
      } else iterator.map { row => rows += 1; row }
    }
  }

  override protected def doExecuteColumnar(): RDD[ColumnarBatch] = {
    val rows = longMetric(ScanMetrics.OutputRows)
    val scanTime = longMetric(ScanMetrics.ScanTime)
    inputRDD.mapPartitions { read =>
      val batches = ReportFileChanges.in(read).asInstanceOf[Iterator[ColumnarBatch]]
      new Iterator[ColumnarBatch] {
        override def hasNext: Boolean = {
          val started = System.nanoTime()
          val more = batches.hasNext // files are opened and decoded here
          scanTime += NANOSECONDS.toMillis(System.nanoTime() - started)
          more
        }
        override def next(): ColumnarBatch = {
          val batch = batches.next()
          rows += batch.numRows()
          batch
        }
      }
    }
  }

  override def doCanonicalize(): SparkPlan =
    copy(
      // Not canonical by itself, so it is taken from the scan.
      output = scan.canonicalized.output,
      scan = scan.canonicalized.asInstanceOf[FileSourceScanExec],
      chosen = chosen.canonicalized,
      whileReading =
        None, // determined by the limit and the selection in `chosen`, and by the filters in `scan`
      shown = None
    )

  override def nodeName: String =
    ("LimitPrunedScan parquet" +: scan.tableIdentifier.map(_.unquotedString).toSeq).mkString(" ")

  override def simpleString(maxFields: Int): String = ScanDescription.line(this, maxFields)

  override def verboseStringWithOperatorId(): String = ScanDescription.block(this, formattedNodeName)
}

/** A node that runs a [[LimitPrunedScanExec]] which is not in the plan, because it was chosen when the query ran. */
trait RunsLimitPrunedScan extends SparkPlan {

  /** The scan; none if the node has not run yet, or runs Spark's own scan. */
  def limitPrunedScan: Option[LimitPrunedScanExec]
}

object LimitPrunedScanExec {
  def apply(scan: FileSourceScanExec, chosen: ChosenRows, settings: ReadSettings): LimitPrunedScanExec = {
    val isOneTask = new SelectionRead(scan, chosen, settings).fitsOneTask
    LimitPrunedScanExec(scan.output, scan, chosen, settings, isOneTask)
  }
}
