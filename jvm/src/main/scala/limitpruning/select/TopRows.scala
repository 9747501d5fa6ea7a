package limitpruning.select

import limitpruning.predicate.FirstKey

/**
 * Why the first rows in an order are among those selected.
 *
 * @param key the first sort key with its direction, as SQL
 * @param order the order that it makes
 * @param bound the place that `rowsCertain` rows are certain to reach, as SQL, where these are as many as the limit
 * @param rowGroupsDropped row groups all of whose rows are behind the bound, though they may match
 */
final case class TopRows(
    key: String,
    order: FirstKey,
    bound: Option[String],
    rowsCertain: Long,
    rowGroupsDropped: Int
)
