package limitpruning.conf

import java.util.concurrent.TimeUnit

import org.apache.spark.network.util.ByteUnit
import org.apache.spark.sql.internal.SQLConf

/**
 * The settings. They are registered with Spark, so `SET -v` lists them. Settings that are not static can
 * change between queries.
 */
object LimitPruningConf {

  /** Ensures that the settings below are registered. */
  def register(): Unit = ()

  val Enabled = SQLConf
    .buildConf("spark.limitPruning.enabled")
    .doc(
      "When true, a LIMIT over Parquet reads only row groups in which all rows are proved to match the predicate, " +
        "if these row groups contain enough rows. When false, queries are planned as without the extension."
    )
    .version("0.1.0")
    .booleanConf
    .createWithDefault(true)

  val MaxFiles = SQLConf
    .buildConf("spark.limitPruning.planning.maxFiles")
    .doc(
      "The maximum number of files that are inspected while planning one LIMIT. If these files do not " +
        "cover the LIMIT, the other files are not pruned."
    )
    .version("0.1.0")
    .intConf
    .checkValue(_ >= 0, "must not be negative")
    .createWithDefault(1000)

  val MaxTime = SQLConf
    .buildConf("spark.limitPruning.planning.maxTime")
    .doc(
      "The maximum time for reading footers while planning one LIMIT, and for reading the statistics of a Delta log. The " +
        "default unit is milliseconds. After this time, no other file is inspected. If the inspected files do not cover " +
        "the LIMIT, the other files are not pruned."
    )
    .version("0.1.0")
    .timeConf(TimeUnit.MILLISECONDS)
    .checkValue(_ >= 0, "must not be negative")
    .createWithDefault(2000)

  val MaxMemory = SQLConf
    .buildConf("spark.limitPruning.planning.maxMemory")
    .doc(
      "The approximate maximum memory of the driver for the footers that planning inspects, for all LIMITs that are planned " +
        "at the same time. If it is used up, no other file is inspected. If the inspected files do not cover the LIMIT, the " +
        "other files are not pruned. Files with many columns and row groups need more memory."
    )
    .version("0.1.0")
    .bytesConf(ByteUnit.BYTE)
    .checkValue(_ >= 0, "must not be negative")
    .createWithDefault(64L * 1024 * 1024)

  val FirstFiles = SQLConf
    .buildConf("spark.limitPruning.planning.firstFiles")
    .doc(
      "The number of footers that are read before planning decides whether to read more. If most of their row groups " +
        "match only partially, and no row is proved to match, the data is not clustered by the predicate, and the " +
        "LIMIT is not pruned."
    )
    .version("0.1.0")
    .intConf
    .checkValue(_ >= 1, "must be at least 1")
    .createWithDefault(4)

  val MaxBytes = SQLConf
    .buildConf("spark.limitPruning.planning.maxBytes")
    .doc(
      "The maximum number of bytes of dictionaries, bloom filters and page indexes that are read while planning one " +
        "LIMIT. If 0, none are read: planning uses only the statistics in footers, and the scan reads whole row groups."
    )
    .version("0.1.0")
    .bytesConf(ByteUnit.BYTE)
    .checkValue(_ >= 0, "must not be negative")
    .createWithDefault(16L * 1024 * 1024)

  val AtRoot = SQLConf
    .buildConf("spark.limitPruning.planning.atRoot")
    .doc(
      "When false, a LIMIT of at most 10,000 rows without WHERE and ORDER BY, at the root of a query, is not planned before " +
        "the query runs. collect, show and take then start one task, which reads the first rows of a file. Other actions, " +
        "such as toPandas with Arrow, plan the LIMIT when they start. When true, it is planned with the query, so EXPLAIN " +
        "shows before the query runs what will be read."
    )
    .version("0.1.0")
    .booleanConf
    .createWithDefault(false)

  val MinPageBytes = SQLConf
    .buildConf("spark.limitPruning.pages.minBytes")
    .doc(
      "If a LIMIT needs only some rows of a row group, and reading the whole row group needs at least this number of " +
        "bytes, the scan reads only the pages that contain these rows. Smaller row groups are read whole, and planning " +
        "does not read their page index. Raise this value on storage with slow requests. If 0, planning does not compare what it " +
        "reads with a single task, or with requests."
    )
    .version("0.1.0")
    .bytesConf(ByteUnit.BYTE)
    .checkValue(_ >= 0, "must not be negative")
    .createWithDefault(1024L * 1024)

  val RowsMinBytes = SQLConf
    .buildConf("spark.limitPruning.rows.minBytes")
    .doc(
      "If metadata do not find the rows for a LIMIT, and reading the columns of the predicate and of the keys first can " +
        "save at least twice this number of compressed bytes, the rows are searched for when the query runs: jobs " +
        "read these columns, and then the query reads only the rows that it needs. On storage that is not local, the requests " +
        "that this takes are counted, too. A very large value switches this off; with 0, it is done wherever it is possible, " +
        "even if it saves nothing."
    )
    .version("0.1.0")
    .bytesConf(ByteUnit.BYTE)
    .checkValue(_ >= 0, "must not be negative")
    .createWithDefault(8L * 1024 * 1024)

  val RowsInFirstTask = SQLConf
    .buildConf("spark.limitPruning.rows.inFirstTask")
    .doc(
      "At the root of a query, collect, show and take start with one task, which reads all columns of a row group, as without " +
        "the extension. When true, a task reads the columns of the predicate first, and then only the pages with rows that " +
        "match. It does so only if row groups are large: on average, the other columns need at least four times rows.minBytes, " +
        "rows.minBytes / 64 more for each of these columns, and rows.minBytes / 256 more for each row of the LIMIT, because the task " +
        "opens each file twice, and reads page indexes, single pages and single rows. If storage is not local, the time of these requests is added. With rows.minBytes 0, this setting does nothing."
    )
    .version("0.1.0")
    .booleanConf
    .createWithDefault(true)

  val MinMax = SQLConf
    .buildConf("spark.limitPruning.minMax")
    .doc(
      "When true, MIN, MAX, MIN_BY and MAX_BY without GROUP BY read only the files and row groups that may have the first row by " +
        "the order of the function, as ORDER BY with LIMIT 1, and ANY_VALUE reads them as LIMIT 1. The functions of one SELECT may " +
        "have up to four orders. When false, they are planned as without the extension, unless the predicate of a LIMIT waits for them."
    )
    .version("0.1.0")
    .booleanConf
    .createWithDefault(true)

  val Threads = SQLConf
    .buildConf("spark.limitPruning.planning.threads")
    .doc(
      "The maximum number of threads that read footers while planning one LIMIT, on the driver or in one task."
    )
    .version("0.1.0")
    .intConf
    .checkValue(n => n >= 1 && n <= 128, "must be between 1 and 128")
    .createWithDefault(8)

  val JobFiles = SQLConf
    .buildConf("spark.limitPruning.planning.jobFiles")
    .doc(
      "While planning one LIMIT, executors read the footers, in a Spark job, if at least this number of footers is needed " +
        "at the same time. Otherwise, the driver reads them."
    )
    .version("0.1.0")
    .intConf
    .checkValue(_ >= 1, "must be at least 1")
    .createWithDefault(128)

  val FileScan = SQLConf
    .buildConf("spark.limitPruning.fileScan")
    .doc(
      "Whether Spark's own scan node reads the files that a LIMIT needs. Spark's node reads whole files, with all filters; " +
        "LimitPrunedScan reads single row groups and pages. auto: Spark's node is used if a native engine (Comet, Gluten, " +
        "RAPIDS) is active, which replaces only Spark's node, or if another extension replaces operators and whole files are " +
        "selected. always, never: other extensions do not matter, but if a native engine is active, no LIMIT is decided when the " +
        "query runs."
    )
    .version("0.1.0")
    .stringConf
    .checkValues(Set("auto", "always", "never"))
    .createWithDefault("auto")

  val CacheMaxBytes = SQLConf
    .buildStaticConf("spark.limitPruning.cache.maxBytes")
    .doc(
      "The approximate maximum memory in which the driver caches footers of files, manifests of Apache Iceberg, and statistics and files " +
        "of Delta logs for later queries of all sessions. If 0, nothing is cached, and nothing else of earlier queries is remembered, " +
        "such as the order of the files of a table. This value is fixed when Spark starts."
    )
    .version("0.1.0")
    .bytesConf(ByteUnit.BYTE)
    .checkValue(_ >= 0, "must not be negative")
    .createWithDefault(64L * 1024 * 1024)

  val ExplainReasons = SQLConf
    .buildConf("spark.limitPruning.explainReasons")
    .doc(
      "When true, EXPLAIN has a section Limit Pruning. It shows the reason for each LIMIT over Parquet that is not covered. " +
        "The extension adds limitpruning.report.ExplainReasons to spark.sql.extendedExplainProviders, and does not change " +
        "other providers."
    )
    .version("0.1.0")
    .booleanConf
    .createWithDefault(true)

  val HistoryMaxQueries = SQLConf
    .buildStaticConf("spark.limitPruning.history.maxQueries")
    .doc(
      "The number of recent queries with a LIMIT over Parquet whose reports the driver stores. This value is fixed when " +
        "Spark starts."
    )
    .version("0.1.0")
    .intConf
    .checkValue(_ >= 0, "must not be negative")
    .createWithDefault(100)

  val TrustedWritersOnly = SQLConf
    .buildConf("spark.limitPruning.trustedWritersOnly")
    .doc(
      "When true, only files of tested writers, in tested versions, are trusted. Row groups of all other files count as " +
        "partially matching. When false, files of listed writers prove what the writer is listed for, and row counts of all files " +
        "are trusted."
    )
    .version("0.1.0")
    .booleanConf
    .createWithDefault(false)

  val FailOnError = SQLConf
    .buildConf("spark.limitPruning.failOnError")
    .internal()
    .doc(
      "When true, an unexpected error while planning fails the query. When false, the LIMIT is not pruned. For tests."
    )
    .version("0.1.0")
    .booleanConf
    .createWithDefault(false)
}
