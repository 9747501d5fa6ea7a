package limitpruning.search

import limitpruning.predicate.{KeyOrder, MatchState}
import limitpruning.select.Threshold

/**
 * Skips row groups of the files that [[ChooseTopFiles]] has chosen by manifests. Reads footers of a few of them: of those
 * with the best key values first, and of more files as long as enough of the row groups are skipped.
 *
 * @param leastSkipped the share of the row groups that must be skipped
 * @param keyOrdinal the position of the key among the columns of `classify`
 */
private[search] final class RefineTopFiles(
    limit: Int,
    order: KeyOrder,
    table: ManifestTable,
    classify: ClassifyFiles,
    keyOrdinal: Int,
    places: KeyPlaces,
    footers: FooterBudget,
    leastSkipped: Double
) {
  import RefineTopFiles._

  private val open = new OpenFiles(table, classify.columns, footers)

  /**
   * @param inspected files with their key values by manifests
   * @param unseen the other files, which are chosen whole
   * @param byManifests the threshold that the inspected files have
   */
  def apply(
      inspected: IndexedSeq[(ManifestFile, KeyUnit)],
      unseen: Seq[ManifestFile],
      byManifests: Threshold
  ): RefinedFiles = {
    var threshold = byManifests
    var known = Map.empty[Int, IndexedSeq[Part]]
    def candidates = inspected.filterNot(_._2.isSkipped(threshold))
    def next = candidates
      .filter { case (file, _) => !known.contains(file.position) && classify.isWorthOpening(file) }
      .sortBy { case (_, unit) => unit.best }(bestFirst).map(_._1)
    open(() => next) { wave =>
      val parts = wave.map { case (file, rowGroups) => file.position -> partsOf(file, rowGroups) }
      known ++= parts
      threshold = better(threshold, counted(inspected, known))
      val all = parts.flatMap(_._2)
      all.count(_.unit.isSkipped(threshold)) >= leastSkipped * all.size
    }
    val chosen = candidates.map { case (file, _) =>
      file -> known.get(file.position).map(_.filterNot(_.unit.isSkipped(threshold)).map(_.rowGroup))
    }.collect {
      case (file, Some(rowGroups)) if rowGroups.size < known(file.position).size =>
        ChosenFile(file, Some(rowGroups))
      case (file, _) => ChosenFile(file)
    }.filterNot(_.rowGroups.exists(_.isEmpty))
    RefinedFiles(
      chosen ++ unseen.map(ChosenFile(_)),
      threshold,
      known.map { case (position, parts) => position -> parts.map(_.state) }
    )
  }

  private def partsOf(file: ManifestFile, rowGroups: IndexedSeq[ManifestRowGroup]): IndexedSeq[Part] =
    rowGroups.zip(classify(file, rowGroups)).map { case (rowGroup, found) =>
      // All deleted rows of the file may be in this row group.
      val unit = places.unit(found.state, found.facts(keyOrdinal), rowGroup.rows, file.deletedRows)
      Part(rowGroup, found.state, unit)
    }

  /** The threshold of all rows. The rows of a file with known row groups count once, by these. */
  private def counted(
      inspected: Seq[(ManifestFile, KeyUnit)],
      known: Map[Int, Seq[Part]]
  ): Threshold = {
    val threshold = new Threshold(limit.toLong, order)
    for {
      (file, unit) <- inspected
      counted <- known.get(file.position).fold(Seq(unit))(_.map(_.unit))
      (place, rows) <- counted.certain
    } threshold.add(place, rows)
    threshold
  }

  /** Both are right. The one by row groups may be worse, because deleted rows are subtracted from each row group. */
  private def better(one: Threshold, other: Threshold): Threshold = (one.place, other.place) match {
    case (_, None) => one
    case (Some(before), Some(after)) if order.lteq(before, after) => one
    case _ => other
  }

  private def bestFirst: Ordering[Option[Any]] = {
    case (Some(one), Some(other)) => order.compare(one, other)
    case (one, other) => other.size - one.size // files without known values last
  }
}

private object RefineTopFiles {
  private final case class Part(rowGroup: ManifestRowGroup, state: MatchState, unit: KeyUnit)
}

/**
 * @param chosen the files whose rows may be among the first rows
 * @param opened whether the row groups match, of the files whose footers were read, by `ManifestFile.position`
 */
private[search] final case class RefinedFiles(
    chosen: IndexedSeq[ChosenFile],
    threshold: Threshold,
    opened: Map[Int, IndexedSeq[MatchState]]
)
