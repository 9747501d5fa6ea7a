package limitpruning.search

import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/**
 * A relation with the places of its rows.
 *
 * @param path the path of the file of a row
 * @param row the position of the row in the file, counted from 0
 */
private[limitpruning] final case class NumberedRows(
    relation: LogicalPlan,
    path: NamedExpression,
    row: NamedExpression
)

/**
 * What a query reads of some files of a table.
 *
 * @param first compressed bytes of the columns that can be read first, to find rows
 * @param all compressed bytes of all columns that the query reads
 * @param files bytes of the files
 * @param havePages whether single pages can be read of each row group, and most bytes are in chunks of several pages
 * @param areSelective whether the query skips row groups by the values of a column that has to be equal to one
 */
private[limitpruning] final case class ReadSizes(
    first: Long,
    all: Long,
    files: Long,
    rowGroups: Long,
    rows: Long,
    havePages: Boolean,
    areSelective: Boolean
) {

  /** The share of the bytes that is read first. */
  def share: Double = if (all == 0) 1.0 else first.toDouble / all

  /** The bytes that need not be read if no row is found, as a share of the bytes of the files. */
  def savedPerByte: Double = if (files == 0) 0.0 else (all - first).toDouble / files
}
