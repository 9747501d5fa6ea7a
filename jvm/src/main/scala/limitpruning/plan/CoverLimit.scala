package limitpruning.plan

import java.util.Locale

import scala.concurrent.duration.DurationLong

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit
import org.apache.spark.sql.execution.datasources.parquet.{ParquetOptions, ParquetUtils}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.util.SerializableConfiguration

import limitpruning.{LimitPruningConf, SparkSessions}
import limitpruning.parquet._
import limitpruning.scan.ReadRowRanges
import limitpruning.select.ProvedCover

/** Decides for one LIMIT what to read: extract, list, look, select. */
object CoverLimit {

  /** @return the index to read through, or the refusal; `None` where the LIMIT does not concern Parquet */
  def decide(
      limit: LocalLimit,
      session: SparkSession,
      cache: FactsCache,
      conf: SQLConf
  ): Option[Either[Refusal, (LimitedScan, SelectedFileIndex)]] =
    LimitedScan.of(limit).collect {
      case Left(reason) => Left(Refusal(reason))
      case Right(scan) if !scan.relation.location.isInstanceOf[SelectedFileIndex] => look(scan, session, cache, conf)
    }

  private def look(
      scan: LimitedScan,
      session: SparkSession,
      cache: FactsCache,
      conf: SQLConf
  ): Either[Refusal, (LimitedScan, SelectedFileIndex)] = {
    val started = System.nanoTime()
    val settings = readSettings(scan, conf)
    val classify =
      new ClassifyRowGroups(scan.conjuncts, scan.logical.output, scan.relation.partitionSchema, settings)
    val storage = Storage(SparkSessions.hadoopConf(session, scan.relation.options), cache)
    val footers = footersOf(scan, columns(scan, settings), session, storage, conf)
    val maxBytes = conf.getConf(LimitPruningConf.MaxBytes)
    val narrow = new NarrowRowGroups(
      isNeeded(scan, settings),
      isSupported = maxBytes > 0 && ReadRowRanges.isSupported,
      conf.getConf(LimitPruningConf.MinPageBytes)
    )
    val refine = new RefineRowGroups(classify, storage, narrow, maxBytes)
    val select = new SelectRows(narrow, storage, maxBytes)
    val search =
      new RowGroupSearch(scan.limit, budget(scan, conf), footers(_), classify(_, _), refine(_, _), select(_))
    try {
      val (outcome, seen) = search.run(list(scan, conf))
      val counts = seen.copy(footersKept = footers.hits)
      val nanos = System.nanoTime() - started
      outcome.fold(
        reason => Left(Refusal(reason, Some(scan), Some(counts), nanos)),
        selection => {
          val cover = ProvedCover(scan.limit, scan.conjuncts, selection, counts, nanos)
          Right((scan, new SelectedFileIndex(scan.relation.location, cover)))
        }
      )
    } catch {
      case e: UnreadableFooterException =>
        Left(Refusal(Declined.UnreadableFooter(e.getMessage), Some(scan), None, System.nanoTime() - started))
    }
  }

  /** The files that partition pruning leaves, in an order that depends on their paths alone. */
  private[plan] def list(scan: LimitedScan, conf: SQLConf): IndexedSeq[ListedFile] = {
    val listing = scan.relation.location.listFiles(scan.conjuncts.filter(isPartitionFilter(scan, conf)), Nil)
    val files =
      listing.flatMap(directory => directory.files.map(f => ListedFile(directory.values, f.fileStatus)))
    files.map(file => file.status.getPath.toString -> file).sortBy(_._1).map(_._2).toIndexedSeq
  }

  private[plan] def footersOf(
      scan: LimitedScan,
      columns: FileColumns,
      session: SparkSession,
      storage: Storage,
      conf: SQLConf
  ): ReadFooters = {
    val threads = conf.getConf(LimitPruningConf.Threads)
    val table = scan.logical.catalogTable.fold(scan.relation.location.rootPaths.mkString(", "))(
      _.identifier.unquotedString
    )
    new ReadFooters(
      columns,
      storage.cache,
      new FootersByThreads(new FooterReader(storage.conf), storage.cache, threads),
      new FootersByJob(
        session.sparkContext,
        new SerializableConfiguration(storage.conf),
        storage.cache,
        table,
        threads
      ),
      conf.getConf(LimitPruningConf.JobFiles)
    )
  }

  /** The columns of files that the predicate or the scan may use. */
  private[plan] def columns(scan: LimitedScan, settings: ReadSettings): FileColumns =
    if (settings.byFieldId) FileColumns.All
    else {
      val used = scan.needed ++ AttributeSet(scan.conjuncts.flatMap(_.references))
      FileColumns.named(scan.logical.output.filter(used.contains).map(_.name))
    }

  /** Whether the scan reads a column of a file. Where columns are not found by their names, it may be any. */
  private[plan] def isNeeded(scan: LimitedScan, settings: ReadSettings): String => Boolean = {
    // The relation's own names: those in the query may be written otherwise.
    val names = scan.logical.output.filter(scan.needed.contains).map(_.name)
    if (settings.byFieldId) _ => true
    else if (settings.caseSensitive) names.toSet
    else {
      val lower = names.map(_.toLowerCase(Locale.ROOT)).toSet; name => lower(name.toLowerCase(Locale.ROOT))
    }
  }

  /** Whether Spark decides a conjunct from the directories' names alone. */
  private def isPartitionFilter(scan: LimitedScan, conf: SQLConf): Expression => Boolean = {
    val partitionColumns = AttributeSet(scan.logical.resolve(scan.relation.partitionSchema, conf.resolver))
    e =>
      e.references.nonEmpty && e.references.subsetOf(partitionColumns) && !SubqueryExpression.hasSubquery(e)
  }

  private[plan] def budget(scan: LimitedScan, conf: SQLConf): SearchBudget = SearchBudget(
    maxFiles = conf.getConf(LimitPruningConf.MaxFiles),
    maxTime = conf.getConf(LimitPruningConf.MaxTime).millis,
    // Where partition pruning has decided already, every row group matches, and the first file is likely to do.
    firstFiles = if (scan.conjuncts.forall(isPartitionFilter(scan, conf))) 1
    else conf.getConf(LimitPruningConf.FirstFiles)
  )

  private[plan] def readSettings(scan: LimitedScan, conf: SQLConf): ReadSettings = ReadSettings(
    caseSensitive = conf.caseSensitiveAnalysis,
    byFieldId = conf.parquetFieldIdReadEnabled && ParquetUtils.hasFieldIds(scan.relation.dataSchema),
    rebaseMode = new ParquetOptions(scan.relation.options, conf).datetimeRebaseModeInRead,
    trustedWritersOnly = conf.getConf(LimitPruningConf.TrustedWritersOnly)
  )
}
