package limitpruning.rows

import scala.concurrent.duration.Deadline

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, SortOrder}

import limitpruning.search.{
  ChosenFile, ChosenFiles, LimitedScan, ManifestFile, ManifestRowGroup, ReadableTable
}
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
   * @param tasks number of tasks that run at the same time
   * @param taskBytes the bytes of files that the format's own scan reads in one task
   * @param deadline until when footers are waited for
   * @return the compressed bytes that the format's own scan reads more, if it reads the whole table; none if it does not pay
   */
  def apply(
      scan: LimitedScan[ReadableTable],
      order: Seq[SortOrder],
      found: Either[Reason, ChosenFiles],
      minBytes: Long,
      tasks: Int,
      taskBytes: Long,
      deadline: Deadline
  ): Option[Long] = {
    import scan.{conjuncts, limit, table}
    val first = conjuncts ++ order.map(_.child)
    // Rows that are proved to be enough need no other search.
    val isUndecided = found.forall(_.order.nonEmpty)
    val most = if (order.isEmpty) RowsPay.MostRows else RowsPay.MostOrdered
    lazy val files = candidates(table, found)
    def sum(whole: ManifestFile => Long)(part: ManifestRowGroup => Long): Long =
      files.iterator.map(file => file.rowGroups.fold(whole(file.file))(_.iterator.map(part).sum)).sum
    if (!isUndecided || first.isEmpty || limit > most || !first.forall(RowsPay.canRunTwice)) None
    else if (minBytes == 0) Some(RowsPay.Always)
    else {
      val all = files.iterator.map(_.bytes).sum
      val rowGroups = sum(_.parts.toLong)(_ => 1L)
      if (rowGroups < 2 || !RowsPay.isWorthIt(all, minBytes)) None
      else {
        val columns = AttributeSet(first.flatMap(_.references))
        // Most files of a table are alike.
        val sample = files.take(1).map(_.file)
        table.sizes(columns, RowsPay.equalToValues(conjuncts), Nil, sample, deadline).flatMap { sizes =>
          val ofAll = sizes.copy(rowGroups = rowGroups, rows = sum(_.rows)(_.rows))
          val sorted = if (order.isEmpty) None else Some(RowsSaved.shareOf(conjuncts))
          RowsSaved(ofAll, all, limit, sorted, tasks, all.toDouble / taskBytes)(minBytes)
        }
      }
    }
  }

  /** The files that may have rows, by what the search of metadata found. */
  private[rows] def candidates(
      table: ReadableTable,
      found: Either[Reason, ChosenFiles]
  ): IndexedSeq[ChosenFile] = found.fold(_ => table.files.map(ChosenFile(_)), _.files)
}
