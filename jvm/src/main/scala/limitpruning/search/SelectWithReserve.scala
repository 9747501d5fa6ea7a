package limitpruning.search

import limitpruning.select.{ListedFile, Reason, SelectedFile, SelectedRowGroup, Selection}

/**
 * Adds a reserve to the row groups that were chosen for a LIMIT without ORDER BY: everything else of the table in which a
 * row may match. Spark skips missing and corrupt files silently, so no row of a file can be counted on. The task reads the
 * chosen row groups first, and the reserve if rows are still missing.
 *
 * Nothing of what the scan reads is proved. Row groups are excluded by partition values and footers alone: dictionaries,
 * bloom filters and page indexes may be the corrupt part of a file. They only decide which row groups come first.
 *
 * @param limit rows that the LIMIT needs, at least 1
 * @param reason why a reserve is needed
 */
private[limitpruning] final class SelectWithReserve(
    limit: Int,
    table: SearchInputs,
    select: AddressRows,
    reason: Reason.ToleratesBadFiles
) {
  import SelectWithReserve._

  private val possible = new SelectPossible(select)

  /**
   * @param found the rows that are proved to match
   * @param seen the inspected files
   * @param files all files
   * @return the row groups of `found`, each whole, and the reserve; or why the LIMIT is not pruned
   */
  def apply(
      found: Selection,
      seen: Seq[ClassifiedFile],
      files: Seq[ListedFile]
  ): Either[Reason, Selection] = {
    val (byRowGroup, whole) = possible(seen.map(file => table.classify(file.listed, file.footer)))
    val inspected = byRowGroup.map { case (_, file) => file.listed.position -> withoutParts(file) }
    val byPosition = inspected.toMap
    val chosen = found.files.map(file => file.listed.position -> file.rowGroups.map(_.ordinal).toSet).toMap
    def isChosen(position: Int)(rowGroup: SelectedRowGroup): Boolean =
      chosen.get(position).exists(_(rowGroup.ordinal))

    val first = found.files.flatMap { file =>
      byPosition.get(file.listed.position).map(only(_)(isChosen(file.listed.position)))
    }
    val others = inspected.map { case (position, file) => only(file)(!isChosen(position)(_)) }
    val isSeen = seen.map(_.listed.position).toSet
    val reserve = Selection(
      others.filter(_.rowGroups.nonEmpty),
      files.filterNot(file => isSeen(file.position)) ++ whole
    )
    val obstacle =
      // All rows of the files would be read, in one task.
      if (found.rows < limit && !reserve.isEmpty) Some("too few rows are proved to match")
      else if (reserve.rowGroups + reserve.unseen.size > MostParts)
        Some(
          s"the other files and row groups, from which rows could be read instead, are more than $MostParts"
        )
      else if (!fitOneTask(first)) Some("one task cannot read the rows that the LIMIT needs")
      else None
    whole.find(file => chosen.contains(file.position)).map(file => Reason.UnaddressableRowGroups(file.path))
      .orElse(obstacle.map(text => reason.copy(obstacle = text)))
      .toLeft(Selection(first, reserve = Some(reserve)))
  }

  /** Rows are only chosen from the file if it is unchanged. A changed part of it cannot make an answer wrong. */
  private def withoutParts(file: SelectedFile): SelectedFile =
    file.copy(version = file.version.copy(parts = Nil))

  private def only(file: SelectedFile)(isWanted: SelectedRowGroup => Boolean): SelectedFile =
    file.copy(rowGroups = file.rowGroups.filter(isWanted))

  /** A single row group always does: Spark's own scan reads it in one task, too. */
  private def fitOneTask(files: Seq[SelectedFile]): Boolean = {
    val rowGroups = files.flatMap(_.rowGroups)
    def bytes = rowGroups.iterator.flatMap(_.columns.iterator).map { case (_, column) => column.bytes }.sum
    rowGroups.size <= 1 || bytes <= table.maxTaskBytes
  }
}

private object SelectWithReserve {

  /** Maximum number of row groups and files of a reserve. They are sent to the task. */
  private val MostParts = 10000
}
