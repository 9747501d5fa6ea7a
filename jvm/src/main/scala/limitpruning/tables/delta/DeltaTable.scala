package limitpruning.tables.delta

import scala.concurrent.duration.DurationLong

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.delta.{DeltaColumnMapping, DeltaParquetFileFormat, NameMapping, NoMapping}
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.stats.{PrepareDeltaScan, PreparedDeltaFileIndex}
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.internal.SQLConf

import limitpruning.conf.LimitPruningConf
import limitpruning.footers.{FactsCache, QueryInTime}
import limitpruning.parquet.{NamesInFiles, ReadSettings}
import limitpruning.predicate.LeafColumn
import limitpruning.search.{FileFacts, LimitPlan, TableListing}
import limitpruning.select.{ListedFile, Reason}
import limitpruning.tables.{FileSourceTable, SelectedRelation, UndecidedRelation, WantedRows}

/**
 * A Delta table, as Delta has prepared it for a query: with the files of one snapshot that Delta's data skipping and its
 * own LIMIT push-down leave.
 */
private[tables] final class DeltaTable(leaf: LogicalRelation, relation: HadoopFsRelation)
    extends FileSourceTable(leaf, relation) {

  override protected def unsupportedFormat: Option[Reason] = (relation.fileFormat, relation.location) match {
    case (format: DeltaParquetFileFormat, index) if isPlain(format) =>
      index match {
        case _: PreparedDeltaFileIndex | _: SelectedDeltaIndex | _: UndecidedDeltaIndex => None
        case other => Some(Reason.NotSparksIndex(other.getClass.getName))
      }
    case (format, _) => Some(Reason.NotSparksParquet(format.getClass.getName))
  }

  /** Not if Delta has already added the filter for deleted rows, for which it needs a path, or if it reads changes. */
  private def isPlain(format: DeltaParquetFileFormat): Boolean =
    format.getClass == classOf[DeltaParquetFileFormat] && !format.hasTablePath && !format.isCDCRead

  override lazy val settings: ReadSettings = ReadSettings.of(relation).copy(names = names)

  override def list(
      conjuncts: Seq[Expression],
      keys: Seq[Expression],
      cache: FactsCache
  ): TableListing =
    relation.location match {
      case prepared: PreparedDeltaFileIndex =>
        new DeltaListing(this, prepared, conjuncts, keys, cache, needsAll = keys.nonEmpty)
      case other => throw new IllegalStateException(s"no prepared scan: $other")
    }

  /** Not if Delta numbers rows itself, which it does from the beginning of a file on. */
  override def canReadFirst: Boolean =
    relation.sparkSession.conf.get(DeltaTable.UsesRowNumbersOfSpark, "true").toBoolean

  override def decideWhenRun(plan: LogicalPlan, wanted: WantedRows): LogicalPlan = relation.location match {
    case prepared: PreparedDeltaFileIndex =>
      UndecidedRelation.replaceIn(plan, leaf, new UndecidedDeltaIndex(prepared, wanted, leaf.output))
    case other => throw new IllegalStateException(s"no prepared scan: $other")
  }

  /** A column with its name in the table, which a query may write in another case. */
  def named(column: LeafColumn): LeafColumn =
    byId.get(column.attribute.exprId).fold(column)(attribute => column.copy(attribute = attribute))

  private lazy val byId = output.map(attribute => attribute.exprId -> attribute).toMap

  private def names: NamesInFiles = relation.fileFormat match {
    case format: DeltaParquetFileFormat => format.columnMappingMode match {
        case NoMapping => NamesInFiles.Same
        case NameMapping =>
          NamesInFiles.Renamed(DeltaColumnMapping.getLogicalNameToPhysicalNameMap(format.referenceSchema))
        case _ => NamesInFiles.Unknown // by field ids
      }
    case _ => NamesInFiles.Unknown
  }
}

private[delta] object DeltaTable {

  /** @param leaf reads files */
  def of(leaf: LogicalRelation): DeltaTable = leaf.relation match {
    case files: HadoopFsRelation => new DeltaTable(leaf, files)
    case other => throw new IllegalArgumentException(s"not files: $other")
  }

  private val UsesRowNumbersOfSpark = "spark.databricks.delta.deletionVectors.useMetadataRowIndex"
}

/**
 * The files of a prepared Delta scan, sorted by path, with the statistics of the log.
 *
 * @param conjuncts the predicate
 * @param keys the sort key, if there is one: then facts about all files are needed
 * @param cache the application's cache
 * @param needsAll whether the statistics of all files will be asked for
 */
private[delta] final class DeltaListing(
    table: DeltaTable,
    index: PreparedDeltaFileIndex,
    conjuncts: Seq[Expression],
    keys: Seq[Expression],
    cache: FactsCache,
    needsAll: Boolean
) extends TableListing {

  private val added: IndexedSeq[(ListedFile, AddFile)] = {
    // With the filters of the prepared scan, Delta returns its files, and does not read the log again.
    val (partitions, _) = index.listPartitionsAsAddFiles(Nil, index.preparedScan.allFilters.toSeq)
    // Spark's rules may find more filters of partition columns after that, and drop them from the filter of rows.
    val hasPartition =
      PartitionFilters(table, conjuncts.filterNot(index.preparedScan.partitionFilters.contains))
    val listed = for {
      (values, files) <- partitions
      if hasPartition(values)
      file <- files
    } yield (values, index.fileStatusWithMetadataFromAddFile(file), file)
    // The order is that of the log, which has texts.
    listed.sortBy(_._3.path).zipWithIndex.map { case ((values, status, file), position) =>
      ListedFile(values, status, position) -> file
    }.toIndexedSeq
  }

  private val statistics = new LogStatistics(
    index.preparedScan.scannedSnapshot,
    index.rootPaths.head.toString,
    added.map(_._2.path),
    needsAll,
    LeafColumn.inAll(conjuncts ++ keys).map(table.named),
    table.settings.names,
    new QueryInTime(
      table.relation.sparkSession.sparkContext,
      // An ORDER BY that skips nothing reads the whole table.
      SQLConf.get.getConf(LimitPruningConf.MaxTime).millis * (if (keys.isEmpty) 1L else DeltaListing.OfKeys),
      cache.slow
    ),
    cache
  )

  override val files: IndexedSeq[ListedFile] = added.map(_._1)

  /** A file as Delta's log has it. */
  def action(file: ListedFile): AddFile = added(file.position)._2

  /** Whether the log may say something certain about the values of a column. */
  def knows(column: LeafColumn): Boolean = statistics.knows(column)

  /** Whether what the log says about a file was read. */
  def isRead(file: ListedFile): Boolean = statistics.isRead(action(file).path)

  override def hasFacts: Boolean = true
  override def areFilesImmutable: Boolean = true

  override def prunedByLog: Option[Long] = index.preparedScan.total.files.map(_ - files.size)

  /** Delta reads the statistics in a Spark job, which takes about as long as some waves of footers. */
  override def isWorthAskingFirst: Boolean = files.size > DeltaListing.FewFiles

  override def cheapFacts: Int = LogStatistics.MostNamed

  override def facts(file: ListedFile): FileFacts = {
    val path = action(file).path
    FileFacts(
      statistics.certain(path, _),
      statistics.knows,
      statistics.rows(path),
      Some(Option(action(file).deletionVector).fold(0L)(_.cardinality)),
      statistics.expected(path, _)
    )
  }

  override def read(plan: LogicalPlan, chosen: LimitPlan): LogicalPlan = {
    val selected = chosen.rows.selection.listed.map(action)
    SelectedRelation.replaceIn(plan, table.leaf, new SelectedDeltaIndex(index, selected, chosen))
  }
}

private object DeltaListing {
  private val FewFiles = 64

  /** The statistics of keys may take so many times as long as those of a predicate. */
  private val OfKeys = 4L
}

/**
 * Runs Delta's own rule that chooses files by the log, answers queries from metadata alone, pushes LIMITs down over
 * partition filters, and records in a transaction what is read. It changes nothing that it has already prepared, so it
 * does not matter that Delta runs it, too.
 */
private[tables] object PrepareScans {
  def apply(session: SparkSession, plan: LogicalPlan): LogicalPlan = new PrepareDeltaScan(session)(plan)
}
