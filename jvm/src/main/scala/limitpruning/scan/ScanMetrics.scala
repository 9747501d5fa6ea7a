package limitpruning.scan

import org.apache.spark.SparkContext
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

import limitpruning.select.ChosenRows

/** The SQL metrics of the scan node, as the Spark UI shows them. */
object ScanMetrics {
  val OutputRows = "numOutputRows"
  val ScanTime = "scanTime"
  val RowGroupsRead = "rowGroupsRead"
  val BytesRead = "bytesRead"
  val BytesReadFirst = "bytesReadFirst"
  val RowsVerified = "rowsVerified"
  val RowGroupsSkipped = "rowGroupsSkipped"
  val ReserveRead = "reserveRead"
  val RowGroupsReadAgain = "rowGroupsReadAgain"

  /**
   * The scan time is measured if Spark's vectorized reader returns batches. Whether it does is decided when the query runs,
   * and these metrics may be created before.
   */
  def create(context: SparkContext): Map[String, SQLMetric] = Map(
    OutputRows -> SQLMetrics.createMetric(context, "number of output rows"),
    RowGroupsRead -> SQLMetrics.createMetric(context, "row groups read"),
    RowGroupsSkipped -> SQLMetrics.createMetric(context, "row groups skipped while reading"),
    RowGroupsReadAgain -> SQLMetrics.createMetric(context, "row groups read again without page index"),
    ReserveRead -> SQLMetrics.createMetric(context, "parts of the reserve read"),
    BytesRead -> SQLMetrics.createSizeMetric(context, "bytes read"),
    "rowGroupsTotal" -> SQLMetrics.createMetric(context, "row groups inspected"),
    "rowGroupsMatched" -> SQLMetrics.createMetric(context, "row groups matched"),
    "rowGroupsFullyMatched" -> SQLMetrics.createMetric(context, "row groups fully matched"),
    "rowGroupsDropped" -> SQLMetrics.createMetric(context, "row groups dropped by the threshold"),
    "rowsCertain" -> SQLMetrics.createMetric(context, "rows certain to reach the threshold"),
    "rowGroupsScanned" -> SQLMetrics.createMetric(context, "row groups to scan"),
    // The same names as in Spark's own scan.
    "numFiles" -> SQLMetrics.createMetric(context, "number of files read"),
    "filesSize" -> SQLMetrics.createSizeMetric(context, "size of files read"),
    "numPartitions" -> SQLMetrics.createMetric(context, "number of partitions read"),
    "filesPrunedByLog" -> SQLMetrics.createMetric(context, "files pruned by the log"),
    "filesTotal" -> SQLMetrics.createMetric(context, "files in total"),
    "filesInspected" -> SQLMetrics.createMetric(context, "files inspected"),
    "filesScanned" -> SQLMetrics.createMetric(context, "files to scan"),
    "rowRanges" -> SQLMetrics.createMetric(context, "row ranges to scan"),
    "rowsToRead" -> SQLMetrics.createMetric(context, "rows to read"),
    "rowsCut" -> SQLMetrics.createMetric(context, "rows cut"),
    "rowsSkipped" -> SQLMetrics.createMetric(context, "rows skipped by OFFSET"),
    "pagesSkipped" -> SQLMetrics.createMetric(context, "pages skipped"),
    "reserveRowGroups" -> SQLMetrics.createMetric(context, "row groups in reserve"),
    "reserveFiles" -> SQLMetrics.createMetric(context, "files in reserve"),
    "bytesToRead" -> SQLMetrics.createSizeMetric(context, "bytes to read"),
    "nodesEvaluated" -> SQLMetrics.createMetric(context, "expression nodes evaluated while planning"),
    "valuesDecoded" -> SQLMetrics.createMetric(context, "dictionary values decoded while planning"),
    "pagesClassified" -> SQLMetrics.createMetric(context, "ranges of pages classified while planning"),
    "footersRead" -> SQLMetrics.createMetric(context, "footers read while planning"),
    "filesOpened" -> SQLMetrics.createMetric(context, "files opened while planning"),
    "bytesAllocated" -> SQLMetrics.createSizeMetric(context, "bytes allocated while planning"),
    RowsVerified -> SQLMetrics.createMetric(context, "rows found by reading columns first"),
    BytesReadFirst -> SQLMetrics.createSizeMetric(context, "bytes of columns read first"),
    "planningTime" -> SQLMetrics.createNanoTimingMetric(context, "limit pruning time"),
    ScanTime -> SQLMetrics.createTimingMetric(context, "scan time")
  )

  /** Whether a scan with these metrics has started. The numbers of what it has read so far are then known. */
  def hasRun(metrics: Map[String, SQLMetric]): Boolean =
    metrics("rowGroupsTotal").value > 0 || metrics(RowGroupsRead).value > 0

  /** Publishes the numbers of planning for the execution that is about to start. */
  def postPlanned(
      context: SparkContext,
      metrics: Map[String, SQLMetric],
      chosen: ChosenRows,
      bytes: Long,
      pagesSkipped: Long
  ): Unit = {
    val proved = Map(
      "rowGroupsTotal" -> chosen.counts.rowGroups.toLong,
      "rowGroupsMatched" -> chosen.counts.matched.toLong,
      "rowGroupsFullyMatched" -> chosen.counts.fullyMatched.toLong,
      "rowGroupsScanned" -> chosen.selection.rowGroups.toLong,
      "filesTotal" -> chosen.counts.files.toLong,
      "filesInspected" -> chosen.counts.filesInspected.toLong,
      "numFiles" -> chosen.selection.listed.size.toLong,
      "filesSize" -> chosen.selection.listed.map(_.length).sum,
      "numPartitions" -> chosen.selection.listed.map(_.partitionValues).distinct.size.toLong,
      "filesScanned" -> chosen.selection.listed.size.toLong,
      "rowRanges" -> chosen.selection.rowRanges.toLong,
      "rowsToRead" -> chosen.selection.rows,
      "rowsCut" -> chosen.selection.rowsCut,
      "rowsSkipped" -> chosen.skipped.rows,
      "pagesSkipped" -> pagesSkipped,
      "bytesToRead" -> bytes,
      "nodesEvaluated" -> chosen.counts.work.evaluated,
      "valuesDecoded" -> chosen.counts.work.decoded,
      "pagesClassified" -> chosen.counts.work.pages,
      "footersRead" -> chosen.counts.work.footers,
      "filesOpened" -> chosen.counts.work.opened,
      "bytesAllocated" -> chosen.counts.work.allocated,
      "planningTime" -> chosen.planningNanos
    )
    val top = chosen.top.fold(Map.empty[String, Long])(top =>
      Map("rowGroupsDropped" -> top.rowGroupsDropped.toLong, "rowsCertain" -> top.rowsCertain)
    )
    val reserve = chosen.selection.reserve.fold(Map.empty[String, Long])(more =>
      Map("reserveRowGroups" -> more.rowGroups.toLong, "reserveFiles" -> more.unseen.size.toLong)
    )
    val first = chosen.verified.fold(Map.empty[String, Long])(found =>
      Map(RowsVerified -> found.rows, BytesReadFirst -> found.bytes)
    )
    val planned = proved ++ top ++ first ++ reserve ++
      chosen.counts.filesPrunedByLog.map("filesPrunedByLog" -> _)
    planned.foreach { case (name, value) => metrics(name).set(value) }
    val execution = context.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)
    SQLMetrics.postDriverMetricUpdates(context, execution, planned.keys.map(metrics).toSeq)
  }
}
