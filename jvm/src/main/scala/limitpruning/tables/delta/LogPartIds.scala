package limitpruning.tables.delta

import org.apache.spark.sql.delta.Snapshot

import limitpruning.footers.LogPartId

private[delta] object LogPartIds {

  /**
   * @param table the path of the table
   * @param what see [[LogPartId]]
   */
  def of(snapshot: Snapshot, table: String, what: Any): LogPartId =
    LogPartId(table, snapshot.metadata.id, snapshot.version, snapshot.timestamp, what)
}
