package limitpruning.search

import limitpruning.parquet.{ColumnPages, PageIndexReader, PartOfFile, RowGroupDetails, Storage}
import limitpruning.predicate.RowUnit

/** The parts of files, besides footers, that may decide row groups, and what it takes to read them. Reads nothing. */
private[search] final class PartsOfRowGroups(classify: ClassifyRowGroups, storage: Storage) {

  /**
   * The dictionaries and bloom filters that are read first for a row group, as far as their sizes are known.
   *
   * @param known what the footer says
   */
  def values(details: RowGroupDetails, ordinal: Int, known: RowUnit): Seq[PartOfFile] =
    classify.undecidedColumns(known).flatMap { column =>
      details.firstPart(classify.columns(column), ordinal, known.facts(column))
    }

  /**
   * The parts of the page index that the pages of a row group are classified by.
   *
   * @param known what the footer says
   */
  def pages(
      file: ClassifiedFile,
      indexes: PageIndexReader,
      ordinal: Int,
      known: RowUnit
  ): Seq[PartOfFile] = classify.undecidedColumns(known).flatMap { column =>
    ColumnPages.parts(file.facts, indexes, classify.columns(column), ordinal)
  }

  /** The bytes that a task could read during the request for these parts; 0 if they are in memory, or on a local disk. */
  def request(file: ClassifiedFile, parts: Seq[PartOfFile]): Long =
    if (parts.forall(part => storage.parts.contains(part.file, part.offset, part.length))) 0L
    else file.footer.requestBytes
}
