package limitpruning.search

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Expression, SortOrder}
import org.apache.spark.sql.catalyst.trees.TreePattern.PLAN_EXPRESSION

import limitpruning.parquet.ReadSettings
import limitpruning.select.{ChosenRows, WhileReading}

/**
 * A LIMIT over a table, with only deterministic projections and filters between them. Wherever the LIMIT is in a plan,
 * any `limit` rows of its child are a correct result.
 *
 * @param limit rows that the LIMIT needs, at least 1
 * @param conjuncts the predicate over the table's columns; empty if every row matches
 * @param needed the table's columns that are read if the predicate is proved; may contain others
 * @param table a [[Table]] or a [[ManifestTable]], or what a rule has put in place of its scan
 * @param offset how many of these rows an OFFSET skips, if they may be counted instead of read; 0 otherwise
 */
final case class LimitedScan[+T](
    limit: Int,
    conjuncts: Seq[Expression],
    needed: AttributeSet,
    table: T,
    offset: Int = 0
) {

  /** Whether the predicate contains a subquery, whose value is known only when the query runs. */
  def waitsForSubqueries: Boolean = conjuncts.exists(_.containsPattern(PLAN_EXPRESSION))
}

/**
 * The result of a search for a LIMIT, for the scan and the report.
 *
 * @param rows the rows to read
 * @param settings the read settings for which the rows were chosen
 * @param inspected the inspected row groups
 * @param notedSortKey the first sort key, if it pays to note its values while rows are read
 * @param whileReading how much of each file is read, if that is found out task by task while reading
 */
final case class LimitPlan(
    rows: ChosenRows,
    settings: ReadSettings,
    inspected: Option[InspectedRowGroups] = None,
    notedSortKey: Option[SortOrder] = None,
    whileReading: Option[WhileReading] = None
)
