package limitpruning.select

import org.apache.spark.sql.catalyst.expressions.Expression

/** How much is read of files that planning did not inspect. Nothing is proved about them, so nothing is checked. */
sealed trait WhileReading

/**
 * Only the first rows of each part of a file. All rows must match: these rows are as good as any others of the file.
 *
 * @param limit rows that the LIMIT needs, at least 1
 * @param minPageBytes minimum bytes of a row group from which only pages are read; for less, reading the page index does not
 *   pay. None if pages are never read
 */
final case class FirstRows(limit: Long, minPageBytes: Option[Long]) extends WhileReading

/**
 * Only the rows of each part of a file that match, at most as many as the LIMIT needs. The columns of the predicate are read
 * first, and the plan keeps its filter.
 *
 * @param limit rows that the LIMIT needs, at least 1
 * @param conjuncts the predicate, over the output of the scan
 * @param minPageBytes see [[FirstRows]]
 */
final case class MatchingRowsOnly(limit: Long, conjuncts: Seq[Expression], minPageBytes: Option[Long])
    extends WhileReading
