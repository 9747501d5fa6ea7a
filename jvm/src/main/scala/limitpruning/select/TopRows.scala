package limitpruning.select

/**
 * Why the first rows in an order are among those selected.
 *
 * @param key the first sort key with its direction, as SQL
 * @param bound the place that `rowsCertain` rows are certain to reach, as SQL
 * @param rowsCertain at least as many as the limit
 * @param rowGroupsDropped row groups all of whose rows are behind the bound, though they may match
 */
final case class TopRows(key: String, bound: String, rowsCertain: Long, rowGroupsDropped: Int)
