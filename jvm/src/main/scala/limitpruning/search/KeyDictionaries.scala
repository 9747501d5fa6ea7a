package limitpruning.search

import scala.concurrent.duration.Deadline

import limitpruning.parquet.{PartOfFile, RowGroupDetails, Storage}
import limitpruning.predicate.{ColumnFacts, MatchState, Obstacle, SupportedTypes}

/** The keys whose values a search needs: the first sort key, or the keys of groups. */
private[limitpruning] trait KeysOfSearch {

  /** The columns of the keys, by their ordinals in the classifier. */
  def columns: Seq[Int]

  /** Why the values of a key in a row group are not bounded; none if all are. */
  def obstacle(file: ClassifiedFile, rowGroup: Int): Option[Obstacle]

  /** The obstacle if the writer of the file bounds a column of a key, but is not listed for it. */
  protected final def unlisted(
      file: ClassifiedFile,
      rowGroup: Int,
      classify: ClassifyRowGroups
  ): Option[Obstacle] =
    columns.iterator.flatMap(i => file.facts.doubt(classify.columns(i), rowGroup)).find(_ => true)

  /** The obstacle if a column of a key is not bounded because its dictionary does not contain all of its values. */
  protected final def beyondDictionary(
      file: ClassifiedFile,
      rowGroup: Int,
      classify: ClassifyRowGroups
  ): Option[Obstacle] = {
    val known = file.known(rowGroup)
    columns.find(i => !known.facts(i).values.areBounded && known.exceedsDictionary(i))
      .map(i => Obstacle.BeyondDictionary(classify.columns(i).name))
  }
}

/**
 * Reads the dictionaries of the keys' columns in row groups whose footer does not bound a key: INT96 timestamps
 * have no statistics, and statistics of floats do not contain NaN. A dictionary that all pages of a chunk use contains
 * every value of the chunk. One instance per search; not thread-safe.
 *
 * @param maxBytes maximum bytes of dictionaries to read for one LIMIT
 * @param deadline no row group is inspected after it
 * @param prefetch reads parts of files at the same time
 */
final class KeyDictionaries(
    key: KeysOfSearch,
    classify: ClassifyRowGroups,
    storage: Storage,
    maxBytes: Long,
    deadline: Deadline,
    prefetch: Seq[PartOfFile] => Unit = _ => ()
) extends (Seq[ClassifiedFile] => Seq[ClassifiedFile]) {
  import KeyDictionaries._

  private var requested = 0L
  private val ahead = new ReadAhead(parts => prefetch(PartOfFile.within(bytesLeft, parts)))

  /** The bytes of dictionaries that may still be read. */
  def bytesLeft: Long = maxBytes - requested

  /** @return the files, with narrower facts about the key, and possibly with more row groups decided */
  override def apply(wave: Seq[ClassifiedFile]): Seq[ClassifiedFile] = {
    ahead.expect(() =>
      for {
        file <- wave if file.isBelieved
        rowGroup <- file.rowGroups.indices if needsDictionary(file, rowGroup)
      } yield (file, rowGroup)
    )
    wave.map(file => if (file.isBelieved) narrowed(file) else file)
  }

  private def narrowed(file: ClassifiedFile): ClassifiedFile = {
    val details = detailsOf(file)
    try {
      val found = for {
        rowGroup <- file.rowGroups.indices
        if requested + details.bytesRead < maxBytes && deadline.hasTimeLeft()
        column <- columnsToRead(file, rowGroup, details)
        _ = ahead.values(file, rowGroup)(parts)
        facts =
          bounded(column, details.narrow(classify.columns(column), rowGroup, known(file, rowGroup, column)))
      } yield (column, rowGroup) -> facts
      if (found.isEmpty) file else classified(file.withFacts(found.toMap), found.map(_._1._2).toSet)
    } finally {
      requested += details.bytesRead
      classify.work.addDecoded(details.valuesDecoded)
      details.close()
    }
  }

  /** Decides the row groups whose facts changed. */
  private def classified(file: ClassifiedFile, changed: Set[Int]): ClassifiedFile =
    file.withRowGroups(file.rowGroups.zipWithIndex.map {
      case (before, rowGroup) if changed(rowGroup) && before.state == MatchState.PartiallyMatching =>
        val after = classify.classify(file.footer.rowGroups(rowGroup).getRowCount, file.known(rowGroup))
        if (after.isDecided) after.copy(by = Layer.Values) else before
      case (before, _) => before
    })

  private def needsDictionary(file: ClassifiedFile, rowGroup: Int): Boolean =
    file.mayMatch(rowGroup) && key.obstacle(file, rowGroup).nonEmpty

  /** The columns of the key that the footer does not bound, and that have a dictionary. No I/O. */
  private def columnsToRead(file: ClassifiedFile, rowGroup: Int, details: RowGroupDetails): Seq[Int] =
    if (!needsDictionary(file, rowGroup)) Nil
    else key.columns.filter { column =>
      !known(file, rowGroup, column).values.areBounded &&
      details.hasDictionary(classify.columns(column), rowGroup)
    }

  /** The dictionaries that are read for a row group. No I/O. */
  private def parts(file: ClassifiedFile, rowGroup: Int): Seq[PartOfFile] = {
    val details = detailsOf(file)
    columnsToRead(file, rowGroup, details).flatMap(column =>
      details.dictionaryPart(classify.columns(column), rowGroup)
    )
  }

  private def known(file: ClassifiedFile, rowGroup: Int, column: Int): ColumnFacts =
    file.known(rowGroup).facts(column)

  /** Only the ends of the values: a search keeps them for each row group. */
  private def bounded(column: Int, facts: ColumnFacts): ColumnFacts = {
    val ends = facts.values.hull(SupportedTypes.ordering(classify.columns(column).dataType))
    ends.fold(facts)(range => facts.copy(values = range))
  }

  private def detailsOf(file: ClassifiedFile): RowGroupDetails =
    new RowGroupDetails(
      file.listed.status,
      file.footer,
      file.facts,
      storage,
      bytesLeft.min(LargestDictionary)
    )
}

private object KeyDictionaries {

  /** A larger dictionary is not read: writers limit them to 1 or 2 MB. */
  private val LargestDictionary = 4L * 1024 * 1024
}
