package limitpruning.conf

import java.util.concurrent.TimeUnit

import org.apache.spark.network.util.ByteUnit
import org.apache.spark.sql.internal.SQLConf

/** The settings, registered with Spark so that `SET -v` lists them; all can be changed between queries. */
object LimitPruningConf {

  /** Makes sure that the settings below are registered. */
  def register(): Unit = ()

  val Enabled = SQLConf
    .buildConf("spark.limitPruning.enabled")
    .doc(
      "When true, a LIMIT over Parquet reads only row groups that are proved to match the predicate entirely, " +
        "where those hold enough rows. When false, queries are planned as without the extension."
    )
    .version("0.1.0")
    .booleanConf
    .createWithDefault(true)

  val MaxFiles = SQLConf
    .buildConf("spark.limitPruning.planning.maxFiles")
    .doc(
      "The most files whose footers are read while planning one LIMIT. Spark reads whatever was not looked at."
    )
    .version("0.1.0")
    .intConf
    .checkValue(_ >= 0, "must not be negative")
    .createWithDefault(1000)

  val MaxTime = SQLConf
    .buildConf("spark.limitPruning.planning.maxTime")
    .doc(
      "The longest time for which footers are read while planning one LIMIT, in milliseconds unless a unit is " +
        "given. Beyond it, Spark reads whatever was not looked at."
    )
    .version("0.1.0")
    .timeConf(TimeUnit.MILLISECONDS)
    .checkValue(_ >= 0, "must not be negative")
    .createWithDefault(2000)

  val FirstFiles = SQLConf
    .buildConf("spark.limitPruning.planning.firstFiles")
    .doc(
      "How many footers are read before deciding whether looking pays: where they show nothing but partially " +
        "matching row groups, the data is not clustered by the predicate and the LIMIT is left to Spark."
    )
    .version("0.1.0")
    .intConf
    .checkValue(_ >= 1, "must be at least 1")
    .createWithDefault(4)

  val MaxBytes = SQLConf
    .buildConf("spark.limitPruning.planning.maxBytes")
    .doc(
      "The most bytes of dictionaries, bloom filters and page indexes that are read while planning one LIMIT. With 0, " +
        "none are read: only statistics in footers count, and row groups are read whole."
    )
    .version("0.1.0")
    .bytesConf(ByteUnit.BYTE)
    .checkValue(_ >= 0, "must not be negative")
    .createWithDefault(16L * 1024 * 1024)

  val MinPageBytes = SQLConf
    .buildConf("spark.limitPruning.pages.minBytes")
    .doc(
      "Where a LIMIT needs only some rows of a row group, and the whole of it would be at least this many bytes to read, " +
        "only the pages that hold them are read. Smaller ones are read whole, which saves looking their pages up: raise " +
        "this on storage where a request takes long."
    )
    .version("0.1.0")
    .bytesConf(ByteUnit.BYTE)
    .checkValue(_ >= 0, "must not be negative")
    .createWithDefault(1024L * 1024)

  val Threads = SQLConf
    .buildConf("spark.limitPruning.planning.threads")
    .doc(
      "The most threads that read footers at the same time on the driver, or in one task, while planning one LIMIT."
    )
    .version("0.1.0")
    .intConf
    .checkValue(n => n >= 1 && n <= 128, "must be between 1 and 128")
    .createWithDefault(8)

  val JobFiles = SQLConf
    .buildConf("spark.limitPruning.planning.jobFiles")
    .doc(
      "While planning one LIMIT, footers of at least this many files at a time are read by executors, as a Spark job, and " +
        "those of fewer by the driver."
    )
    .version("0.1.0")
    .intConf
    .checkValue(_ >= 1, "must be at least 1")
    .createWithDefault(128)

  val FileScan = SQLConf
    .buildConf("spark.limitPruning.fileScan")
    .doc(
      "When the files that a LIMIT needs are read by Spark's own scan node, whole and with all filters, instead of by " +
        "LimitPrunedScan, which reads single row groups and pages. auto: when a native engine (Comet, Gluten, RAPIDS) is " +
        "active, which looks for Spark's node, or when another extension replaces operators and whole files are selected. " +
        "always, never: whatever else is active."
    )
    .version("0.1.0")
    .stringConf
    .checkValues(Set("auto", "always", "never"))
    .createWithDefault("auto")

  val CacheMaxBytes = SQLConf
    .buildStaticConf("spark.limitPruning.cache.maxBytes")
    .doc(
      "The most memory, about, in which the driver caches footers of files for later queries of all sessions. With 0, nothing " +
        "is cached. It is set when Spark starts."
    )
    .version("0.1.0")
    .bytesConf(ByteUnit.BYTE)
    .checkValue(_ >= 0, "must not be negative")
    .createWithDefault(64L * 1024 * 1024)

  val ExplainReasons = SQLConf
    .buildConf("spark.limitPruning.explainReasons")
    .doc(
      "When true, EXPLAIN has a section Limit Pruning, which shows for every LIMIT over Parquet that is not covered why " +
        "that is so. The extension adds limitpruning.report.ExplainReasons to spark.sql.extendedExplainProviders; other " +
        "providers are kept."
    )
    .version("0.1.0")
    .booleanConf
    .createWithDefault(true)

  val HistoryMaxQueries = SQLConf
    .buildStaticConf("spark.limitPruning.history.maxQueries")
    .doc(
      "Of how many queries with a LIMIT over Parquet, the last that ran, the driver keeps the reports. It is set when " +
        "Spark starts."
    )
    .version("0.1.0")
    .intConf
    .checkValue(_ >= 0, "must not be negative")
    .createWithDefault(100)

  val TrustedWritersOnly = SQLConf
    .buildConf("spark.limitPruning.trustedWritersOnly")
    .doc(
      "When true, only files by writers, and versions of them, that the extension is tested with are believed; " +
        "row groups of all other files count as partially matching. When false, every writer is believed, except " +
        "for what it is known to get wrong."
    )
    .version("0.1.0")
    .booleanConf
    .createWithDefault(false)

  val FailOnError = SQLConf
    .buildConf("spark.limitPruning.failOnError")
    .internal()
    .doc(
      "When true, an unexpected error while planning fails the query instead of leaving it to Spark. For tests."
    )
    .version("0.1.0")
    .booleanConf
    .createWithDefault(false)
}
