package limitpruning.report

import java.lang.ref.WeakReference

import org.apache.spark.sql.SparkSession

/**
 * A query that has run.
 *
 * @param executionId Spark's number of the execution, as its UI shows it
 * @param description the description in the UI, empty if it is not known
 * @param started milliseconds since the epoch, `None` if it is not known
 * @param ended milliseconds since the epoch
 * @param failed whether it ended with an error
 * @param session the session in which it ran, as long as it exists
 */
final case class QueryReport(
    executionId: Long,
    description: String,
    started: Option[Long],
    ended: Long,
    failed: Boolean,
    report: PruningReport,
    session: WeakReference[SparkSession] = new WeakReference(null)
) {

  /** Whether it ran in a session. */
  def ranIn(other: SparkSession): Boolean = session.get eq other
}

/**
 * The last queries with a LIMIT over Parquet that ran in any session of an application. Thread-safe.
 *
 * @param most the maximum number of queries that are stored
 */
final class History(most: Int) {
  private var latest = Vector.empty[QueryReport]

  def add(query: QueryReport): Unit = synchronized { latest = (latest :+ query).takeRight(most) }

  /** The queries, the oldest first. */
  def queries: Seq[QueryReport] = synchronized(latest)
}
