package limitpruning.search

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Expression, SortOrder}

import limitpruning.scan.InspectWhileReading
import limitpruning.select.ChosenRows

/**
 * A LIMIT over nothing but deterministic projections and filters over a table: wherever the LIMIT is in a plan, any `limit`
 * rows of its child are a right answer.
 *
 * @param limit rows wanted, at least 1
 * @param conjuncts the predicate over the table's columns, empty if every row is wanted
 * @param needed the table's columns that are read if the predicate is proved, and perhaps others
 */
final case class LimitedScan(
    limit: Int,
    conjuncts: Seq[Expression],
    needed: AttributeSet,
    table: Table
)

/**
 * ORDER BY … LIMIT over nothing but deterministic projections and filters over a table: any rows of the table among which the
 * first `limit` are give the same answer, up to ties.
 *
 * @param scan what the Sort stands over; all columns that the query reads are needed, as the filter stays
 * @param key the first sort key, over the table's columns
 * @param sorted the same key, over the output of what is sorted
 */
final case class TopRowsScan(scan: LimitedScan, key: SortOrder, sorted: SortOrder)

/**
 * What a search found for a LIMIT, and what the scan and the report need beside it.
 *
 * @param rows what to read
 * @param seen the row groups that were looked at
 * @param notedSortKey the first sort key, where it is worth noting while rows are read
 * @param look finds out while reading whether less than all of a file will do that planning did not look at
 */
final case class LimitPlan(
    rows: ChosenRows,
    seen: Option[InspectedRowGroups] = None,
    notedSortKey: Option[SortOrder] = None,
    look: Option[InspectWhileReading] = None
)
