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

import limitpruning.SparkSessions
import limitpruning.select.{ChosenRows, PackTasks, PackUnseen, Piece, Run, SelectedRowGroup}

/** How a selection is read: which bytes of which files, in which tasks, through Spark's own `FileScanRDD`. */
private[scan] final class SelectionRead(scan: FileSourceScanExec, chosen: ChosenRows) {
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
      look: Option[LookWhileReading],
      inOneTask: Boolean
  ): RDD[InternalRow] = {
    val hadoopConf = SparkSessions.hadoopConf(session, relation.options)
    val read = relation.fileFormat.buildReaderWithPartitionValues(
      sparkSession = session,
      dataSchema = relation.dataSchema,
      partitionSchema = relation.partitionSchema,
      requiredSchema = scan.requiredSchema,
      filters = if (chosen.areProved) Nil else PushedFilters.of(scan),
      options = relation.options + (FileFormat.OPTION_RETURNING_BATCH -> scan.supportsColumnar.toString),
      hadoopConf = hadoopConf
    )
    new FileScanRDD(
      session,
      new ReadPlannedFile(
        read,
        chosen.areProved,
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
      new FileSourceOptions(CaseInsensitiveMap(relation.options))
    )
  }

  private def tasks(maxBytes: Long): Seq[FilePartition] = {
    val files = listed
    val splits = packed(maxBytes).map(_.map(split(_, files))) ++
      unseenTasks(maxBytes).map(_.map(piece(_, files)))
    splits.zipWithIndex.map { case (files, index) => FilePartition(index, files.toArray) }
  }

  private def packed(maxBytes: Long): Seq[Seq[Run]] =
    PackTasks(selection, bytesOf(_), conf.filesOpenCostInBytes, maxBytes, maxRunBytes)

  /** Where the rows that are read first may spare others, these must not have been opened with them. */
  private def maxRunBytes: Long = if (chosen.areProved) Long.MaxValue else SelectionRead.LargestRun

  private def unseenTasks(maxBytes: Long): Seq[Seq[Piece]] =
    PackUnseen(selection.unseen, conf.filesOpenCostInBytes, maxBytes)

  /**
   * As Spark splits a scan, by the size of partitions, or smaller where cores would stay idle; yet never so small
   * that a limit which one task reads in no time is spread over several, which would cost a shuffle.
   */
  private def maxTaskBytes: Long = {
    val parallelism = conf.filesMinPartitionNum.getOrElse(session.sparkContext.defaultParallelism)
    val cost = bytes + selection.paths.size * conf.filesOpenCostInBytes
    math.min(conf.filesMaxPartitionBytes, math.max(smallTask, cost / parallelism))
  }

  /** Bytes, with those that opening files is reckoned to cost, for which a second task is not worth starting. */
  private def smallTask: Long =
    if (chosen.areProved) SelectionRead.SmallTask else conf.filesOpenCostInBytes // as without us

  private type Listed = Map[String, (InternalRow, FileStatusWithMetadata)]

  private def listed: Listed = relation.location
    .listFiles(Nil, Nil)
    .flatMap(directory => directory.files.map(f => f.getPath.toString -> ((directory.values, f))))
    .toMap

  private def piece(piece: Piece, listed: Listed): PartitionedFile = {
    val (partitionValues, file) = listed(piece.file.path)
    PartitionedFileUtil.getPartitionedFile(file, file.getPath, partitionValues, piece.start, piece.length)
  }

  private def planned(rowGroups: Seq[SelectedRowGroup]): Seq[PlannedRowGroup] =
    rowGroups.map(rowGroup => PlannedRowGroup.of(rowGroup, bytesOf(rowGroup))).toVector

  private def split(run: Run, listed: Listed): PartitionedFile = {
    val (partitionValues, file) = listed(run.file.path)
    val groups = run.file.rowGroups
    val length = groups.last.start + 1 - groups.head.start
    val split =
      PartitionedFileUtil.getPartitionedFile(file, file.getPath, partitionValues, groups.head.start, length)
    split.copy(
      modificationTime = run.file.version.modificationTime,
      fileSize = run.file.version.length,
      otherConstantMetadataColumnValues =
        split.otherConstantMetadataColumnValues ++
          ReadPlannedFile.plan(PlannedRun(run.file.version, planned(groups)))
    )
  }
}

private object SelectionRead {

  /** Bytes for which opening a file once more is not worth thinking about. */
  private val LargestRun = 16L * 1024 * 1024

  /** The bytes of rows that are all wanted, for which a second task is not worth starting. */
  private val SmallTask = 32L * 1024 * 1024
}
