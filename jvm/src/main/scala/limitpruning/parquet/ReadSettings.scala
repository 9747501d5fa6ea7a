package limitpruning.parquet

import org.apache.spark.sql.catalyst.analysis.{Resolver, caseInsensitiveResolution, caseSensitiveResolution}
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.execution.datasources.parquet.{ParquetOptions, ParquetUtils}
import org.apache.spark.sql.internal.SQLConf

import limitpruning.conf.SparkSessions

/**
 * The settings that determine how Spark resolves and reads columns of the relation.
 *
 * @param caseSensitive whether `c` and `C` are two columns
 * @param byFieldId whether columns are found by Parquet field ids instead of names; nothing is then known
 *   about any column
 * @param rebaseMode how the reader rebases dates and timestamps of files that do not contain their calendar
 * @param convertsInt96 whether INT96 timestamps of other writers than parquet-java are shifted by the session's time
 *   zone; nothing is then known about them
 * @param trustedWritersOnly whether only files of [[TestedWriters]] are trusted
 * @param names the names that the table's columns have in files
 */
final case class ReadSettings(
    caseSensitive: Boolean,
    byFieldId: Boolean,
    rebaseMode: String,
    convertsInt96: Boolean = false,
    trustedWritersOnly: Boolean = false,
    names: NamesInFiles = NamesInFiles.Same
) {

  /** With this, Spark finds columns in the output of a plan. It compares names by [[ColumnNames]] before. */
  def resolver: Resolver = if (caseSensitive) caseSensitiveResolution else caseInsensitiveResolution

  /**
   * The setting that has changed the meaning of columns since planning, if any. Proofs are valid for the
   * settings at planning, but Spark uses the settings at run time.
   *
   * @param now the settings of the session when the query runs
   * @return the key of the setting
   */
  def changedSince(now: ReadSettings): Option[String] =
    if (now.caseSensitive != caseSensitive) Some(SQLConf.CASE_SENSITIVE.key)
    else if (now.byFieldId != byFieldId) Some(SQLConf.PARQUET_FIELD_ID_READ_ENABLED.key)
    else if (now.rebaseMode != rebaseMode) Some(SQLConf.PARQUET_REBASE_MODE_IN_READ.key)
    else if (now.convertsInt96 != convertsInt96) Some(SQLConf.PARQUET_INT96_TIMESTAMP_CONVERSION.key)
    else None
}

object ReadSettings {

  /**
   * The current settings of the session that created the relation. A cloned session has the tables and views
   * of the original session, and Spark reads these with the settings of the original session.
   */
  def of(relation: HadoopFsRelation): ReadSettings = {
    val conf = SparkSessions.onServer(relation.sparkSession).sessionState.conf
    ReadSettings(
      caseSensitive = conf.caseSensitiveAnalysis,
      byFieldId = conf.parquetFieldIdReadEnabled && ParquetUtils.hasFieldIds(relation.dataSchema),
      rebaseMode = new ParquetOptions(relation.options, conf).datetimeRebaseModeInRead,
      convertsInt96 = conf.isParquetINT96TimestampConversion
    )
  }
}
