package limitpruning.report

import limitpruning.predicate.{BriefSql, LeafColumn, MatchState}
import limitpruning.search.{
  ChosenFiles, InspectFiles, InspectTable, InspectedChunk, InspectedPart, ManifestFile
}
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
  private val read = chosen.toSeq.flatMap(_.files).map(file => file.file.position -> file.rowGroups).toMap

  override def files: Int = inspect.table.files.size
  override def columns: IndexedSeq[LeafColumn] = inspect.columns
  override def isPartition(column: LeafColumn): Boolean = inspect.table.isPartition(column)

  override def inspect(from: Int, until: Int): Seq[InspectedRowGroup] =
    inspect.inspect(inspect.table.files.slice(from, until)).map { part =>
      val chunks = part.facts.map(facts =>
        InspectedChunk(facts.known, hasPageIndex = false, hasDictionary = false, hasBloomFilter = false)
      )
      InspectedRowGroup(part.state, part.rows, part.rowsMatching, part.bytes, chunks, () => describe(part))
    }

  private def describe(part: InspectedPart): RowGroupReport = RowGroupReport(
    part.file.path,
    part.rowGroup.getOrElse(0),
    part.rows,
    part.bytes,
    DescribeRowGroups.nameOf(part.state),
    if (part.state == MatchState.PartiallyMatching) None else Some("statistics"),
    why(part),
    columns.indices.take(inspect.predicateColumns.min(DescribeRowGroups.MostColumns))
      .map(i => DescribeFacts(columns(i), part.facts(i).known)),
    if (isRead(part.file, part.rowGroup)) Some(part.rows) else None
  )

  /** Whether the scan reads a row group, or a whole file. */
  private def isRead(file: ManifestFile, rowGroup: Option[Int]): Boolean =
    read.get(file.position).exists(_.forall(some => rowGroup.forall(some.map(_.ordinal).contains)))

  private def why(part: InspectedPart): String = part.state match {
    case MatchState.FullyMatching if inspect.predicateColumns == 0 => "there is no predicate"
    case MatchState.FullyMatching => "every row matches"
    case MatchState.NotMatching =>
      part.neverTrue.fold("no row matches")(conjunct => s"${BriefSql(conjunct)} holds for no row")
    case MatchState.PartiallyMatching => part.obstacle.fold("some rows may match")(_.sentence)
  }
}
