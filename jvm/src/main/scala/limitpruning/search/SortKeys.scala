package limitpruning.search

import org.apache.spark.sql.catalyst.expressions.SortOrder

/**
 * The sort keys of an ORDER BY … LIMIT.
 *
 * @param all the keys, over the table's columns; at least one
 * @param firstOverOutput the first key, over the output of the child of the Sort, or of the preserved side of joins below it
 */
final case class SortKeys(all: Seq[SortOrder], firstOverOutput: SortOrder) {

  /** The first key, over the table's columns. */
  def first: SortOrder = all.head

  /** Whether there is no other key, so that rows with the same key may be in any order. */
  def isOnlyKey: Boolean = all.size == 1
}
