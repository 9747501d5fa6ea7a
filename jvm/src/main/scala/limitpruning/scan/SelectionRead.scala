package limitpruning.scan

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.{FileSourceOptions, InternalRow}
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.execution.{FileSourceScanExec, PartitionedFileUtil}
import org.apache.spark.sql.execution.datasources._
import org.apache.spark.sql.execution.datasources.parquet.ParquetUtils
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.SerializableConfiguration

import limitpruning.conf.SparkSessions
import limitpruning.parquet.ReadSettings
import limitpruning.select.{ChosenRows, ListedFile, PackTasks, PackUnseen, FileRange, RowGroupRun, SelectedRowGroup}

/**
 * How a selection is read: which bytes of which files, in which tasks, through Spark's own `FileScanRDD`.
 *
 * @param settings those with which the rows were chosen
 */
private[scan] final class SelectionRead(
    scan: FileSourceScanExec,
    chosen: ChosenRows,
    settings: ReadSettings
) {
  private val selection = chosen.selection
  private val relation = scan.relation
  private val session = SparkSessions.onServer(relation.sparkSession)
  private val conf = session.sessionState.conf
  private val bytesOf =
    new ReadBytes(scan.requiredSchema, conf.caseSensitiveAnalysis, skipsPages = noPageSkipping.isEmpty)

  /** Compressed bytes of the column chunks, or pages of them, that will be read. */
  lazy val bytes: Long = rowGroups.map(bytesOf(_)).sum + selection.unseen.map(_.length).sum

  /** Data pages of the columns that are read, in row groups that are not read whole, that will not be read. */
  lazy val pagesSkipped: Long =
    rowGroups.flatMap(bytesOf.pages(_)).map(pages => (pages.total - pages.pages).toLong).sum

  /** Why row groups are read whole, however few of their rows are wanted; none where pages can be skipped. */
  def noPageSkipping: Option[String] =
    if (isVectorized)
      ReadRowRanges.problem.map(p => s"this Spark's reader cannot be told which rows to read: $p")
    else Some("Spark's row-based reader reads row groups whole")

  private def rowGroups: Iterator[SelectedRowGroup] = selection.files.iterator.flatMap(_.rowGroups)

  /** As Spark's format decides it. */
  private def isVectorized: Boolean = ParquetUtils.isBatchReadSupportedForSchema(
    conf,
    StructType(relation.partitionSchema.fields ++ scan.requiredSchema.fields)
  )

  /** Whether one task is best, by the settings and the cores that there are now. */
  def fitsOneTask: Boolean = {
    val maxBytes = maxTaskBytes
    packed(maxBytes).size + unseenTasks(maxBytes).size == 1
  }

  /**
   * @param skip tells while reading what need not be read any more
   * @param look finds out while reading whether less than all of a file will do of which nothing was planned
   * @param inOneTask whether the plan counts on one task, however many would be best by now
   */
  def rdd(
      metrics: Map[String, SQLMetric],
      skip: Option[SkipBehindBound],
      look: Option[InspectWhileReading],
      inOneTask: Boolean
  ): RDD[InternalRow] = {
    requireSettings()
    val hadoopConf = SparkSessions.hadoopConf(session, relation.options)
    val read = relation.fileFormat.buildReaderWithPartitionValues(
      sparkSession = session,
      dataSchema = relation.dataSchema,
      partitionSchema = relation.partitionSchema,
      requiredSchema = scan.requiredSchema,
      filters = if (chosen.allRowsMatch) Nil else PushedFilters.of(scan),
      options = relation.options + (FileFormat.OPTION_RETURNING_BATCH -> scan.supportsColumnar.toString),
      hadoopConf = hadoopConf
    )
    new FileScanRDD(
      session,
      new ReadPlannedFile(
        read,
        chosen.allRowsMatch,
        new SerializableConfiguration(hadoopConf),
        metrics(ScanMetrics.RowGroupsRead),
        metrics(ScanMetrics.BytesRead),
        skip,
        look
      ),
      tasks(if (inOneTask) Long.MaxValue else maxTaskBytes),
      StructType(scan.requiredSchema.fields ++ relation.partitionSchema.fields),
      scan.fileConstantMetadataColumns,
      relation.fileFormat.fileConstantMetadataExtractors,
      new FileSourceOptions(CaseInsensitiveMap(relation.options) ++ SelectionRead.Strict)
    )
  }

  /** @throws IllegalArgumentException where the proofs are of what Spark would have read with other settings */
  private def requireSettings(): Unit =
    settings.changedSince(ReadSettings.of(relation)).foreach { setting =>
      throw new IllegalArgumentException(
        s"$setting was changed after this query had been planned, and what its LIMIT reads was chosen for the old value. " +
          "Make the DataFrame anew."
      )
    }

  private def tasks(maxBytes: Long): Seq[FilePartition] = {
    val splits = packed(maxBytes).map(_.map(split)) ++ unseenTasks(maxBytes).map(_.map(piece))
    splits.zipWithIndex.map { case (files, index) => FilePartition(index, files.toArray) }
  }

  private def packed(maxBytes: Long): Seq[Seq[RowGroupRun]] =
    PackTasks(selection, bytesOf(_), conf.filesOpenCostInBytes, maxBytes, maxRunBytes)

  /** Where the rows that are read first may spare others, these must not have been opened with them. */
  private def maxRunBytes: Long = if (chosen.allRowsMatch) Long.MaxValue else SelectionRead.LargestRun

  private def unseenTasks(maxBytes: Long): Seq[Seq[FileRange]] =
    PackUnseen(selection.unseen, conf.filesOpenCostInBytes, maxBytes)

  /**
   * As Spark splits a scan, by the size of partitions, or smaller where cores would stay idle; yet never so small
   * that a limit which one task reads in no time is spread over several, which would cost a shuffle.
   */
  private def maxTaskBytes: Long = {
    val parallelism = conf.filesMinPartitionNum.getOrElse(session.sparkContext.defaultParallelism)
    val cost = bytes + selection.listed.size * conf.filesOpenCostInBytes
    math.min(conf.filesMaxPartitionBytes, math.max(smallTask, cost / parallelism))
  }

  /** Bytes, with those that opening files is reckoned to cost, for which a second task is not worth starting. */
  private def smallTask: Long =
    if (chosen.allRowsMatch) SelectionRead.SmallTask else conf.filesOpenCostInBytes // as without us

  private def piece(piece: FileRange): PartitionedFile = part(piece.file, piece.start, piece.length)

  /** Bytes of a file as the listing had it: when a query runs, nothing is listed again. */
  private def part(listed: ListedFile, start: Long, length: Long): PartitionedFile =
    PartitionedFileUtil.getPartitionedFile(
      listed.file,
      listed.status.getPath,
      listed.partitionValues,
      start,
      length
    )

  private def planned(rowGroups: Seq[SelectedRowGroup]): Seq[PlannedRowGroup] =
    rowGroups.map(rowGroup => PlannedRowGroup.of(rowGroup, bytesOf(rowGroup))).toVector

  private def split(run: RowGroupRun): PartitionedFile = {
    val groups = run.file.rowGroups
    val start = groups.head.start
    val split = part(run.file.listed, start, groups.last.start + 1 - start)
    split.copy(otherConstantMetadataColumnValues =
      split.otherConstantMetadataColumnValues ++
        ReadPlannedFile.plan(PlannedRun(run.file.version, planned(groups)))
    )
  }
}

private object SelectionRead {

  /**
   * A file that was counted on must not be passed over, and an error that says that it has changed must not be swallowed. Where
   * either is on while planning, nothing is pruned; it may have been switched on since.
   */
  private val Strict = Map(
    FileSourceOptions.IGNORE_CORRUPT_FILES -> "false",
    FileSourceOptions.IGNORE_MISSING_FILES -> "false"
  )

  /** Bytes for which opening a file once more is not worth thinking about. */
  private val LargestRun = 16L * 1024 * 1024

  /** The bytes of rows that are all wanted, for which a second task is not worth starting. */
  private val SmallTask = 32L * 1024 * 1024
}
