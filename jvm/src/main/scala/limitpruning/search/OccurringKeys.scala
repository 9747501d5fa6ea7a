package limitpruning.search

import scala.collection.immutable.TreeSet
import scala.collection.mutable.ArrayBuffer
import scala.concurrent.duration.Deadline
import scala.util.Using

import limitpruning.parquet.{PartOfFile, RowGroupDetails}
import limitpruning.predicate.{LeafColumn, SupportedTypes, Work}
import limitpruning.select.{MatchingRows, RowRange}

/**
 * Counts the values of keys by dictionaries whose entries occur: rows that differ in one key are in different groups. Reads the
 * dictionaries of whole row groups in which all rows match, as long as they have new values. One instance per search; not
 * thread-safe.
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
  private var bytesLeft = maxBytes.min(MostBytes)
  private var rowGroupsLeft = MostRowGroups
  private var dictionariesLeft = MostDictionaries
  private var valuesLeft = MostValues
  private val ahead = new ReadAhead(parts => prefetch(PartOfFile.within(bytesLeft, parts)), first = 1)

  /** Rows with `limit` groups, and the number of groups that they are certain to have; none if they have not been found. */
  def found: Option[FoundGroups] = counts.find(_.isEnough).map { enough =>
    val byFile = enough.rows.groupBy(_._1).toSeq.sortBy(_._1.listed.position)
    FoundGroups(
      byFile.map { case (file, rows) => file -> rows.map(_._2).toSeq },
      enough.values.size,
      areAll = false
    )
  }

  /** The most groups that were counted. */
  def most: Int = counts.foldLeft(0)((most, count) => most.max(count.values.size))

  /** Adds the files of a wave, until enough keys are found, or until the next ones are not expected to have others. */
  def add(wave: Seq[ClassifiedFile]): Unit = if (isOpen) {
    // Neighbours often have the same values, so the first row group of each file comes first.
    val whole = wave.iterator.filter(file => file.isComplete && file.fullyMatching > 0)
      .take(rowGroupsLeft).toVector
      .flatMap(file => file.matching.filter(isAll(file, _)).zipWithIndex.map(file -> _))
      .sortBy(_._2._2).map { case (file, (rows, _)) => (file, rows) }
    ahead.expect(() => whole.map { case (file, rows) => (file, rows.ordinal) })
    whole.iterator.takeWhile(_ => isOpen).foreach { case (file, rows) =>
      Work.checkInterrupted()
      rowGroupsLeft -= 1
      Using.resource(detailsOf(file)) { details =>
        ahead.values(file, rows.ordinal)((file, rowGroup) =>
          Using.resource(detailsOf(file))(parts(_, rowGroup))
        )
        ofSmallest(details, rows.ordinal).iterator.takeWhile(_ => isOpen).foreach(_.add(file, rows, details))
        classify.work.addDecoded(details.valuesDecoded)
      }
    }
  }

  private def isOpen: Boolean = counts.exists(_.isOpen) && !counts.exists(_.isEnough) &&
    rowGroupsLeft > 0 && bytesLeft > 0 && dictionariesLeft > 0 && valuesLeft >= limit &&
    deadline.hasTimeLeft()

  private def isAll(file: ClassifiedFile, rows: MatchingRows): Boolean =
    rows.isWhole && RowRange.rowsOf(rows.ranges) == file.footer.rowGroups(rows.ordinal).getRowCount

  /** The keys that are still counted, with the smallest dictionaries first: many values take long to decode. */
  private def ofSmallest(details: RowGroupDetails, rowGroup: Int): Seq[Count] =
    counts.filter(_.isOpen).sortBy(count =>
      details.dictionaryPart(count.leaf, rowGroup).fold(Long.MaxValue)(_.length.toLong)
    )

  private def parts(details: RowGroupDetails, rowGroup: Int): Seq[PartOfFile] =
    ofSmallest(details, rowGroup).headOption.flatMap(count =>
      details.dictionaryPart(count.leaf, rowGroup)
    ).toSeq

  /** The values of one key. */
  private final class Count(column: Int) {
    val leaf: LeafColumn = classify.columns(column)
    var values: Set[Any] = TreeSet.empty[Any](SupportedTypes.ordering(leaf.dataType))
    val rows: ArrayBuffer[(ClassifiedFile, MatchingRows)] = ArrayBuffer.empty
    private var inVain = 0

    def isEnough: Boolean = values.size >= limit
    def isOpen: Boolean = inVain < MostInVain

    def add(file: ClassifiedFile, rowGroup: MatchingRows, details: RowGroupDetails): Unit = {
      val (before, decoded) = (details.bytesRead, details.valuesDecoded)
      val occurring = details.occurring(leaf, rowGroup.ordinal)
      if (details.bytesRead > before) dictionariesLeft -= 1
      bytesLeft -= details.bytesRead - before
      valuesLeft -= details.valuesDecoded - decoded
      // Without a dictionary, nothing was read.
      occurring.foreach { entries =>
        val known = values.size
        val more = entries.iterator
        while (more.hasNext && !isEnough) values += more.next()
        if (values.size > known) {
          rows += ((file, rowGroup))
          inVain = 0
        } else inVain += 1
      }
    }
  }
}

private object OccurringKeys {

  /** The maximum number of row groups that are tried for one LIMIT, with a dictionary or without. */
  private val MostRowGroups = 64

  /** The maximum number of dictionaries that are read for one LIMIT. */
  private val MostDictionaries = 32

  /** So many values of these dictionaries take some hundredths of a second. Fewer than the LIMIT needs are not read. */
  private val MostValues = 100000L

  /** The maximum bytes of these dictionaries. Writers limit each one to 1 or 2 MB. */
  private val MostBytes = 4L * 1024 * 1024

  /** After so many dictionaries without a new value, the next ones are not expected to have any. */
  private val MostInVain = 2
}
