package limitpruning.search

import scala.concurrent.duration.Deadline

import org.apache.spark.sql.catalyst.expressions.Expression

import limitpruning.predicate.{MatchState, Unprovable}

/**
 * Some row groups of a [[ManifestTable]] that are searched for rows of enough groups. If they have too few, the format's own scan
 * reads the table.
 *
 * @param rowGroups files, each with the ordinals of row groups, in file order; of a file that is read as a whole, only 0
 * @param form remembers whether samples for such queries had enough groups
 */
final case class SampleOfFiles(rowGroups: IndexedSeq[(ManifestFile, Seq[Int])], form: UnprovedForm) {

  /** What is read. Reads footers. A file is left out if its row groups cannot be read on their own, although it has several. */
  def chosen(table: ManifestTable, deadline: Deadline): IndexedSeq[ChosenFile] = {
    val (divided, whole) = rowGroups.partition(_._1.parts > 1)
    val known = table.rowGroups(divided.map(_._1), IndexedSeq.empty, deadline)
    val parts = divided.zip(known).collect {
      case ((file, ordinals), Some(all)) if all.size == file.parts =>
        ChosenFile(file, Some(ordinals.map(all)))
    }
    whole.map { case (file, _) => ChosenFile(file) } ++ parts
  }
}

private[limitpruning] object SampleOfFiles {

  /**
   * One of the first files without deleted rows, if all its rows match.
   *
   * @param deadline after it, no further manifest is read
   */
  def matching(table: ManifestTable, conjuncts: Seq[Expression], deadline: Deadline): Option[ManifestFile] =
    if (Unprovable.obstacle(conjuncts, table.mayHaveFacts).nonEmpty) None
    else {
      val classify = new ClassifyFiles(conjuncts, Nil, table, deadline)
      table.files.take(MostClassified).filter(_.deletedRows.contains(0L))
        .find(classify(_).state == MatchState.FullyMatching)
    }

  /**
   * Row groups from all parts of the table, without files of which it is not known how many rows are deleted: their deletes would be
   * read, too.
   *
   * @param most the maximum number of row groups
   * @param leastRows the minimum number of rows of a row group
   * @param mostRows the maximum number of rows of a row group
   */
  def spread(
      files: IndexedSeq[ManifestFile],
      most: Int,
      leastRows: Long,
      mostRows: Long
  ): IndexedSeq[(ManifestFile, Seq[Int])] = {
    def rows(file: ManifestFile) = file.rows / file.parts
    val suitable = files.filter(file =>
      file.deletedRows.nonEmpty && leastRows <= rows(file) && rows(file) <= mostRows
    )
    val before = suitable.scanLeft(0L)(_ + _.parts)
    val count = most.toLong.min(before.last).toInt
    // Files are alike: with equal distances, all might be the first row groups of their files.
    val chosen = (0 until count).map(i => ((i + i * GoldenRatio % 1) * before.last / count).toLong).distinct
    chosen.groupBy(row => before.lastIndexWhere(_ <= row)).toIndexedSeq.sortBy(_._1).map { case (file, of) =>
      suitable(file) -> of.map(row => (row - before(file)).toInt).sorted
    }
  }

  private val MostClassified = 64
  private val GoldenRatio = 0.6180339887
}
