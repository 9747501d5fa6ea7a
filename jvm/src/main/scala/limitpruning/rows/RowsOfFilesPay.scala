package limitpruning.rows

import scala.concurrent.duration.Deadline

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Expression, SortOrder}

import limitpruning.search.{ChosenFiles, ReadableTable}
import limitpruning.select.Reason

/**
 * Decides whether it pays to find the rows for a LIMIT over a [[ReadableTable]] by reading the columns of its predicate and of
 * its sort keys first; see [[RowsPay]]. The sizes of columns are those of the first file.
 */
private[limitpruning] object RowsOfFilesPay {

  /**
   * @param order the sort keys, over the table's columns; empty if any rows will do
   * @param found the result of the search of metadata
   * @param minBytes the minimum of compressed bytes that must be saved; if 0, it always pays
   * @param deadline until when footers are waited for
   * @return the compressed bytes that the format's own scan reads more, if it reads the whole table; none if it does not pay
   */
  def apply(
      table: ReadableTable,
      limit: Int,
      conjuncts: Seq[Expression],
      order: Seq[SortOrder],
      found: Either[Reason, ChosenFiles],
      minBytes: Long,
      deadline: Deadline
  ): Option[Long] = {
    val first = conjuncts ++ order.map(_.child)
    // Rows that are proved to be enough need no other search.
    val isUndecided = found.forall(_.order.nonEmpty)
    val most = if (order.isEmpty) RowsPay.MostRows else RowsPay.MostOrdered
    def files = found.fold(_ => table.files, _.files.map(_.file))
    if (!isUndecided || first.isEmpty || limit > most || !first.forall(RowsPay.canRunTwice)) None
    else if (minBytes == 0) Some(RowsPay.Always)
    else {
      // If some row groups of a file are read, this is too much, and the other files count for more.
      val all = files.iterator.map(_.bytes).sum
      if (!RowsPay.isWorthIt(all, minBytes)) None
      else {
        val columns = AttributeSet(first.flatMap(_.references))
        table.sizes(columns, RowsPay.equalToValues(conjuncts), files.take(1), deadline).flatMap { sizes =>
          // Most files of a table are alike.
          val ofAll = sizes.copy(
            rowGroups = files.iterator.map(_.parts).sum,
            rows = files.iterator.map(_.rows).sum
          )
          RowsPay.saved(ofAll, all, limit, minBytes)
        }
      }
    }
  }
}
