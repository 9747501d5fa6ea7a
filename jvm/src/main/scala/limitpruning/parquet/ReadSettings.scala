package limitpruning.parquet

import org.apache.spark.sql.catalyst.analysis.{Resolver, caseInsensitiveResolution, caseSensitiveResolution}
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.execution.datasources.parquet.{ParquetOptions, ParquetUtils}
import org.apache.spark.sql.internal.SQLConf

import limitpruning.conf.SparkSessions

/**
 * How Spark will resolve and read columns of the relation.
 *
 * @param caseSensitive whether `c` and `C` are two columns
 * @param byFieldId columns are found by Parquet field ids instead of names: nothing is known about any
 * @param rebaseMode what the reader does with dates and timestamps of files that do not tell their calendar
 * @param trustedWritersOnly nothing is believed of files by writers that are not among [[TestedWriters]]
 */
final case class ReadSettings(
    caseSensitive: Boolean,
    byFieldId: Boolean,
    rebaseMode: String,
    trustedWritersOnly: Boolean = false
) {

  /** Whether two names are the same column. */
  def resolver: Resolver = if (caseSensitive) caseSensitiveResolution else caseInsensitiveResolution

  /**
   * Proofs are of what Spark reads with the settings of planning, and Spark looks up its settings when a query runs.
   *
   * @param now those of the session when the query runs
   * @return the setting that changed the meaning of columns since, if one did
   */
  def changedSince(now: ReadSettings): Option[String] =
    if (now.caseSensitive != caseSensitive) Some(SQLConf.CASE_SENSITIVE.key)
    else if (now.byFieldId != byFieldId) Some(SQLConf.PARQUET_FIELD_ID_READ_ENABLED.key)
    else if (now.rebaseMode != rebaseMode) Some(SQLConf.PARQUET_REBASE_MODE_IN_READ.key)
    else None
}

object ReadSettings {

  /**
   * As they are now in the session that made the relation. A cloned session has the tables and views of the one before,
   * and Spark reads these with the settings of that.
   */
  def of(relation: HadoopFsRelation): ReadSettings = {
    val conf = SparkSessions.onServer(relation.sparkSession).sessionState.conf
    ReadSettings(
      caseSensitive = conf.caseSensitiveAnalysis,
      byFieldId = conf.parquetFieldIdReadEnabled && ParquetUtils.hasFieldIds(relation.dataSchema),
      rebaseMode = new ParquetOptions(relation.options, conf).datetimeRebaseModeInRead
    )
  }
}
