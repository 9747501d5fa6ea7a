package limitpruning.report

import limitpruning.predicate.{BriefSql, LeafColumn, MatchState}
import limitpruning.search.{ChosenFiles, InspectedPart, ManifestFile}

/**
 * Describes row groups, and files that are read as a whole, of a table with manifests.
 *
 * @param columns the first columns of the facts of the parts: those that are described
 * @param chosen what the scan reads; none if the LIMIT is not pruned
 */
private[report] final class DescribeParts(columns: Seq[LeafColumn], chosen: Option[ChosenFiles]) {
  private val read = chosen.toSeq.flatMap(_.files).map(file => file.file.position -> file.rowGroups).toMap
  private val threshold = chosen.flatMap(_.order).map(_.threshold)

  def apply(part: InspectedPart): RowGroupReport = {
    val isRead = this.isRead(part.file, part.rowGroup)
    RowGroupReport(
      part.file.path,
      part.rowGroup.getOrElse(0),
      part.rows,
      part.bytes,
      DescribeRowGroups.nameOf(part.state),
      if (part.state == MatchState.PartiallyMatching) None else Some("statistics"),
      threshold.filter(_ => !isRead && part.state != MatchState.NotMatching)
        .fold(why(part))(place => s"no row reaches the threshold $place"),
      columns.indices.take(DescribeRowGroups.MostColumns)
        .map(i => DescribeFacts(columns(i), part.found.facts(i).known)),
      if (isRead) Some(part.rows) else None
    )
  }

  /** Whether the scan reads a row group, or a whole file. */
  private def isRead(file: ManifestFile, rowGroup: Option[Int]): Boolean =
    read.get(file.position).exists(_.forall(some => rowGroup.forall(some.map(_.ordinal).contains)))

  private def why(part: InspectedPart): String = part.state match {
    case MatchState.FullyMatching => if (columns.isEmpty) "there is no predicate" else "every row matches"
    case MatchState.NotMatching =>
      part.found.neverTrue.fold("no row matches")(conjunct => s"${BriefSql(conjunct)} holds for no row")
    case MatchState.PartiallyMatching => part.found.obstacle.fold("some rows may match")(_.sentence)
  }
}
