package limitpruning.report

import limitpruning.predicate.{LeafColumn, MatchState}
import limitpruning.search.{ChosenFiles, InspectFiles, InspectTable, InspectedChunk}
import limitpruning.select.Selection

/** A table whose row groups are inspected, one file after the other. */
private[report] sealed trait InspectedTable {

  /** Number of files. */
  def files: Int

  /** The inspected columns: first those of the predicate, then all others. */
  def columns: IndexedSeq[LeafColumn]
  def isPartition(column: LeafColumn): Boolean

  /** Inspects the files at these positions. */
  def inspect(from: Int, until: Int): Seq[InspectedRowGroup]
}

/**
 * @param rowsMatching number of rows that are proved to match
 * @param bytes compressed bytes of all columns
 * @param chunks the metadata of each inspected column
 * @param describe describes it for a report
 */
private[report] final case class InspectedRowGroup(
    state: MatchState,
    rows: Long,
    rowsMatching: Long,
    bytes: Long,
    chunks: IndexedSeq[InspectedChunk],
    describe: () => RowGroupReport
)

/**
 * Parquet files, by their footers.
 *
 * @param selection what the scan of the LIMIT reads; none if the LIMIT is not pruned
 */
private[report] final class InspectedFooters(table: InspectTable, selection: Option[Selection])
    extends InspectedTable {
  private val describe = new DescribeRowGroups(table.classify, selection, columns = table.predicateColumns)

  override def files: Int = table.files.size
  override def columns: IndexedSeq[LeafColumn] = table.columns
  override def isPartition(column: LeafColumn): Boolean = table.isPartition(column)

  override def inspect(from: Int, until: Int): Seq[InspectedRowGroup] = for {
    inspected <- table.inspect(table.files.slice(from, until))
    file = inspected.file
    (rowGroup, ordinal) <- file.rowGroups.zipWithIndex
  } yield InspectedRowGroup(
    rowGroup.state,
    file.footer.rowGroups(ordinal).getRowCount,
    rowGroup.matching.map(_.rows).sum,
    file.footer.offsets.bytes(ordinal),
    inspected.chunks(ordinal),
    () => describe.describe(file, ordinal)
  )
}

/**
 * Files of a table with manifests. A file that is read as a whole counts as one row group.
 *
 * @param chosen what the scan of the LIMIT reads; none if the LIMIT is not pruned
 */
private[report] final class InspectedManifests(inspect: InspectFiles, chosen: Option[ChosenFiles])
    extends InspectedTable {
  private val describe = new DescribeParts(columns.take(inspect.predicateColumns), chosen)

  override def files: Int = inspect.table.files.size
  override def columns: IndexedSeq[LeafColumn] = inspect.columns
  override def isPartition(column: LeafColumn): Boolean = inspect.table.isPartition(column)

  override def inspect(from: Int, until: Int): Seq[InspectedRowGroup] =
    inspect.inspect(inspect.table.files.slice(from, until)).map { part =>
      val chunks = part.found.facts.map(facts =>
        InspectedChunk(facts.known, hasPageIndex = false, hasDictionary = false, hasBloomFilter = false)
      )
      InspectedRowGroup(part.state, part.rows, part.rowsMatching, part.bytes, chunks, () => describe(part))
    }
}
