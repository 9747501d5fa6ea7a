package limitpruning.search

import java.lang.ref.SoftReference

import scala.collection.mutable

import limitpruning.parquet.{Footer, RowGroupDetails, RowGroupFacts}
import limitpruning.predicate.{ColumnFacts, LeafColumn, MatchState, Obstacle, RowUnit}
import limitpruning.select.{ListedFile, MatchingRows, RowRange}

/**
 * The state of one row group and, if it is partially matching, the obstacle to a decision.
 *
 * @param obstacle none if the row group is decided
 * @param matching rows that are proved to match: all rows of a fully matching row group, none or some of a partially
 *   matching one
 * @param isDecided whether all other rows are proved not to match
 * @param by the metadata that decided the row group, as far as it is decided
 * @param stated the state that would follow from what the writer states, if it is undecided only because the writer is not
 *   listed; it proves nothing, and decides only what is read first
 */
final case class ClassifiedRowGroup(
    state: MatchState,
    obstacle: Option[Obstacle],
    matching: Seq[RowRange],
    isDecided: Boolean,
    by: Layer = Layer.Statistics,
    stated: Option[MatchState] = None
) {

  /** Whether every row matches if the writer is right. Nothing is proved. */
  def isLikely: Boolean = stated.contains(MatchState.FullyMatching)

  /** Whether no row matches if the writer is right. Nothing is proved. */
  def isUnlikely: Boolean = stated.contains(MatchState.NotMatching)
}

object ClassifiedRowGroup {
  val NotMatching: ClassifiedRowGroup =
    ClassifiedRowGroup(MatchState.NotMatching, None, Nil, isDecided = true)

  /** @param rows row count of the row group, at least 1 */
  def fullyMatching(rows: Long): ClassifiedRowGroup =
    ClassifiedRowGroup(MatchState.FullyMatching, None, RowRange.all(rows), isDecided = true)

  /** No row is proved to match, and no row is proved not to match. */
  def undecided(obstacle: Option[Obstacle]): ClassifiedRowGroup =
    ClassifiedRowGroup(MatchState.PartiallyMatching, obstacle, Nil, isDecided = false)
}

/**
 * A file whose row groups are classified. Not thread-safe.
 *
 * @param facts the facts in the footer about columns of the relation
 * @param sources the facts about each column of the predicate
 * @param isBelieved whether the metadata of the file is trusted; if not, it proves nothing about the rows of the file
 * @param rowGroups the state of each row group, for all its rows, whether or not they are in the table
 * @param deletedRows number of rows of the file that are no longer in the table; it is not known of which row groups
 */
final class ClassifiedFile(
    val listed: ListedFile,
    val footer: Footer,
    val facts: RowGroupFacts,
    sources: IndexedSeq[ColumnSource],
    val isBelieved: Boolean,
    val rowGroups: IndexedSeq[ClassifiedRowGroup],
    val deletedRows: Long
) {

  /** Whether the metadata of the file is trusted, and all rows of the file are in the table. */
  def isComplete: Boolean = isBelieved && deletedRows == 0

  // A file may have thousands of row groups, and a search asks several times.
  private lazy val counted = {
    var notMatching, fullyMatching, undecided = 0
    rowGroups.foreach { rowGroup =>
      if (rowGroup.state == MatchState.NotMatching) notMatching += 1
      else if (rowGroup.state == MatchState.FullyMatching) fullyMatching += 1
      if (!rowGroup.isDecided) undecided += 1
    }
    (notMatching, fullyMatching, undecided)
  }

  /** Number of row groups in which no row matches. */
  def notMatching: Int = counted._1

  /** Number of row groups in which every row matches. */
  def fullyMatching: Int = counted._2

  /** Number of row groups of which some rows are neither proved to match nor proved not to match. */
  def undecided: Int = counted._3

  /** Whether a row of the row group may match. */
  def mayMatch(rowGroup: Int): Boolean = rowGroups(rowGroup).state != MatchState.NotMatching

  /** The facts in the footer about one row group. */
  def known(rowGroup: Int): RowUnit = {
    if (!lastKnown.exists(_.rowGroup == rowGroup)) lastKnown = Some(new KnownFacts(sources, rowGroup))
    lastKnown.get
  }

  // A search asks for the same row group several times in a row.
  private var lastKnown = Option.empty[KnownFacts]

  def withRowGroups(refined: IndexedSeq[ClassifiedRowGroup]): ClassifiedFile =
    new ClassifiedFile(listed, footer, facts, sources, isBelieved, refined, deletedRows)

  /** @param narrowed narrower facts, by the ordinals of the column and of the row group */
  def withFacts(narrowed: Map[(Int, Int), ColumnFacts]): ClassifiedFile = {
    val narrowedSources = sources.zipWithIndex.map { case (source, column) =>
      source.copy(facts = rowGroup => narrowed.getOrElse((column, rowGroup), source.facts(rowGroup)))
    }
    new ClassifiedFile(listed, footer, facts, narrowedSources, isBelieved, rowGroups, deletedRows)
  }

  /** Number of rows of the table that are proved to match. */
  def matchingRows: Long = math.max(0L, matching.iterator.map(_.rows).sum - deletedRows)

  /** The rows of the file that are proved to match, in file order. Some of them may be deleted. */
  lazy val matching: Seq[MatchingRows] =
    rowGroups.indices.iterator.filter(rowGroups(_).matching.nonEmpty).map { ordinal =>
      val rowGroup = rowGroups(ordinal)
      MatchingRows(
        ordinal,
        rowGroup.matching,
        isWhole = rowGroup.state == MatchState.FullyMatching,
        reliesOnPages = rowGroup.by == Layer.Pages
      )
    }.toVector
}

/**
 * What is known about one column in the row groups of a file.
 *
 * @param facts by the ordinal of the row group
 * @param exceedsDictionary by the ordinal of the row group: whether only some pages use the dictionary
 */
private[limitpruning] final case class ColumnSource(
    facts: Int => ColumnFacts,
    exceedsDictionary: Int => Boolean = _ => false
)

/** The facts about one row group. The facts about a column are computed on first use. */
private[limitpruning] final class KnownFacts(sources: IndexedSeq[ColumnSource], val rowGroup: Int)
    extends RowUnit {
  private val known = new Array[ColumnFacts](sources.size)

  override def facts(ordinal: Int): ColumnFacts = {
    if (known(ordinal) == null) known(ordinal) = sources(ordinal).facts(rowGroup)
    known(ordinal)
  }

  override def exceedsDictionary(ordinal: Int): Boolean = sources(ordinal).exceedsDictionary(rowGroup)
}

/** The kinds of metadata that can decide a row group, cheapest first. */
sealed trait Layer

object Layer {

  /** The footer, and the partition values of the directory. */
  case object Statistics extends Layer

  /** Dictionaries and bloom filters. */
  case object Values extends Layer

  /** The column index. */
  case object Pages extends Layer
}

/** The facts about one row group. For the columns in `helpful`, they include dictionaries and bloom filters. */
private[limitpruning] final class DetailedFacts(
    known: RowUnit,
    columns: IndexedSeq[LeafColumn],
    helpful: Set[Int],
    rowGroup: Int,
    details: RowGroupDetails
) extends RowUnit {
  // Computed once: each range of pages asks again.
  private val narrowed = new Array[ColumnFacts](columns.size)
  private val excluded = mutable.Map.empty[(Int, Any), Boolean]

  override def facts(ordinal: Int): ColumnFacts = {
    if (narrowed(ordinal) == null)
      narrowed(ordinal) =
        if (helpful(ordinal)) details.narrow(columns(ordinal), rowGroup, known.facts(ordinal))
        else known.facts(ordinal)
    narrowed(ordinal)
  }

  override def excludes(ordinal: Int, value: Any): Boolean = helpful(ordinal) &&
    excluded.getOrElseUpdate((ordinal, value), details.exclude(columns(ordinal), rowGroup, value))

  override def exceedsDictionary(ordinal: Int): Boolean = known.exceedsDictionary(ordinal)
}

/**
 * The files that a search inspected, for reports about their row groups. A plan holds them, so they are the first files
 * only, up to about [[InspectedRowGroups.MostBytes]]. If memory is short, the JVM may free them. Thread-safe.
 *
 * @param classify the classifier of the search, with the predicate and its columns
 * @param omitted the number of row groups of the other files
 */
final class InspectedRowGroups private (
    files: SoftReference[Seq[ClassifiedFile]],
    classify: ClassifyRowGroups,
    val omitted: Int
) {

  /**
   * Calls `use` with the files, in reading order, and with the classifier. Only one thread at a time runs `use`,
   * because neither is thread-safe.
   *
   * @return none if the files have been freed
   */
  def map[T](use: (Seq[ClassifiedFile], ClassifyRowGroups) => T): Option[T] =
    Option(files.get).map(kept => classify.synchronized(use(kept, classify)))
}

object InspectedRowGroups {

  /** The maximum size of the footers, in bytes, that a plan holds for reports. */
  private[search] val MostBytes = 16L * 1024 * 1024

  def apply(files: Seq[ClassifiedFile], classify: ClassifyRowGroups): InspectedRowGroups = {
    val bytes = files.iterator.map(_.footer.size.toLong).scanLeft(0L)(_ + _).drop(1)
    // The first file is always held, so that a report shows something.
    val (kept, others) = files.splitAt(bytes.takeWhile(_ <= MostBytes).size.max(1))
    new InspectedRowGroups(
      // A copy, so that the others can be freed.
      new SoftReference(kept.toVector),
      classify,
      others.iterator.map(_.rowGroups.size).sum
    )
  }
}
