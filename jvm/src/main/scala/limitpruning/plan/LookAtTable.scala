package limitpruning.plan

import java.util.Locale

import scala.concurrent.duration.DurationLong

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Expression, SubqueryExpression}
import org.apache.spark.sql.execution.datasources.parquet.{ParquetOptions, ParquetUtils}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.util.SerializableConfiguration

import limitpruning.{LimitPruningConf, SparkSessions}
import limitpruning.parquet._
import limitpruning.scan.{LookWhileReading, ReadRowRanges}

/**
 * All that it takes to look at the files of one LIMIT's table, as the settings and the relation have it. One search, one
 * instance.
 *
 * @param cache what is kept of files for the application
 * @param alsoAsked expressions whose columns' facts are wanted beside the predicate's
 */
private[plan] final class LookAtTable(
    scan: LimitedScan,
    session: SparkSession,
    cache: FactsCache,
    conf: SQLConf,
    alsoAsked: Seq[Expression] = Nil
) {
  private val settings = ReadSettings(
    caseSensitive = conf.caseSensitiveAnalysis,
    byFieldId = conf.parquetFieldIdReadEnabled && ParquetUtils.hasFieldIds(scan.relation.dataSchema),
    rebaseMode = new ParquetOptions(scan.relation.options, conf).datetimeRebaseModeInRead,
    trustedWritersOnly = conf.getConf(LimitPruningConf.TrustedWritersOnly)
  )

  val storage: Storage = Storage(SparkSessions.hadoopConf(session, scan.relation.options), cache)

  /** Bytes of dictionaries, bloom filters and page indexes. */
  val maxBytes: Long = conf.getConf(LimitPruningConf.MaxBytes)

  val classify: ClassifyRowGroups = new ClassifyRowGroups(
    scan.conjuncts,
    scan.logical.output,
    scan.relation.partitionSchema,
    settings,
    alsoAsked
  )

  val narrow: NarrowRowGroups = new NarrowRowGroups(
    isNeeded,
    isSupported = maxBytes > 0 && ReadRowRanges.isSupported,
    conf.getConf(LimitPruningConf.MinPageBytes)
  )

  val footers: ReadFooters = {
    val threads = conf.getConf(LimitPruningConf.Threads)
    val table = scan.logical.catalogTable.map(_.identifier.unquotedString)
      .getOrElse(scan.relation.location.rootPaths.mkString(", "))
    val hadoopConf = new SerializableConfiguration(storage.conf)
    new ReadFooters(
      columns,
      cache,
      new FootersByThreads(new FooterReader(storage.conf), cache, threads),
      new FootersByJob(session.sparkContext, hadoopConf, cache, table, threads),
      conf.getConf(LimitPruningConf.JobFiles)
    )
  }

  /** How a file is looked at while it is read. */
  def whileReading: LookWhileReading = new FindEnoughRows(
    scan.limit,
    scan.conjuncts,
    scan.logical.output,
    scan.relation.partitionSchema,
    settings,
    columns
  )

  def budget: SearchBudget = SearchBudget(
    maxFiles = conf.getConf(LimitPruningConf.MaxFiles),
    maxTime = conf.getConf(LimitPruningConf.MaxTime).millis,
    // Where partition pruning has decided already, every row group matches, and the first file is likely to do.
    firstFiles = if (scan.conjuncts.forall(isPartitionFilter)) 1 else firstFiles
  )

  /** Files of the first wave, where nothing is decided by directories alone. */
  def firstFiles: Int = conf.getConf(LimitPruningConf.FirstFiles)

  /** The files that partition pruning leaves, in an order that depends on their paths alone. */
  def files: IndexedSeq[ListedFile] = {
    val listing = scan.relation.location.listFiles(scan.conjuncts.filter(isPartitionFilter), Nil)
    val files =
      listing.flatMap(directory => directory.files.map(f => ListedFile(directory.values, f.fileStatus)))
    files.map(file => file.status.getPath.toString -> file).sortBy(_._1).map(_._2).toIndexedSeq
  }

  private lazy val partitionColumns =
    AttributeSet(scan.logical.resolve(scan.relation.partitionSchema, conf.resolver))

  /** Whether Spark decides a conjunct from the directories' names alone. */
  private def isPartitionFilter(e: Expression): Boolean =
    e.references.nonEmpty && e.references.subsetOf(partitionColumns) && !SubqueryExpression.hasSubquery(e)

  /** The columns of files that the predicate or the scan may use, by the relation's own names. */
  private def columns: FileColumns =
    if (settings.byFieldId) FileColumns.All
    else {
      val used = scan.needed ++ AttributeSet((scan.conjuncts ++ alsoAsked).flatMap(_.references))
      FileColumns.named(scan.logical.output.filter(used.contains).map(_.name))
    }

  /** Whether the scan reads a column of a file. Where columns are not found by their names, it may be any. */
  private def isNeeded: String => Boolean = {
    // The relation's own names: those in the query may be written otherwise.
    val names = scan.logical.output.filter(scan.needed.contains).map(_.name)
    if (settings.byFieldId) _ => true
    else if (settings.caseSensitive) names.toSet
    else {
      val lower = names.map(_.toLowerCase(Locale.ROOT)).toSet
      name => lower(name.toLowerCase(Locale.ROOT))
    }
  }
}
