package limitpruning.search

import scala.concurrent.duration.Deadline

import org.apache.spark.sql.catalyst.expressions.Expression

import limitpruning.parquet.FileId
import limitpruning.predicate.{MatchState, Unprovable}

/**
 * Some files of a [[ManifestTable]], of each of which one row group is searched for rows of enough groups. If they have too few, the
 * format's own scan reads the table.
 *
 * @param form remembers whether samples for such queries had enough groups
 */
final case class SampleOfFiles(files: IndexedSeq[ManifestFile], form: UnprovedForm) {

  /** Whether samples for such queries may be read now. */
  def mayRead: Boolean =
    files.headOption.exists(file => form.mayRead(SampleOfFiles.id(file), isOneTask = false))

  /** One row group of each file, the whole file where its row groups cannot be read on their own. Reads footers. */
  def rowGroups(table: ManifestTable, deadline: Deadline): IndexedSeq[ChosenFile] =
    files.zip(table.rowGroups(files, IndexedSeq.empty, deadline)).map { case (file, rowGroups) =>
      // Neighbours often have the same values.
      def one(all: IndexedSeq[ManifestRowGroup]) = all(file.position % all.size)
      ChosenFile(file, rowGroups.filter(_.size > 1).map(all => Seq(one(all))))
    }
}

private[limitpruning] object SampleOfFiles {

  /**
   * The first file in which all rows match, and the first file if that is known of none.
   *
   * @param deadline after it, no further manifest is read
   * @return the file, and whether all its rows match; none if there is no file
   */
  def likely(
      table: ManifestTable,
      conjuncts: Seq[Expression],
      deadline: Deadline
  ): Option[(ManifestFile, Boolean)] = {
    lazy val classify = new ClassifyFiles(conjuncts, Nil, table, deadline)
    def allMatch(file: ManifestFile) = classify(file).state == MatchState.FullyMatching
    val candidates =
      if (Unprovable.obstacle(conjuncts, table.mayHaveFacts).isEmpty) table.files.take(MostClassified)
      else Nil
    candidates.filter(_.deletedRows.contains(0L)).find(allMatch).map(_ -> true)
      .orElse(table.files.headOption.map(_ -> false))
  }

  /**
   * Files from all parts of the table.
   *
   * @param most the maximum number of files
   * @param leastRows the minimum number of rows of a row group
   * @param mostRows the maximum number of rows of a row group
   * @return none if there are no such files
   */
  def spread(
      files: IndexedSeq[ManifestFile],
      most: Int,
      leastRows: Long,
      mostRows: Long,
      form: UnprovedForm
  ): Option[SampleOfFiles] = {
    def rows(file: ManifestFile) = file.rows / file.parts
    val suitable = files.filter(file => leastRows <= rows(file) && rows(file) <= mostRows)
    val count = most.min(suitable.size)
    if (count == 0) None
    else
      Some(SampleOfFiles((0 until count).map(i => suitable((i.toLong * suitable.size / count).toInt)), form))
  }

  // Such a file never changes.
  private def id(file: ManifestFile): FileId = FileId(file.path, file.bytes, modificationTime = 0, tag = "")

  private val MostClassified = 64
}
