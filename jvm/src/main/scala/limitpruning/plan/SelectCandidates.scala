package limitpruning.plan

import limitpruning.select.{MatchingRows, Place, RowRange, Selection}

/** Turns the row groups that may hold the first rows into what a scan reads, the best first. */
final class SelectCandidates(select: SelectRows) {

  /** @return the selection, or why the row groups cannot be read without others */
  def apply(found: FoundTopRows): Either[Declined, Selection] = {
    val files = found.kept.groupBy(_.file).toSeq.map { case (file, candidates) =>
      file -> candidates.sortBy(_.rowGroup).map { candidate =>
        // Whole as far as reading goes: more rows than the ranges would do no harm.
        MatchingRows(candidate.rowGroup, RowRange.joined(candidate.ranges), isWhole = true)
      }
    }
    val seen = if (files.isEmpty) Right(Selection(Nil)) else select(files)
    seen.map { selection =>
      val byPlace = (for (file <- selection.files; rowGroup <- file.rowGroups)
        yield (file.listed.position, rowGroup.ordinal) -> file.copy(rowGroups = Seq(rowGroup))).toMap
      val ordered = found.kept.map { candidate =>
        val file = byPlace((candidate.file.listed.position, candidate.rowGroup))
        file.copy(rowGroups = file.rowGroups.map(_.copy(best = candidate.best.map(Place(_)))))
      }
      Selection(ordered, found.unseen)
    }
  }
}
