package limitpruning.report

/**
 * A query that has run.
 *
 * @param executionId Spark's number of the execution, as its UI shows it
 * @param description what the UI calls the query, empty where that is not known
 * @param started milliseconds since the epoch, `None` where that is not known
 * @param ended milliseconds since the epoch
 * @param failed whether it ended with an error
 */
final case class QueryReport(
    executionId: Long,
    description: String,
    started: Option[Long],
    ended: Long,
    failed: Boolean,
    report: PruningReport
)

/**
 * The last queries with a LIMIT over Parquet that ran in an application, whoever ran them. Thread-safe.
 *
 * @param most queries that are kept at most
 */
final class History(most: Int) {
  private var kept = Vector.empty[QueryReport]

  def add(query: QueryReport): Unit = synchronized { kept = (kept :+ query).takeRight(most) }

  /** The oldest first. */
  def queries: Seq[QueryReport] = synchronized(kept)
}
