package limitpruning.search

import org.apache.spark.sql.catalyst.expressions.Expression

/**
 * The first rows of each group in an order: `row_number() OVER (PARTITION BY groups ORDER BY order) <= limit`.
 *
 * @param top the order, and the scan below the window, whose limit is that of each group
 * @param groups the keys of the groups, over the table's columns; at least one
 */
final case class FirstOfGroupsScan(top: TopRowsScan, groups: Seq[Expression])
