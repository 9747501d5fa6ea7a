package limitpruning.plan

import limitpruning.select.{MatchingRows, RowRange, Selection}

/** Turns the row groups that may hold the first rows into what a scan reads, the best first. */
final class SelectCandidates(select: SelectRows) {

  /** @return the selection, or why the row groups cannot be read without others */
  def apply(found: FoundTopRows): Either[Declined, Selection] = {
    val files = found.kept.groupBy(_.file).toSeq.map { case (file, candidates) =>
      file -> candidates.sortBy(_.rowGroup).map { candidate =>
        val rows = file.footer.rowGroups(candidate.rowGroup).getRowCount
        MatchingRows(candidate.rowGroup, RowRange.all(rows), isWhole = true)
      }
    }
    select(files).map { selection =>
      val byPlace = (for (file <- selection.files; rowGroup <- file.rowGroups)
        yield (file.path, rowGroup.ordinal) -> file.copy(rowGroups = Seq(rowGroup))).toMap
      val ordered = found.kept.map(candidate =>
        byPlace((candidate.file.listed.status.getPath.toString, candidate.rowGroup))
      )
      Selection(ordered)
    }
  }
}
