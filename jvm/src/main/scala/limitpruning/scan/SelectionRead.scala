package limitpruning.scan

import org.apache.hadoop.conf.Configuration
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.{FileSourceOptions, InternalRow}
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources._
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import limitpruning.conf.SparkSessions
import limitpruning.parquet.{ReadSettings, VectorizedReader}
import limitpruning.select.{
  ChosenRows, FileRange, ListedFile, PackTasks, PackUnseen, SelectedFile, SelectedRowGroup, Selection,
  SplitBytes, WhileReading
}
import limitpruning.shims.SparkShims

/**
 * Determines how a selection is read: the bytes of files, in tasks, through Spark's own `FileScanRDD`.
 *
 * @param settings the settings for which the rows were selected
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
    new ReadBytes(
      settings.names.in(scan.requiredSchema),
      conf.caseSensitiveAnalysis,
      skipsPages = noPageSkipping.isEmpty
    )

  /** Compressed bytes of the column chunks, or of their pages, that will be read. */
  lazy val bytes: Long = rowGroups.map(bytesOf(_)).sum + selection.unseen.map(_.length).sum

  /**
   * Data pages that will not be read, of the columns that are read, in row groups that are not read whole.
   */
  lazy val pagesSkipped: Long =
    rowGroups.flatMap(bytesOf.pages(_)).map(pages => (pages.total - pages.pages).toLong).sum

  /** The columns of which only whole pages are read, because Spark's reader cannot skip values in their encoding. */
  def columnsInWholePages: Seq[String] =
    rowGroups.flatMap(bytesOf.inWholePages).map(_.mkString(".")).toSeq.distinct.sorted

  /**
   * Why row groups are read whole, even if the LIMIT needs few of their rows. None if pages can be skipped.
   */
  def noPageSkipping: Option[String] =
    if (HiddenRows.areReadBy(scan))
      Some("Delta's reader hides deleted rows, and reads whole row groups")
    else if (SelectionRead.isVectorized(scan))
      VectorizedReader.problem.map(p => s"this Spark's reader cannot read single rows of a row group: $p")
    else Some("Spark's row-based reader reads whole row groups")

  private def rowGroups: Iterator[SelectedRowGroup] = selection.files.iterator.flatMap(_.rowGroups)

  /** Whether one task is best, by the current settings and the current number of cores. */
  def fitsOneTask: Boolean = selection.reserve.nonEmpty || {
    val maxBytes = maxTaskBytes
    packed(maxBytes).size + unseenTasks(maxBytes).size == 1
  }

  /**
   * @param skip finds row groups that are no longer needed while reading
   * @param whileReading finds out while reading whether a part of a file is enough, for files without a selection
   * @param inOneTask whether the plan relies on one task, even if more tasks would be better now
   */
  def rdd(
      metrics: Map[String, SQLMetric],
      skip: Option[SkipBehindThreshold],
      whileReading: Option[WhileReading],
      inOneTask: Boolean
  ): RDD[InternalRow] = {
    requireSettings()
    val filters = if (chosen.allRowsMatch) Nil else PushedFilters.of(scan)
    // Spark's format changes the configuration.
    def reader(columns: StructType, hadoopConf: Configuration) =
      relation.fileFormat.buildReaderWithPartitionValues(
        sparkSession = session,
        dataSchema = relation.dataSchema,
        partitionSchema = relation.partitionSchema,
        requiredSchema = columns,
        filters = filters,
        options = relation.options + (FileFormat.OPTION_RETURNING_BATCH -> scan.supportsColumnar.toString),
        hadoopConf = hadoopConf
      )
    def newConf = SparkSessions.hadoopConf(session, relation.options)
    val hadoopConf = newConf
    val read = reader(scan.requiredSchema, hadoopConf)
    val limit = chosen.limit.toLong
    val narrowUnseen = whileReading.map(_.minPageBytes).flatMap(minPageBytes =>
      if (chosen.conjuncts.isEmpty) Some(new FirstRowsOfPart(limit, minPageBytes))
      else ColumnsReadFirst.of(scan, chosen.conjuncts).map(first =>
        new RowFilter(
          limit,
          first.predicate,
          reader(first.schema, newConf),
          minPageBytes,
          RowFilter.Counts(metrics)
        )
      )
    )
    new FileScanRDD(
      session,
      new FileOpener(
        read,
        chosen.allRowsMatch,
        ReaderConfiguration.of(session.sparkContext, read, hadoopConf),
        ReadCounts(
          metrics(ScanMetrics.RowGroupsRead),
          metrics(ScanMetrics.BytesRead),
          metrics(ScanMetrics.RowGroupsReadAgain)
        ),
        skip,
        narrowUnseen,
        reserveRead = selection.reserve.map(_ => metrics(ScanMetrics.ReserveRead))
      ),
      tasks(if (inOneTask) Long.MaxValue else maxTaskBytes),
      StructType(scan.requiredSchema.fields ++ relation.partitionSchema.fields),
      scan.fileConstantMetadataColumns,
      relation.fileFormat.fileConstantMetadataExtractors,
      new FileSourceOptions(
        CaseInsensitiveMap(relation.options) ++
          (if (selection.reserve.isEmpty) SelectionRead.Strict else Map.empty)
      )
    )
  }

  /**
   * @throws IllegalArgumentException if Spark would now read other values than those for which the proofs are
   *   valid
   */
  private def requireSettings(): Unit = {
    // Without adaptive execution, Spark plans for batches before the query runs.
    def noBatches =
      if (scan.supportsColumnar && !conf.parquetVectorizedReaderEnabled)
        Some(SQLConf.PARQUET_VECTORIZED_READER_ENABLED.key)
      else None
    settings.changedSince(ReadSettings.of(relation)).orElse(noBatches).foreach { setting =>
      throw new IllegalArgumentException(
        s"$setting changed after this query was planned, and the rows for its LIMIT were selected with the old value. " +
          "Create the DataFrame again."
      )
    }
  }

  private def tasks(maxBytes: Long): Seq[FilePartition] = {
    val splits = selection.reserve.fold(
      packed(maxBytes).map(_.map(split(_))) ++ unseenTasks(maxBytes).map(_.map(unseenPart))
    )(reserve => Seq(withReserve(reserve)))
    splits.zipWithIndex.map { case (files, index) => FilePartition(index, files.toArray) }
  }

  /**
   * What one task reads: the selection, then the reserve. The LIMIT above ends the task once it has enough rows, and the
   * task opens a file only when it has read the previous one. If a part of a file is corrupt, Spark skips the rest of the
   * split. So splits are no larger than Spark's own, and at least the rows are returned that Spark's own scan returns.
   */
  private def withReserve(reserve: Selection): Seq[PartitionedFile] = {
    def single(files: Seq[SelectedFile]): Seq[SelectedFile] =
      for (file <- files; rowGroup <- file.rowGroups) yield file.copy(rowGroups = Vector(rowGroup))
    val unseen = PackUnseen(reserve.unseen, conf.filesOpenCostInBytes, sparksSplitBytes).flatten
    single(selection.files).map(split(_)) ++
      single(reserve.files).map(split(_, isReserve = true)) ++
      unseen.map(unseenPart)
  }

  /** The size of the splits of Spark's own scan of all files. */
  private def sparksSplitBytes: Long =
    SplitBytes(conf, chosen.counts.bytes, chosen.counts.files, session.sparkContext.defaultParallelism)

  private def packed(maxBytes: Long): Seq[Seq[SelectedFile]] =
    PackTasks(selection, bytesOf(_), conf.filesOpenCostInBytes, maxBytes, maxRunBytes, maxGap(_))

  /** Whether the reader passes over row groups of a file that it has opened. */
  private lazy val skipsRowGroups: Boolean = noPageSkipping.isEmpty

  /**
   * The maximum bytes of a run. Other readers than the vectorized one cannot skip row groups that they opened together.
   * Only ORDER BY skips row groups while it reads.
   */
  private def maxRunBytes: Long =
    if (chosen.top.isEmpty || skipsRowGroups) Long.MaxValue else SelectionRead.LargestRun

  /**
   * The most row groups that a run passes over. A reader with filters of its own tries them on these, too, and may read
   * their dictionaries and page indexes for it, with several requests. From a local disk, opening the file again takes the
   * longer, the larger its footer is.
   */
  private def maxGap(file: SelectedFile): Int =
    if (!skipsRowGroups) 0
    else if (chosen.allRowsMatch) Int.MaxValue
    else if (file.listed.status.getPath.toUri.getScheme == "file")
      SelectionRead.FilteredGap + file.version.footerLength / SelectionRead.FooterOfRowGroup
    else SelectionRead.FilteredGap

  private def unseenTasks(maxBytes: Long): Seq[Seq[FileRange]] =
    PackUnseen(selection.unseen, conf.filesOpenCostInBytes, maxBytes)

  /**
   * The maximum size of a task. It is the size of partitions, as for Spark's own scans, or smaller if cores
   * would be idle. A small read stays in one task, which avoids a shuffle.
   */
  private def maxTaskBytes: Long = {
    val parallelism = conf.filesMinPartitionNum.getOrElse(session.sparkContext.defaultParallelism)
    val cost = bytes + selection.listed.size * conf.filesOpenCostInBytes
    math.min(conf.filesMaxPartitionBytes, math.max(smallTask, cost / parallelism))
  }

  /**
   * The maximum size in bytes, including the estimated cost of opening files, for which a second task is not
   * worth starting.
   */
  private def smallTask: Long =
    if (chosen.allRowsMatch) SelectionRead.SmallTask
    else conf.filesOpenCostInBytes // as without the extension

  private def unseenPart(range: FileRange): PartitionedFile = part(range.file, range.start, range.length)

  /** A part of a file as it was listed. Nothing is listed again when a query runs. */
  private def part(listed: ListedFile, start: Long, length: Long): PartitionedFile =
    SparkShims.partOfFile(listed.file, listed.partitionValues, start, length)

  private def planned(rowGroups: Seq[SelectedRowGroup]): Seq[PlannedRowGroup] =
    rowGroups.map(rowGroup => PlannedRowGroup.of(rowGroup, bytesOf(rowGroup))).toVector

  private def split(run: SelectedFile, isReserve: Boolean = false): PartitionedFile = {
    val groups = run.rowGroups
    val start = groups.head.start
    val split = part(run.listed, start, groups.last.start + 1 - start)
    split.copy(otherConstantMetadataColumnValues =
      split.otherConstantMetadataColumnValues ++
        FileOpener.plan(PlannedRun(run.version, planned(groups), isReserve))
    )
  }
}

private[limitpruning] object SelectionRead {

  /** Whether Spark's vectorized reader reads this scan. */
  def isVectorized(scan: FileSourceScanExec): Boolean =
    VectorizedReader.reads(
      scan.relation,
      StructType(scan.relation.partitionSchema.fields ++ scan.requiredSchema.fields)
    )

  /**
   * Whether this scan returns batches, if it is decided now. The scan itself decides once, on the first call, so it must not
   * be called while planning: until the query runs, the reader may be switched off.
   */
  def isColumnar(scan: FileSourceScanExec): Boolean = scan.clone().supportsColumnar

  /**
   * A file that a proof relies on must not be skipped, and an error about a changed file must not be ignored.
   * If either setting is on while planning, the selection has a reserve. It may have been switched on since then.
   */
  private val Strict = Map(
    FileSourceOptions.IGNORE_CORRUPT_FILES -> "false",
    FileSourceOptions.IGNORE_MISSING_FILES -> "false"
  )

  /** The size of a run in bytes from which the cost of opening a file again is negligible. */
  private val LargestRun = 16L * 1024 * 1024

  /** The row groups to which a reader with filters applies them in less time than opening a small file again takes. */
  private val FilteredGap = 8

  /** The bytes of a footer that are parsed while a reader applies its filters to a row group. */
  private val FooterOfRowGroup = 16 * 1024

  /** The size in bytes of rows that are all needed, for which a second task is not worth starting. */
  private val SmallTask = 32L * 1024 * 1024
}
