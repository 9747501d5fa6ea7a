package limitpruning.rows

import scala.collection.mutable
import scala.util.Using

import org.apache.spark.sql.catalyst.expressions.{
  Attribute, EqualTo, Expression, FileSourceMetadataAttribute, In, InSet, Literal, SortOrder
}
import org.apache.spark.sql.catalyst.trees.TreePattern.{PLAN_EXPRESSION, PYTHON_UDF}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat.{
  ROW_INDEX_TEMPORARY_COLUMN_NAME => RowNumbers
}

import limitpruning.conf.LimitPruningConf
import limitpruning.parquet.{ColumnNames, ColumnPositions, Footer}
import limitpruning.predicate.LeafColumn
import limitpruning.search.{
  ClassifiedFile, LimitPlan, LimitedScan, NotPruned, ReadSizes, Requests, SearchInputs, Table
}
import limitpruning.select.{ListedFile, Reason}

/**
 * Decides whether it pays to find the rows for a LIMIT by reading the columns of its predicate and of its sort keys first. The
 * sizes of columns are those of the files whose footers have been read.
 */
private[limitpruning] object RowsPay {

  /**
   * @param order the sort keys, over the table's columns; empty if any rows will do
   * @param found the result of the search of metadata
   * @param minBytes the minimum of compressed bytes that must be saved; if 0, it always pays
   * @return none if it does not pay
   */
  def apply(
      scan: LimitedScan[Table],
      order: Seq[SortOrder],
      inputs: SearchInputs,
      found: Either[NotPruned, LimitPlan],
      minBytes: Long
  ): Option[Saved] = {
    val first = scan.conjuncts ++ order.map(_.child)
    // Rows that are proved to be enough need no other search.
    val isUndecided = found.forall(plan => plan.rows.notCovered.nonEmpty || plan.rows.top.nonEmpty)
    def inspected = found.fold(_.inspected, _.inspected)
    // Such rows would not be used; see ChooseByRows.
    def areUnlisted = inspected.flatMap(_.map((files, _) => hasUnlistedColumnIndexes(files, scan, inputs)))
    def most = if (order.isEmpty) MostRows else MostOrdered
    // Then rows are only counted, if there is no predicate. This needs footers, and so memory.
    def isOutOfBudget = reasonFor(found).exists {
      case reason: Reason.OutOfBudget => reason.setting != LimitPruningConf.MaxMemory.key
      case _ => false
    }
    if (
      isUndecided && (first.nonEmpty || isOutOfBudget) && scan.limit <= most && first.forall(canRunTwice) &&
      !areUnlisted.contains(true)
    ) {
      if (minBytes == 0) Some(Saved(Always, inFirstTask = false))
      else {
        // Each row group has the same columns.
        val isFirst = remembered(inputs.areUsedIn(first))
        // A footer may have been read for a query that reads other columns, too.
        val isRead = remembered(name => isFirst(name) || inputs.isNeeded(name))
        // Delta reads row groups of such files whole.
        lazy val areWhole = !inputs.listing.areWithoutDeletes
        val all = bytes(inputs, found)
        def saved(files: Seq[ClassifiedFile]): Option[Saved] = {
          val sizes = sizesOf(
            files,
            isFirst,
            isRead,
            canSkipRows = !areWhole,
            dropRows = !areWhole && inputs.dropsRows,
            () => areSelective(files, scan.conjuncts, inputs)
          )
          // Most files of a table are alike.
          val whole = if (sizes.files == 0) 0.0 else all.toDouble / sizes.files
          val ofAll = sizes.copy(
            rowGroups = (sizes.rowGroups * whole).toLong,
            rows = (sizes.rows * whole).toLong
          )
          val sorted = if (order.isEmpty) None else Some(RowsSaved.shareOf(scan.conjuncts))
          val estimate = RowsSaved(ofAll, all, scan.limit, sorted, inputs.tasks, inputs.partitions(all))
          estimate(minBytes).map(Saved(
            _,
            estimate.inFirstTask(minBytes, inputs.minPageBytesUnseen)
          ))
        }
        for {
          // Without an order, no more than all bytes are saved.
          groups <- inspected if (if (order.isEmpty) isWorthIt(all, minBytes) else all >= minBytes)
          found <- groups.map((files, _) => saved(files))
          enough <- found
        } yield enough
      }
    } else None
  }

  /**
   * What reading columns first saves.
   *
   * @param bytes the compressed bytes that plain Spark reads more, if it reads the whole table
   * @param inFirstTask whether it pays in a task of plain Spark that may find enough rows, too
   */
  final case class Saved(bytes: Long, inFirstTask: Boolean)

  /** The compressed bytes of the files or row groups that may have rows, by what the search of metadata found. */
  private[rows] def bytes(inputs: SearchInputs, found: Either[NotPruned, LimitPlan]): Long =
    found.fold(_ => ListedFile.bytes(inputs.files), _.rows.selection.bytes)

  private def reasonFor(found: Either[NotPruned, LimitPlan]): Option[Reason] =
    found.fold(notPruned => Some(notPruned.reason), _.rows.notCovered)

  /** The columns that have to be equal to a value. */
  def equalToValues(conjuncts: Seq[Expression]): Seq[LeafColumn] = conjuncts.collect {
    case EqualTo(LeafColumn(column), _: Literal) => column
    case EqualTo(_: Literal, LeafColumn(column)) => column
    case In(LeafColumn(column), values) if values.forall(_.isInstanceOf[Literal]) => column
    case InSet(LeafColumn(column), _) => column
  }

  /** @param saved the compressed bytes that plain Spark would read more */
  def isWorthIt(saved: Long, minBytes: Long): Boolean = saved / JobFactor >= minBytes

  /** What always pays. */
  val Always: Long = Long.MaxValue

  /** Whether plain Spark may skip pages of a file by column indexes that may be wrong. The search by rows does not. */
  def hasUnlistedColumnIndexes(
      files: Seq[ClassifiedFile],
      scan: LimitedScan[Table],
      inputs: SearchInputs
  ): Boolean = scan.conjuncts.nonEmpty && {
    val isFiltered = inputs.areUsedIn(scan.conjuncts)
    files.exists(_.footer.hasUnlistedColumnIndexes(isFiltered))
  }

  /**
   * Python functions are slow, and a subquery has no value yet. Spark changes the metadata column of a table that a query uses, so
   * it has no fields for positions then.
   */
  private[rows] def canRunTwice(e: Expression): Boolean =
    e.deterministic && !e.containsAnyPattern(PLAN_EXPRESSION, PYTHON_UDF) && !e.exists {
      case FileSourceMetadataAttribute(_) => true
      // Spark fails if a query reads a column of this name and row numbers.
      case column: Attribute => ColumnNames.areSame(column.name, RowNumbers, caseSensitive = false)
      case _ => false
    }

  private[rows] def remembered(of: String => Boolean): String => Boolean = {
    val known = mutable.Map.empty[String, Boolean]
    name => known.getOrElseUpdate(name, of(name))
  }

  private[rows] def sizesOf(
      files: Seq[ClassifiedFile],
      isFirst: String => Boolean,
      isRead: String => Boolean,
      canSkipRows: Boolean,
      dropRows: Boolean,
      areSelective: () => Boolean
  ): ReadSizes = {
    val all = for (file <- files; rowGroup <- file.rowGroups.indices if file.mayMatch(rowGroup))
      yield (file.footer, rowGroup)
    // Of many row groups, some tell enough.
    val each = (1 + all.size / MostSampled) | 1 // odd, because many files have two row groups
    val some = all.indices.by(each).map(all(_))
    val positionsRead = new ColumnPositions(isRead)
    val chunks = some.map { case (footer, rowGroup) =>
      footer.places.at(rowGroup)(positionsRead(footer, rowGroup))
    }
    def rowsOf(rowGroups: Seq[(Footer, Int)]) =
      rowGroups.iterator.map { case (footer, rowGroup) => footer.rowGroups(rowGroup).getRowCount }.sum
    val rows = rowsOf(all)
    val ofAll = rows.toDouble / rowsOf(some).max(1)
    def sum(bytes: Iterator[Long]): Long = (bytes.sum * ofAll).toLong
    ReadSizes(
      first = sum(chunks.iterator.flatten.filter(chunk => isFirst(chunk.path.head)).map(_.length)),
      all = sum(chunks.iterator.flatten.map(_.length)),
      files = files.iterator.map(_.listed.length).sum,
      rowGroups = all.size.toLong,
      rows = rows,
      havePages = canSkipRows && files.forall(_.footer.hasTrustedPages) &&
        chunks.forall(_.forall(_.offsetIndex.nonEmpty)) && {
          val (divided, others) =
            chunks.iterator.flatten.partition(_.offsetIndex.exists(_.length >= FewPages))
          divided.map(_.length).sum >= others.map(_.length).sum
        },
      dropRows = dropRows,
      otherColumns = chunks.headOption.fold(0)(_.count(chunk => !isFirst(chunk.path.head))),
      areSelective = areSelective,
      requests = Requests.of(
        chunks.map(_.map(chunk => (isFirst(chunk.path.head), chunk.start, chunk.length))),
        files.map(_.footer.requestBytes)
      )
    )
  }

  /**
   * Whether a column that has to be equal to a value has dictionaries or bloom filters with all its values, which are so many
   * that most row groups do not have this one.
   */
  private def areSelective(
      files: Seq[ClassifiedFile],
      conjuncts: Seq[Expression],
      inputs: SearchInputs
  ): Boolean = {
    val equal = equalToValues(conjuncts)
    equal.nonEmpty && files.exists { file =>
      Using.resource(inputs.detailsOf(file)) { details =>
        file.rowGroups.indices.exists { rowGroup =>
          val rows = file.footer.rowGroups(rowGroup).getRowCount
          equal.exists(column =>
            (details.hasDictionary(column, rowGroup) || details.hasBloomFilter(column, rowGroup)) &&
              ReadSizes.haveMany(details.dictionaryPart(column, rowGroup).map(_.length.toLong), rows)
          )
        }
      }
    }
  }

  /** The positions of all rows that are found are on the driver. */
  private[rows] val MostRows = 100000

  /** Each task of the job that orders rows holds so many of them, with their sort keys. */
  private[rows] val MostOrdered = 10000

  /** So many row groups tell how large columns are. */
  private val MostSampled = 1000

  /** The bytes of an offset index of about four pages: each page takes 15 bytes or more. */
  private val FewPages = 60

  /** A job that searches for rows costs more than it saves if it saves less than so many times the minimum. */
  private val JobFactor = 2L
}
