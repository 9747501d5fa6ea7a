package limitpruning.rows

import org.apache.spark.sql.catalyst.expressions.{
  Attribute, Expression, FileSourceMetadataAttribute, SortOrder
}
import org.apache.spark.sql.catalyst.trees.TreePattern.{PLAN_EXPRESSION, PYTHON_UDF}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat.{
  ROW_INDEX_TEMPORARY_COLUMN_NAME => RowNumbers
}

import limitpruning.parquet.ColumnNames
import limitpruning.search.{ClassifiedFile, LimitPlan, LimitedScan, NotPruned, SearchInputs}

/**
 * Decides whether it pays to find the rows for a LIMIT by reading the columns of its predicate and of its sort keys first. The
 * sizes of columns are those of the files whose footers have been read.
 */
private[limitpruning] object RowsPay {

  /**
   * @param order the sort keys, over the table's columns; empty if any rows will do
   * @param found the result of the search of metadata
   * @param isRoot whether plain Spark may stop after the first task
   * @param minBytes the minimum of compressed bytes that must be saved; if 0, it always pays
   */
  def apply(
      scan: LimitedScan,
      order: Seq[SortOrder],
      inputs: SearchInputs,
      found: Either[NotPruned, LimitPlan],
      isRoot: Boolean,
      minBytes: Long
  ): Boolean = {
    val first = scan.conjuncts ++ order.map(_.child)
    // Rows that are proved to be enough need no other search.
    val isUndecided = found.forall(plan => plan.rows.notCovered.nonEmpty || plan.rows.top.nonEmpty)
    def inspected = found.fold(_.inspected, _.inspected)
    // Such rows would not be used; see ChooseByRows.
    def areUnlisted = inspected.flatMap(_.map((files, _) => hasUnlistedColumnIndexes(files, scan, inputs)))
    def most = if (order.isEmpty) MostRows else MostOrdered
    isUndecided && first.nonEmpty && scan.limit <= most && first.forall(canRunTwice) &&
    !areUnlisted.contains(true) && {
      val isFirst = inputs.areUsedIn(first)
      // Delta reads row groups of such files whole.
      lazy val areWhole = inputs.listing.hasFacts &&
        !inputs.files.forall(inputs.listing.facts(_).isWithoutDeletes)
      def sizes = inspected.flatMap(_.map((files, _) => sizesOf(files, isFirst, !areWhole)))
      val all = found.fold(_ => inputs.files.iterator.map(_.length).sum, _.rows.selection.bytes)
      minBytes == 0 || all >= minBytes && sizes.exists { known =>
        known.rows >= scan.limit.toLong * LeastRows && (
          if (isRoot && order.isEmpty) known.savedPerRowGroup >= minBytes && known.share <= known.mostAtRoot
          else known.savedPerByte * all >= JobFactor * minBytes && known.share <= MostShare
        )
      }
    }
  }

  /** Whether plain Spark may skip pages of a file by column indexes that may be wrong. The search by rows does not. */
  def hasUnlistedColumnIndexes(
      files: Seq[ClassifiedFile],
      scan: LimitedScan,
      inputs: SearchInputs
  ): Boolean = scan.conjuncts.nonEmpty && {
    val isFiltered = inputs.areUsedIn(scan.conjuncts)
    files.exists(_.footer.hasUnlistedColumnIndexes(isFiltered))
  }

  /**
   * Python functions are slow, and a subquery has no value yet. Spark changes the metadata column of a table that a query uses, so
   * it has no fields for positions then.
   */
  private def canRunTwice(e: Expression): Boolean =
    e.deterministic && !e.containsAnyPattern(PLAN_EXPRESSION, PYTHON_UDF) && !e.exists {
      case FileSourceMetadataAttribute(_) => true
      // Spark fails if a query reads a column of this name and row numbers.
      case column: Attribute => ColumnNames.areSame(column.name, RowNumbers, caseSensitive = false)
      case _ => false
    }

  /**
   * @param first compressed bytes of the columns that are read first
   * @param all compressed bytes of all columns that the query reads
   * @param files bytes of the files
   * @param havePages whether single pages can be read of each row group
   */
  private final case class Sizes(
      first: Long,
      all: Long,
      files: Long,
      rowGroups: Int,
      rows: Long,
      havePages: Boolean
  ) {
    def share: Double = if (all == 0) 1.0 else first.toDouble / all
    def savedPerRowGroup: Long = if (rowGroups == 0) 0 else (all - first) / rowGroups
    def savedPerByte: Double = if (files == 0) 0.0 else (all - first).toDouble / files
    def mostAtRoot: Double = if (havePages) MostShare else MostShareOfWholeRowGroups
  }

  private def sizesOf(
      files: Seq[ClassifiedFile],
      isFirst: String => Boolean,
      mayHavePages: Boolean
  ): Sizes = {
    val chunks = for (file <- files; rowGroup <- file.rowGroups.indices if file.mayMatch(rowGroup))
      yield file.footer.places(rowGroup)
    Sizes(
      first = chunks.iterator.flatten.filter(chunk => isFirst(chunk.path.head)).map(_.length).sum,
      all = chunks.iterator.flatten.map(_.length).sum,
      files = files.iterator.map(_.listed.length).sum,
      rowGroups = chunks.size,
      rows = files.iterator.flatMap(_.footer.rowGroups.iterator.map(_.getRowCount)).sum,
      havePages = mayHavePages && files.forall(_.footer.hasTrustedPages) &&
        chunks.forall(_.forall(_.offsetIndex.nonEmpty))
    )
  }

  /** The positions of all rows that are found are on the driver. */
  private val MostRows = 100000

  /** Each task of the job that orders rows holds so many of them, with their sort keys. */
  private val MostOrdered = 10000

  /** The inspected files have at least so many times the rows of the LIMIT. */
  private val LeastRows = 10L

  /** At most this share of the bytes is read first, because it may be read in vain. */
  private val MostShare = 0.25

  /** If all of a row group with matching rows is read, reading first pays only if no row of most row groups matches. */
  private val MostShareOfWholeRowGroups = 0.03

  /** All tasks of plain Spark together read so many times what one row group has. */
  private val JobFactor = 2L
}
