package limitpruning.search

import scala.collection.immutable.TreeSet
import scala.collection.mutable.ArrayBuffer
import scala.concurrent.duration.Deadline
import scala.util.Using

import limitpruning.parquet.{PartOfFile, RowGroupDetails}
import limitpruning.predicate.{SupportedTypes, Work}
import limitpruning.select.{MatchingRows, RowRange}

/**
 * Counts the values of keys by dictionaries whose entries occur: rows that differ in one key are in different groups. Reads the
 * dictionaries of whole row groups in which all rows match, one after the other, as long as each has new values. One instance per
 * search; not thread-safe.
 *
 * @param limit keys that the LIMIT needs
 * @param maxBytes maximum bytes of dictionaries to read
 * @param deadline no dictionary is read after it
 * @param prefetch reads parts of files at the same time
 */
private[search] final class OccurringKeys(
    limit: Int,
    keys: GroupKeys,
    classify: ClassifyRowGroups,
    detailsOf: ClassifiedFile => RowGroupDetails,
    maxBytes: Long,
    deadline: Deadline,
    prefetch: Seq[PartOfFile] => Unit = _ => ()
) {
  import OccurringKeys._

  private val counts = keys.plain.map(new Count(_))
  private var bytesLeft = maxBytes
  private var dictionariesLeft = MostDictionaries
  private val ahead = new ReadAhead(parts => prefetch(PartOfFile.within(bytesLeft, parts)), first = 1)

  /** Rows with `limit` groups, and the number of groups that they are certain to have; none if they have not been found. */
  def found: Option[FoundGroups] = counts.find(_.values.size >= limit).map { enough =>
    val byFile = enough.rows.groupBy(_._1).toSeq.sortBy(_._1.listed.position)
    FoundGroups(
      byFile.map { case (file, rows) => file -> rows.map(_._2).toSeq },
      enough.values.size,
      areAll = false
    )
  }

  /** Adds the files of a wave, until enough keys are found, or until the next ones are not expected to have others. */
  def add(wave: Seq[ClassifiedFile]): Unit = {
    val whole = for {
      file <- wave if file.isComplete
      matching <- file.matching if isAll(file, matching)
    } yield (file, matching)
    ahead.expect(() => whole.map { case (file, rows) => (file, rows.ordinal) })
    val next = whole.iterator
    while (next.hasNext && isOpen) {
      Work.checkInterrupted()
      val (file, rows) = next.next()
      Using.resource(detailsOf(file)) { details =>
        ahead.values(file, rows.ordinal)((file, rowGroup) => parts(detailsOf(file), rowGroup))
        counts.foreach(_.add(file, rows, details))
        bytesLeft -= details.bytesRead
        classify.work.addDecoded(details.valuesDecoded)
      }
    }
  }

  private def isOpen: Boolean = counts.exists(_.isOpen) && counts.forall(_.values.size < limit) &&
    bytesLeft > 0 && dictionariesLeft > 0 && deadline.hasTimeLeft()

  private def isAll(file: ClassifiedFile, rows: MatchingRows): Boolean =
    rows.isWhole && RowRange.rowsOf(rows.ranges) == file.footer.rowGroups(rows.ordinal).getRowCount

  private def parts(details: RowGroupDetails, rowGroup: Int): Seq[PartOfFile] =
    try counts.filter(_.isOpen).flatMap(count =>
        details.dictionaryPart(classify.columns(count.column), rowGroup)
      )
    finally details.close()

  /** The values of one key. */
  private final class Count(val column: Int) {
    private val leaf = classify.columns(column)
    var values: Set[Any] = TreeSet.empty[Any](SupportedTypes.ordering(leaf.dataType))
    val rows: ArrayBuffer[(ClassifiedFile, MatchingRows)] = ArrayBuffer.empty
    var isOpen: Boolean = true

    def add(file: ClassifiedFile, rowGroup: MatchingRows, details: RowGroupDetails): Unit = if (isOpen) {
      dictionariesLeft -= 1
      val more = details.occurring(leaf, rowGroup.ordinal).fold(values)(values ++ _)
      isOpen = more.size > values.size
      if (isOpen) rows += ((file, rowGroup))
      values = more
    }
  }
}

private object OccurringKeys {

  /** The maximum number of dictionaries that are read for one LIMIT. */
  private val MostDictionaries = 32
}
