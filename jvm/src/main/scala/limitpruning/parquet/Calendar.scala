package limitpruning.parquet

import org.apache.spark.sql.catalyst.util.RebaseDateTime
import org.apache.spark.sql.execution.datasources.DataSourceUtils

/**
 * Which dates and timestamps of a file mean to the reader what they meant to its statistics. Files in the old
 * hybrid calendar are rebased when they are read, so their ancient values are other days than min and max say.
 *
 * @param isProleptic no value of the file is rebased
 */
private[parquet] final case class Calendar(isProleptic: Boolean) {

  /** @param days since 1970-01-01, as stored */
  def trustsDays(days: Int): Boolean = isProleptic || days >= RebaseDateTime.lastSwitchJulianDay

  /** @param micros microseconds since 1970-01-01T00:00:00Z, as stored */
  def trustsMicros(micros: Long): Boolean = isProleptic || micros >= RebaseDateTime.lastSwitchJulianTs
}

private[parquet] object Calendar {

  /**
   * @param keyValues what the file's writer added to its footer
   * @param rebaseMode the session's or the relation's `datetimeRebaseModeInRead`
   */
  def of(keyValues: Map[String, String], rebaseMode: String): Calendar = {
    val spec = DataSourceUtils.datetimeRebaseSpec(keyValues.getOrElse(_, null), rebaseMode)
    Calendar(isProleptic = spec.mode.toString == "CORRECTED")
  }
}
