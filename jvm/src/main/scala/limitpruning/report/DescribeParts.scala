package limitpruning.report

import limitpruning.predicate.{LeafColumn, MatchState}
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
      DescribeRowGroups.why(
        part.state,
        threshold.filter(_ => !isRead),
        hasPredicate = columns.nonEmpty,
        part.found.neverTrue,
        part.found.obstacle.map(_.sentence)
      ),
      columns.indices.take(DescribeRowGroups.MostColumns)
        .map(i => DescribeFacts(columns(i), part.found.facts(i).known)),
      if (isRead) Some(part.rows) else None
    )
  }

  /** Whether the scan reads a row group, or a whole file. */
  private def isRead(file: ManifestFile, rowGroup: Option[Int]): Boolean =
    read.get(file.position).exists(_.forall(some => rowGroup.forall(some.map(_.ordinal).contains)))
}
