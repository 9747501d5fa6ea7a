package limitpruning.search

import java.lang.ref.SoftReference

import limitpruning.parquet.{Footer, RowGroupDetails, RowGroupFacts}
import limitpruning.predicate.{ColumnFacts, LeafColumn, MatchState, Obstacle, RowUnit}
import limitpruning.select.{ListedFile, MatchingRows, RowRange}

/**
 * The state of one row group, and what stood in the way where it is partially matching.
 *
 * @param obstacle none where the row group is decided
 * @param matching rows that are proved to match: all where it is fully matching, perhaps some where partially
 * @param isDecided whether all other rows are proved not to match
 * @param by what decided it, as far as it is decided
 */
final case class ClassifiedRowGroup(
    state: MatchState,
    obstacle: Option[Obstacle],
    matching: Seq[RowRange],
    isDecided: Boolean,
    by: Layer = Layer.Statistics
)

object ClassifiedRowGroup {
  val NotMatching: ClassifiedRowGroup =
    ClassifiedRowGroup(MatchState.NotMatching, None, Nil, isDecided = true)

  /** @param rows all that the row group has, at least 1 */
  def fullyMatching(rows: Long): ClassifiedRowGroup =
    ClassifiedRowGroup(MatchState.FullyMatching, None, RowRange.all(rows), isDecided = true)

  /** No row of it is known to match, and none not to. */
  def undecided(obstacle: Option[Obstacle]): ClassifiedRowGroup =
    ClassifiedRowGroup(MatchState.PartiallyMatching, obstacle, Nil, isDecided = false)
}

/**
 * A file whose row groups are classified. Not thread-safe.
 *
 * @param facts what the footer tells about columns of the relation
 * @param sources the facts about each column of the predicate, by the ordinal of the row group
 * @param isBelieved whether anything but its being there counts
 */
final class ClassifiedFile(
    val listed: ListedFile,
    val footer: Footer,
    val facts: RowGroupFacts,
    sources: IndexedSeq[Int => ColumnFacts],
    val isBelieved: Boolean,
    val rowGroups: IndexedSeq[ClassifiedRowGroup]
) {

  /** The facts about one row group that the footer tells. */
  def known(rowGroup: Int): RowUnit = new KnownFacts(sources, rowGroup)

  def withRowGroups(refined: IndexedSeq[ClassifiedRowGroup]): ClassifiedFile =
    new ClassifiedFile(listed, footer, facts, sources, isBelieved, refined)

  /** The rows that are proved to match, in file order. */
  def matching: Seq[MatchingRows] = rowGroups.zipWithIndex.collect {
    case (rowGroup, ordinal) if rowGroup.matching.nonEmpty =>
      MatchingRows(ordinal, rowGroup.matching, rowGroup.state == MatchState.FullyMatching)
  }
}

/** The facts about one row group, each worked out when it is first asked for. */
private[limitpruning] final class KnownFacts(sources: IndexedSeq[Int => ColumnFacts], rowGroup: Int)
    extends RowUnit {
  private val known = new Array[ColumnFacts](sources.size)

  override def facts(ordinal: Int): ColumnFacts = {
    if (known(ordinal) == null) known(ordinal) = sources(ordinal)(rowGroup)
    known(ordinal)
  }
}

/** What of a file's metadata decides about a row group, cheapest first. */
sealed trait Layer

object Layer {

  /** The footer, and the partition values of the directory. */
  case object Statistics extends Layer

  /** Dictionaries and bloom filters. */
  case object Values extends Layer

  /** The column index. */
  case object Pages extends Layer
}

/** The facts about one row group with its dictionaries and bloom filters, for the columns where they may help. */
private[limitpruning] final class DetailedFacts(
    known: RowUnit,
    columns: IndexedSeq[LeafColumn],
    helpful: Set[Int],
    rowGroup: Int,
    details: RowGroupDetails
) extends RowUnit {
  override def facts(ordinal: Int): ColumnFacts =
    if (helpful(ordinal)) details.narrow(columns(ordinal), rowGroup, known.facts(ordinal))
    else known.facts(ordinal)

  override def excludes(ordinal: Int, value: Any): Boolean =
    helpful(ordinal) && details.exclude(columns(ordinal), rowGroup, value)
}

/**
 * The files that a search looked at, so that a report can tell of their row groups. They are let go where memory is short.
 * Thread-safe.
 *
 * @param classify knows the predicate and its columns
 */
final class InspectedRowGroups private (
    files: SoftReference[Seq[ClassifiedFile]],
    classify: ClassifyRowGroups
) {

  /**
   * Lets `use` look at the files, in reading order, and ask the predicate about them: one thread at a time, as neither is
   * thread-safe.
   *
   * @return none where the files were let go
   */
  def map[T](use: (Seq[ClassifiedFile], ClassifyRowGroups) => T): Option[T] =
    Option(files.get).map(kept => classify.synchronized(use(kept, classify)))
}

object InspectedRowGroups {
  def apply(files: Seq[ClassifiedFile], classify: ClassifyRowGroups): InspectedRowGroups =
    new InspectedRowGroups(new SoftReference(files), classify)
}
