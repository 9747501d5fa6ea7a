package limitpruning.report

import scala.collection.mutable.ArrayBuffer

import limitpruning.predicate.MatchState
import limitpruning.search.InspectTable
import limitpruning.select.Selection

/**
 * Inspects all row groups of a table, in steps, so that the caller can show the progress and stop. Python
 * calls it through py4j. Not thread-safe.
 *
 * @param planned the report on the LIMIT as it is planned
 * @param selection what the scan of the LIMIT reads, `None` if the LIMIT is not pruned
 */
final class Inspection private[report] (
    table: InspectTable,
    planned: LimitReport,
    selection: Option[Selection],
    mostRowGroups: Int
) {
  import Inspection._

  private val layouts = table.columns.map(column => new ColumnLayout(column, table.isPartition(column)))
  private val describe = new DescribeRowGroups(table.classify, selection, columns = table.predicateColumns)
  private val told = ArrayBuffer.empty[RowGroupReport]
  private var next, rowGroups, matched, fullyMatched = 0
  private var rows, rowsMatching, bytes = 0L

  def files: Int = table.files.size

  /**
   * Inspects the next files.
   *
   * @param count the number of files
   * @return the number of files inspected so far
   */
  def inspect(count: Int): Int = {
    val wave = table.files.slice(next, next + count)
    for (inspected <- table.inspect(wave)) {
      val file = inspected.file
      told ++= describe(Seq(file), mostRowGroups - told.size).rowGroups
      for ((rowGroup, ordinal) <- file.rowGroups.zipWithIndex) {
        rowGroups += 1
        rowGroup.state match {
          case MatchState.NotMatching =>
          case MatchState.PartiallyMatching => matched += 1
          case MatchState.FullyMatching =>
            matched += 1
            fullyMatched += 1
        }
        rows += file.footer.rowGroups(ordinal).getRowCount
        rowsMatching += rowGroup.matching.map(_.rows).sum
        bytes += file.footer.offsets.bytes(ordinal)
        for (i <- layouts.indices) layouts(i).add(inspected.chunks(ordinal)(i))
      }
      next += 1
    }
    next
  }

  /** The results so far, as JSON. */
  def result: String = ReportJson.write(
    ReportJson.fields(
      "report" -> ReportJson.fieldsOf(planned.copy(map = RowGroupMap.Empty)),
      "files" -> ReportJson.fields("total" -> files, "inspected" -> next),
      "row_groups" -> ReportJson.fields(
        "total" -> rowGroups,
        "matched" -> matched,
        "fully_matched" -> fullyMatched,
        "bytes" -> bytes,
        "details" -> told.toSeq.map(ReportJson.fieldsOf),
        "omitted" -> (rowGroups - told.size)
      ),
      "rows" -> ReportJson.fields("total" -> rows, "proved" -> rowsMatching),
      "columns" -> layouts.map(fieldsOf)
    )
  )
}

private object Inspection {
  private def fieldsOf(layout: ColumnLayout): ReportJson.Fields = ReportJson.fields(
    "name" -> layout.column.name,
    "type" -> layout.column.dataType.sql,
    "is_partition" -> layout.isPartition,
    "with_min_max" -> layout.minMax,
    "with_null_count" -> layout.nullCounts,
    "with_page_index" -> layout.pageIndexes,
    "with_dictionary" -> layout.dictionaries,
    "with_bloom_filter" -> layout.bloomFilters,
    "overlap" -> layout.overlap
  )
}
