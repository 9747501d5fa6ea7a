package limitpruning.parquet

import org.apache.spark.sql.catalyst.util.RebaseDateTime
import org.apache.spark.sql.execution.datasources.DataSourceUtils

/**
 * The dates and timestamps of a file that the reader does not change. Files in the old hybrid calendar are
 * rebased when they are read. Their ancient values are then other days than min and max.
 *
 * @param isProleptic whether no value of the file is rebased
 * @param readsInt96AsStored whether the reader does not shift INT96 timestamps by a time zone
 */
private[parquet] final case class Calendar(isProleptic: Boolean, readsInt96AsStored: Boolean = true) {

  /** @param days since 1970-01-01, as stored */
  def trustsDays(days: Int): Boolean = isProleptic || days >= RebaseDateTime.lastSwitchJulianDay

  /** @param micros microseconds since 1970-01-01T00:00:00Z, as stored */
  def trustsMicros(micros: Long): Boolean = isProleptic || micros >= RebaseDateTime.lastSwitchJulianTs
}

private[parquet] object Calendar {

  /**
   * @param keyValues the key-value metadata of the file's footer
   * @param rebaseMode the session's or the relation's `datetimeRebaseModeInRead`
   */
  def of(keyValues: Map[String, String], rebaseMode: String): Calendar = {
    val spec = DataSourceUtils.datetimeRebaseSpec(keyValues.getOrElse(_, null), rebaseMode)
    Calendar(isProleptic = spec.mode.toString == "CORRECTED")
  }
}
