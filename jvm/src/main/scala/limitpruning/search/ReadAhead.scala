package limitpruning.search

import limitpruning.parquet.PartOfFile

/**
 * Prefetches metadata of the row groups that a search inspects next. It begins with a few row groups, because the first
 * ones show whether inspecting pays, and then doubles their number. One instance per search; not thread-safe.
 *
 * @param prefetch reads parts of files at the same time
 */
private[search] final class ReadAhead(prefetch: Seq[PartOfFile] => Unit) {
  import ReadAhead._

  private var expected = IndexedSeq.empty[RowGroup]
  private val values, pages = new Batches

  /** Announces the row groups that are inspected next, in this order. */
  def expect(rowGroups: Seq[RowGroup]): Unit = {
    expected = rowGroups.toIndexedSeq
    values.restart()
    pages.restart()
  }

  /** Prefetches the dictionaries and bloom filters of a row group and of those that are expected after it. */
  def values(file: ClassifiedFile, ordinal: Int)(parts: (ClassifiedFile, Int) => Seq[PartOfFile]): Unit =
    values.next(file, ordinal)(parts)

  /** Prefetches the pages' statistics of a row group and of those that are expected after it. */
  def pages(file: ClassifiedFile, ordinal: Int)(parts: (ClassifiedFile, Int) => Seq[PartOfFile]): Unit =
    pages.next(file, ordinal)(parts)

  private final class Batches {
    private var current = 0 // the row group that was inspected last
    private var end = 0 // of the row groups whose parts are prefetched
    private var size = First

    def restart(): Unit = {
      current = 0
      end = 0
    }

    def next(file: ClassifiedFile, ordinal: Int)(parts: (ClassifiedFile, Int) => Seq[PartOfFile]): Unit = {
      val position =
        expected.indexWhere(
          rowGroup => (rowGroup._1.listed eq file.listed) && rowGroup._2 == ordinal,
          current
        )
      if (position >= 0) current = position
      if (position >= end) {
        end = (position + size).min(expected.size)
        size = (2 * size).min(Most)
        prefetch(expected.slice(position, end).flatMap { case (file, ordinal) => parts(file, ordinal) })
      }
    }
  }
}

private[search] object ReadAhead {
  private type RowGroup = (ClassifiedFile, Int)

  /** The number of row groups whose parts are prefetched first. */
  val First = 4

  /** The maximum number of row groups whose parts are prefetched at the same time. */
  private val Most = 32
}
