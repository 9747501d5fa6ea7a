package limitpruning.search

import java.io.Closeable

import scala.concurrent.duration.{Deadline, DurationLong, FiniteDuration}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Expression}
import org.apache.spark.sql.internal.SQLConf

import limitpruning.conf.LimitPruningConf
import limitpruning.footers.{
  BusyExecutors, FactsCache, FootersByJob, FootersByJobOrThreads, FootersByThreads, PlanningThreads,
  ReadFooters,
  SearchMemory, Selectivity, UnprovedForms
}
import limitpruning.parquet.{
  ColumnNames, FileColumns, FileId, FooterReader, ReadSettings, RowGroupDetails, Storage,
  VectorizedReader
}
import limitpruning.predicate.Work
import limitpruning.search.ClassifyRowGroups.isMetadata
import limitpruning.select.{ListedFile, SplitBytes}

/**
 * The inputs of one search: the files of the table, the readers of their metadata, the classifier and the budget. One
 * instance per search, which must be closed; not thread-safe.
 *
 * @param cache the application's cache of footers
 * @param alsoNeeded expressions whose columns' facts are needed in addition to those of the predicate
 * @param mostTime the maximum time to evaluate expressions; none for that of the settings
 * @param isOneTask whether the first task of plain Spark may find enough rows: for a LIMIT without ORDER BY at the root of a
 *   query
 */
private[limitpruning] final class SearchInputs(
    scan: LimitedScan[Table],
    session: SparkSession,
    cache: FactsCache,
    conf: SQLConf,
    alsoNeeded: Seq[Expression] = Nil,
    mostTime: Option[FiniteDuration] = None,
    isOneTask: Boolean = false
) extends Closeable {
  private val table = scan.table

  private val settings: ReadSettings =
    table.settings.copy(trustedWritersOnly = conf.getConf(LimitPruningConf.TrustedWritersOnly))

  /** The table's files, listed once, on first use. */
  lazy val listing: TableListing = table.list(scan.conjuncts, alsoNeeded, cache)

  def files: IndexedSeq[ListedFile] = listing.files

  /**
   * The files in the order in which they are inspected for a LIMIT without ORDER BY: files without deleted rows first,
   * and of these first the files in which all rows are expected to match.
   */
  def likelyFirst: IndexedSeq[ListedFile] =
    if (listing.hasFacts && files.size > 1) {
      val (cheap, others) = files.splitAt(listing.cheapFacts)
      val expected = cheap.filter(classify.isExpectedToMatch)
      val isEnough = expected.flatMap(rowsWithoutDeletes).sum >= scan.limit
      val first = (if (isEnough) expected else expected ++ others.filter(classify.isExpectedToMatch))
        .map(_.position).toSet
      def rank(file: ListedFile) = (!listing.facts(file).isWithoutDeletes, !first(file.position))
      files.map(file => rank(file) -> file).sortBy(_._1).map(_._2)
    } else files

  private def rowsWithoutDeletes(file: ListedFile): Option[Long] =
    Some(listing.facts(file)).filter(_.isWithoutDeletes).flatMap(_.rows)

  val storage: Storage = Storage(table.hadoopConf)

  /** Bytes that Spark reads in one task at most. */
  val maxTaskBytes: Long = conf.filesMaxPartitionBytes

  /**
   * Number of tasks in which Spark reads the files, estimated. If there are fewer than run at the same time, Spark makes as many
   * as these.
   *
   * @param bytes of the files
   */
  def partitions(bytes: Long): Double =
    (bytes + files.size * conf.filesOpenCostInBytes.toDouble) / maxTaskBytes

  /** Maximum bytes of dictionaries, bloom filters and page indexes to read. */
  val maxBytes: Long = conf.getConf(LimitPruningConf.MaxBytes)

  private def work: Work = {
    // With a setting of 0, what is in memory still counts.
    val most = mostTime.getOrElse(conf.getConf(LimitPruningConf.MaxTime).max(100L).millis)
    if (isOneTask) Work.ofOneTask(most) else new Work(mostTime = most)
  }

  val classify: ClassifyRowGroups = new ClassifyRowGroups(
    scan.conjuncts,
    table.output,
    table.partitionSchema,
    settings,
    alsoNeeded,
    file => listing.facts(file),
    () => listing.isWorthAskingFirst,
    work
  )

  private val minPageBytes: Long = conf.getConf(LimitPruningConf.MinPageBytes)

  /** Whether what is read in vain is compared with one task, and not with a scan of the table. */
  private val isCompared = isOneTask && minPageBytes > 0

  private val canReadRanges = maxBytes > 0 && VectorizedReader.isSupported

  /** The bytes of a row group from which pages are skipped in files that planning did not inspect; none if never. */
  def minPageBytesUnseen: Option[Long] = ChooseFirstRows.minPageBytes(conf)

  /** Whether the scan drops rows that are not chosen, also of row groups that it reads whole. */
  def dropsRows: Boolean = canReadRanges && scan.table.isVectorized(scan.needed)

  /** The first task of plain Spark, if it may find enough rows and skips row groups. */
  lazy val firstTask: Option[FirstTask] =
    if (isOneTask && conf.parquetFilterPushDown && !listing.hasFacts) {
      val bytes = ListedFile.bytes(files)
      Some(new FirstTask(
        SplitBytes(conf, bytes, files.size, tasks),
        isOneRound = partitions(bytes) <= tasks,
        scan.conjuncts,
        table.partitionColumns,
        classify
      ))
    } else None

  private def narrowing(requestBytes: Long): NarrowRowGroups =
    new NarrowRowGroups(
      isNeeded,
      canReadRanges,
      minPageBytes,
      if (minPageBytes == 0) 0 else requestBytes
    )

  val narrow: NarrowRowGroups = narrowing(requestBytes = 0)

  private val mostThreads = conf.getConf(LimitPruningConf.Threads)

  /** Threads that read parts of files while the search runs. */
  val threads: PlanningThreads = new PlanningThreads(mostThreads)

  /** The memory that the search holds. */
  val memory: SearchMemory = newMemory()

  /** The memory of another search, which must be closed. */
  def newMemory(): SearchMemory = cache.planning.search(conf.getConf(LimitPruningConf.MaxMemory))

  /** Ends the threads of the search, and releases its memory. */
  override def close(): Unit = {
    threads.close()
    memory.close()
    storage.parts.clear()
  }

  /** Reads parts of files at the same time, until the deadline. */
  def prefetch(deadline: Deadline): PrefetchParts = new PrefetchParts(storage, threads, deadline)

  /** Decides row groups by metadata besides the footer, until the deadline. */
  def refine(deadline: Deadline): RefineRowGroups =
    new RefineRowGroups(
      classify,
      storage,
      narrow,
      maxBytes,
      deadline,
      prefetch(deadline),
      unproved,
      new ReadInVain(isCompared)
    )

  /** The dictionaries and bloom filters of a file, which must be closed. */
  def detailsOf(file: ClassifiedFile): RowGroupDetails =
    new RowGroupDetails(file.listed.status, file.footer, file.facts, storage, maxBytes)

  /**
   * Addresses chosen rows in files, by their pages if that pays, until the deadline.
   *
   * @param requestBytes the bytes that a task could read during a request to the storage, if requests count
   */
  def address(deadline: Deadline, requestBytes: Long = 0): AddressRows =
    new AddressRows(
      if (requestBytes == 0) narrow else narrowing(requestBytes),
      storage,
      maxBytes,
      deadline,
      prefetch(deadline)
    )

  /** Bounds keys by dictionaries, until the deadline. */
  def keyDictionaries(keys: KeysOfSearch, deadline: Deadline): KeyDictionaries =
    new KeyDictionaries(keys, classify, storage, maxBytes, deadline, prefetch(deadline))

  /** Counts keys by dictionaries, until the deadline. */
  def occurringKeys(keys: GroupKeys, deadline: Deadline): OccurringKeys =
    new OccurringKeys(scan.limit, keys, classify, detailsOf, maxBytes, deadline, prefetch(deadline))

  /** What earlier queries did in vain. */
  def unproved: UnprovedForm = unprovedIn(cache.unproved, scan.conjuncts)

  /** Whether samples of row groups had enough groups for earlier queries. */
  def unprovedSample(keys: Seq[Expression]): UnprovedForm =
    unprovedIn(cache.unprovedSamples, scan.conjuncts ++ keys, scan.limit.toString)

  private def unprovedIn(
      remembered: UnprovedForms,
      expressions: Seq[Expression],
      more: String*
  ): UnprovedForm = {
    def circumstances = more ++ Seq(
      settings.toString,
      conf.sessionLocalTimeZone,
      maxBytes.toString,
      isCompared.toString, // less is read then
      scan.needed.toSeq.map(_.name).sorted.mkString(",")
    )
    UnprovedForm.of(expressions, circumstances, remembered)
  }

  /** How many rows satisfied such predicates. */
  def selectivity: Selectivity = files.headOption.fold(Selectivity.unknown) { file =>
    cache.selectivity.of(scan.conjuncts, FileId.of(file.status))
  }

  val footers: ReadFooters = {
    val byThreads = new FootersByThreads(new FooterReader(storage), cache, threads)
    val byJob = new FootersByJob(session.sparkContext, storage.conf, cache, table.name, mostThreads)
    new ReadFooters(
      columns,
      cache,
      byThreads,
      new FootersByJobOrThreads(byJob, byThreads),
      conf.getConf(LimitPruningConf.JobFiles),
      () => isBusy
    )
  }

  /** Number of tasks that run at the same time. */
  def tasks: Int = session.sparkContext.defaultParallelism

  /** Whether a job would have to wait for other tasks, or for executors. */
  def isBusy: Boolean = BusyExecutors(session.sparkContext)

  def budget: SearchBudget = SearchBudget(
    maxFiles = conf.getConf(LimitPruningConf.MaxFiles),
    maxTime = conf.getConf(LimitPruningConf.MaxTime).millis,
    // If the list of files decides the predicate, every row group matches, and the first file is probably enough.
    firstFiles = if (scan.conjuncts.forall(table.decides)) 1 else firstFiles,
    maxMemory = conf.getConf(LimitPruningConf.MaxMemory)
  )

  /** For a search of the files in waves. */
  def waves(budget: SearchBudget = this.budget, memory: SearchMemory = this.memory): WaveInputs =
    WaveInputs(budget, memory, footers(_), classify(_, _))

  /** Number of files in the first wave, if the list of files does not decide the predicate. */
  def firstFiles: Int = conf.getConf(LimitPruningConf.FirstFiles)

  /** The columns whose facts are needed. */
  private def proved: AttributeSet = AttributeSet((scan.conjuncts ++ alsoNeeded).flatMap(_.references))

  /** What footers must contain: all that they say about these columns, and the places of those that the scan may read. */
  private def columns: FileColumns = {
    val known =
      for (names <- namesOf(proved); read <- namesNeeded) yield FileColumns.named(names, read)
    known.getOrElse(FileColumns.All)
  }

  private lazy val namesNeeded: Option[Seq[String]] = namesOf(scan.needed)

  /** Whether it is known which columns of a file the scan reads. */
  def areNeededKnown: Boolean = namesNeeded.nonEmpty

  /** Whether the scan reads a column of a file. */
  lazy val isNeeded: String => Boolean = isIn(namesNeeded)

  /** Whether expressions use a top-level column of a file, by its name there. */
  def areUsedIn(expressions: Seq[Expression]): String => Boolean =
    isIn(namesOf(AttributeSet(expressions.flatMap(_.references))))

  /** @param names none if columns are not matched by name; any column of a file may be among them then */
  private def isIn(names: Option[Seq[String]]): String => Boolean = names match {
    case None => _ => true
    case Some(names) =>
      def key(name: String) = ColumnNames.key(name, settings.caseSensitive)
      val keys = names.map(key).toSet
      name => keys(key(name))
  }

  /**
   * The names in files of columns of the table; none if they are not known. The table's own names are used, because a
   * query may write them in another case.
   */
  private def namesOf(used: AttributeSet): Option[Seq[String]] =
    if (settings.byFieldId) None
    else settings.names.ofAll(table.output.filter(used.contains).filterNot(isMetadata).map(_.name))
}
