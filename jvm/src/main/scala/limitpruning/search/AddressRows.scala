package limitpruning.search

import scala.concurrent.duration.Deadline

import limitpruning.parquet.{Addressing, PageIndexReader, PartOfFile, Storage}
import limitpruning.predicate.Work
import limitpruning.select.{
  FileVersion, MatchingRows, Place, Reason, RowRange, SelectedFile, SelectedRowGroup, Selection
}

/**
 * Converts the chosen rows to what a scan reads of each file.
 *
 * @param maxBytes maximum bytes of page indexes to read
 * @param deadline after it, row groups that match entirely are read as a whole, without locating pages
 * @param prefetch reads parts of files at the same time
 */
final class AddressRows(
    narrow: NarrowRowGroups,
    storage: Storage,
    maxBytes: Long,
    deadline: Deadline,
    prefetch: Seq[PartOfFile] => Unit = _ => ()
) {
  private var bytesLeft = maxBytes

  /** @return the selection, or the reason why the rows cannot be read without others */
  def apply(chosen: Seq[(ClassifiedFile, Seq[MatchingRows])]): Either[Reason, Selection] = {
    val versions = chosen.map { case (file, _) => version(file) }
    prefetch(PartOfFile.within(bytesLeft, chosen.flatMap { case (file, rows) => pageParts(file, rows) }))
    val files = chosen.zip(versions).map { case ((file, rows), version) => select(file, rows, version) }
    files.collectFirst { case Left(reason) => reason }
      .toLeft(Selection(files.collect { case Right(file) => file }))
  }

  /** Includes only the parts that the proof used: the pages of the chosen rows are located later. */
  private def version(file: ClassifiedFile): FileVersion =
    file.footer.seal.version(file.listed.status.getLen, storage.parts.of(file.listed.status))

  /** The parts of the page index that locate the chosen rows, as far as they are needed. No I/O. */
  private def pageParts(file: ClassifiedFile, rows: Seq[MatchingRows]): Seq[PartOfFile] = {
    val indexes = indexesOf(file)
    rows.flatMap(narrow.parts(file.footer, indexes, _))
  }

  private def indexesOf(file: ClassifiedFile): PageIndexReader =
    new PageIndexReader(file.listed.status, file.footer, storage, bytesLeft)

  private def select(
      file: ClassifiedFile,
      rows: Seq[MatchingRows],
      version: FileVersion
  ): Either[Reason, SelectedFile] = {
    Work.checkInterrupted()
    val path = file.listed.path
    for {
      whole <- Addressing.of(file.footer, rows.map(_.ordinal)).toRight(Reason.UnaddressableRowGroups(path))
      rowGroups <- narrowed(file, whole.zip(rows)).toRight(Reason.UnreadablePages(path))
    } yield SelectedFile(
      file.listed,
      version,
      rowGroups,
      isWhole = rows.size == file.footer.rowGroups.size && rows.forall(_.isWhole)
    )
  }

  private def narrowed(
      file: ClassifiedFile,
      rowGroups: Seq[(SelectedRowGroup, MatchingRows)]
  ): Option[Seq[SelectedRowGroup]] = {
    val indexes = indexesOf(file)
    try {
      val selected =
        rowGroups.map { case (whole, rows) =>
          if (rows.isWhole && deadline.isOverdue()) Some(narrow.inWholeChunks(whole, rows))
          else narrow(file.footer, indexes, whole, rows)
        }
      if (selected.forall(_.nonEmpty)) Some(selected.flatten) else None
    } finally {
      bytesLeft -= indexes.bytesRead
      indexes.close()
    }
  }
}

/** Converts the row groups that may contain the first rows to what a scan reads, best first. */
final class AddressBestFirst(select: AddressRows) {

  /** @return the selection, or the reason why the row groups cannot be read without others */
  def apply(found: FoundTopRows): Either[Reason, Selection] = {
    val files = found.candidates.groupBy(_.file).toSeq.map { case (file, candidates) =>
      file -> candidates.sortBy(_.rowGroup).map { candidate =>
        // They may be read as a whole: rows outside of the ranges do no harm. The threshold relies on their pages.
        MatchingRows(
          candidate.rowGroup,
          RowRange.joined(candidate.ranges),
          isWhole = true,
          reliesOnPages = true
        )
      }
    }
    val seen = if (files.isEmpty) Right(Selection(Nil)) else select(files)
    seen.map { selection =>
      val byPlace = (for (file <- selection.files; rowGroup <- file.rowGroups)
        yield (file.listed.position, rowGroup.ordinal) -> file.copy(rowGroups = Seq(rowGroup))).toMap
      val ordered = found.candidates.map { candidate =>
        val file = byPlace((candidate.file.listed.position, candidate.rowGroup))
        file.copy(rowGroups = file.rowGroups.map(_.copy(best = candidate.best.map(Place(_)))))
      }
      Selection(ordered, found.unseen)
    }
  }
}
