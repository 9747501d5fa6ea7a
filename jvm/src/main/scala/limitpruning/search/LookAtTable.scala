package limitpruning.search

import java.util.Locale

import scala.concurrent.duration.DurationLong

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{
  Attribute, AttributeReference, AttributeSet, Expression, PlanExpression, Unevaluable
}
import org.apache.spark.sql.execution.datasources.{CatalogFileIndex, FileIndex}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.util.SerializableConfiguration

import limitpruning.conf.{LimitPruningConf, SparkSessions}
import limitpruning.footers.{FactsCache, FootersByJob, FootersByThreads, ReadFooters}
import limitpruning.parquet.{FileColumns, FooterReader, ReadSettings, Storage}
import limitpruning.predicate.FiniteEvaluation
import limitpruning.scan.{LookWhileReading, ReadRowRanges}
import limitpruning.select.ListedFile

/**
 * All that it takes to look at the files of one LIMIT's table, as the settings and the relation have it. One search, one
 * instance.
 *
 * @param cache what is kept of files for the application
 * @param alsoAsked expressions whose columns' facts are wanted beside the predicate's
 */
private[limitpruning] final class LookAtTable(
    scan: LimitedScan,
    session: SparkSession,
    cache: FactsCache,
    conf: SQLConf,
    alsoAsked: Seq[Expression] = Nil
) {
  private val relation = scan.relation

  /** How Spark would read the table now. */
  val settings: ReadSettings = ReadSettings
    .of(relation)
    .copy(trustedWritersOnly = conf.getConf(LimitPruningConf.TrustedWritersOnly))

  val storage: Storage = Storage(SparkSessions.hadoopConf(relation.sparkSession, relation.options))

  /** Bytes of dictionaries, bloom filters and page indexes. */
  val maxBytes: Long = conf.getConf(LimitPruningConf.MaxBytes)

  val classify: ClassifyRowGroups = new ClassifyRowGroups(
    scan.conjuncts,
    scan.logical.output,
    relation.partitionSchema,
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
      .getOrElse(relation.location.rootPaths.mkString(", "))
    val hadoopConf = new SerializableConfiguration(storage.conf)
    new ReadFooters(
      columns,
      cache,
      new FootersByThreads(new FooterReader(storage.conf), cache, threads),
      new FootersByJob(session.sparkContext, hadoopConf, cache, table, threads),
      conf.getConf(LimitPruningConf.JobFiles)
    )
  }

  /** How a file is looked at while it is read; none where no row group can turn out to match entirely. */
  def whileReading: Option[LookWhileReading] =
    // What only Spark can evaluate proves nothing, and need not travel.
    if (scan.conjuncts.exists(FiniteEvaluation.obstacle(_).nonEmpty)) None
    else
      Some(new FindEnoughRows(
        scan.limit,
        scan.conjuncts,
        scan.logical.output,
        relation.partitionSchema,
        settings,
        columns
      ))

  def budget: SearchBudget = SearchBudget(
    maxFiles = conf.getConf(LimitPruningConf.MaxFiles),
    maxTime = conf.getConf(LimitPruningConf.MaxTime).millis,
    // Where partition pruning has decided already, every row group matches, and the first file is likely to do.
    firstFiles = if (scan.conjuncts.forall(isPartitionFilter)) 1 else firstFiles
  )

  /** Files of the first wave, where nothing is decided by directories alone. */
  def firstFiles: Int = conf.getConf(LimitPruningConf.FirstFiles)

  /**
   * The table's own file index, for the partitions that the predicate leaves. Of a catalog table, no other partition is
   * listed, as its place may be out of reach.
   */
  lazy val index: FileIndex = relation.location match {
    case catalog: CatalogFileIndex if relation.partitionSchema.nonEmpty && partitionFilters.nonEmpty =>
      catalog.filterPartitions(partitionFilters)
    case other => other
  }

  /** The files that partition pruning leaves, in an order that depends on their paths alone. Lists the table once. */
  lazy val files: IndexedSeq[ListedFile] = {
    val listed = for {
      directory <- index.listFiles(partitionFilters, Nil)
      file <- directory.files
    } yield (file.getPath.toString, directory.values, file)
    listed.sortBy(_._1).zipWithIndex.map { case ((_, values, file), position) =>
      ListedFile(values, file, position)
    }.toIndexedSeq
  }

  private lazy val partitionColumns =
    AttributeSet(scan.logical.resolve(relation.partitionSchema, conf.resolver))

  /** Spark's indexes find partition columns by their exact names; a query may write them in another case. */
  private lazy val partitionFilters: Seq[Expression] =
    scan.conjuncts.filter(isPartitionFilter).map(_.transform { case column: AttributeReference =>
      relation.partitionSchema.find(field => conf.resolver(field.name, column.name))
        .fold(column)(field => column.withName(field.name))
    })

  /** Whether directories alone decide a conjunct, and the driver can evaluate it. */
  private def isPartitionFilter(e: Expression): Boolean =
    e.references.nonEmpty && e.references.subsetOf(partitionColumns) && e.deterministic && !e.exists {
      case _: Attribute => false
      case part => part.isInstanceOf[Unevaluable] || part.isInstanceOf[PlanExpression[_]]
    }

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
