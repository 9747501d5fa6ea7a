package limitpruning.search

import java.util.Locale

import scala.concurrent.duration.DurationLong

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Expression}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.util.SerializableConfiguration

import limitpruning.conf.LimitPruningConf
import limitpruning.footers.{FactsCache, FootersByJob, FootersByThreads, ReadFooters}
import limitpruning.parquet.{FileColumns, FooterReader, ReadSettings, Storage}
import limitpruning.predicate.FiniteEvaluation
import limitpruning.scan.{InspectWhileReading, ReadRowRanges}
import limitpruning.select.ListedFile

/**
 * What one search works with: the files of the table, the readers of their metadata, the classifier and the budget. One
 * search, one instance; not thread-safe.
 *
 * @param cache footers that are cached for the application
 * @param alsoNeeded expressions whose columns' facts are needed beside the predicate's
 */
private[limitpruning] final class SearchInputs(
    scan: LimitedScan,
    session: SparkSession,
    cache: FactsCache,
    conf: SQLConf,
    alsoNeeded: Seq[Expression] = Nil
) {
  private val table = scan.table

  private val settings: ReadSettings =
    table.settings.copy(trustedWritersOnly = conf.getConf(LimitPruningConf.TrustedWritersOnly))

  /** The table's files, listed once, when they are first needed. */
  lazy val listing: TableListing = table.list(scan.conjuncts)

  def files: IndexedSeq[ListedFile] = listing.files

  val storage: Storage = Storage(table.hadoopConf)

  /** Bytes of dictionaries, bloom filters and page indexes. */
  val maxBytes: Long = conf.getConf(LimitPruningConf.MaxBytes)

  val classify: ClassifyRowGroups = new ClassifyRowGroups(
    scan.conjuncts,
    table.output,
    table.partitionSchema,
    settings,
    alsoNeeded,
    file => listing.facts(file)
  )

  val narrow: NarrowRowGroups = new NarrowRowGroups(
    isNeeded,
    isSupported = maxBytes > 0 && ReadRowRanges.isSupported,
    conf.getConf(LimitPruningConf.MinPageBytes)
  )

  val footers: ReadFooters = {
    val threads = conf.getConf(LimitPruningConf.Threads)
    val hadoopConf = new SerializableConfiguration(storage.conf)
    new ReadFooters(
      columns,
      cache,
      new FootersByThreads(new FooterReader(storage.conf), cache, threads),
      new FootersByJob(session.sparkContext, hadoopConf, cache, table.name, threads),
      conf.getConf(LimitPruningConf.JobFiles)
    )
  }

  /** Finds enough rows of a file while it is read; none where no row group can turn out to match entirely. */
  def whileReading: Option[InspectWhileReading] =
    // Executors do not have the table's facts. What only Spark can evaluate proves nothing, and need not travel.
    if (
      scan.conjuncts.exists(FiniteEvaluation.obstacle(_).nonEmpty) ||
      !files.forall(listing.facts(_).isWithoutDeletes)
    ) None
    else
      Some(new FindEnoughRows(
        scan.limit,
        scan.conjuncts,
        table.output,
        table.partitionSchema,
        settings,
        columns
      ))

  def budget: SearchBudget = SearchBudget(
    maxFiles = conf.getConf(LimitPruningConf.MaxFiles),
    maxTime = conf.getConf(LimitPruningConf.MaxTime).millis,
    // Where the list of files decides the predicate, every row group matches, and the first file is likely to do.
    firstFiles = if (scan.conjuncts.forall(table.decides)) 1 else firstFiles
  )

  /** Files of the first wave, where the list of files does not decide the predicate. */
  def firstFiles: Int = conf.getConf(LimitPruningConf.FirstFiles)

  /** The columns of files that the predicate or the scan may use, by the table's own names. */
  private def columns: FileColumns =
    if (settings.byFieldId) FileColumns.All
    else {
      val used = scan.needed ++ AttributeSet((scan.conjuncts ++ alsoNeeded).flatMap(_.references))
      FileColumns.named(table.output.filter(used.contains).map(_.name))
    }

  /** Whether the scan reads a column of a file. Where columns are not found by their names, it may be any. */
  private def isNeeded: String => Boolean = {
    // The table's own names: a query may write them in another case.
    val names = table.output.filter(scan.needed.contains).map(_.name)
    if (settings.byFieldId) _ => true
    else if (settings.caseSensitive) names.toSet
    else {
      val lower = names.map(_.toLowerCase(Locale.ROOT)).toSet
      name => lower(name.toLowerCase(Locale.ROOT))
    }
  }
}
