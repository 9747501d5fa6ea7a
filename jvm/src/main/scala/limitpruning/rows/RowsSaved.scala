package limitpruning.rows

import org.apache.spark.sql.catalyst.expressions._

import limitpruning.search.ReadSizes

/**
 * Estimates what is saved if the rows for a LIMIT are found by reading the columns of its predicate and of its sort keys first.
 * Everything is in compressed bytes that a task of a scan reads in the same time.
 *
 * @param sizes of some files of the table, with the numbers of rows and row groups of all of them
 * @param all bytes of all files of the table
 * @param sorted for the first rows in an order: the share of the rows that plain Spark probably sorts; none if any rows will do
 * @param tasks number of tasks that run at the same time
 * @param partitions number of tasks in which plain Spark reads the table
 */
private[rows] final case class RowsSaved(
    sizes: ReadSizes,
    all: Long,
    limit: Int,
    sorted: Option[Double],
    tasks: Int,
    partitions: Double
) {
  import RowsSaved._

  /**
   * @param minBytes the minimum that must be saved
   * @return the compressed bytes that plain Spark reads more, if it reads the whole table; none if it does not pay
   */
  def apply(minBytes: Long): Option[Long] = {
    lazy val saved = ((others - readAgain) / unskipped).toLong + sorting - requests
    val mostShare = if (areFewAgain || sorted.nonEmpty) MostShare else MostShareInVain
    if (
      sizes.rows >= limit.toLong * (if (isOneRound) LeastRowsOfOneRound else LeastRows) &&
      sizes.share <= mostShare && maySave &&
      // What plain Spark sorts is not known. At most as much is read in vain as is saved otherwise.
      (areFewAgain || sorted.isEmpty || saved >= readFirst) && RowsPay.isWorthIt(saved, minBytes)
    ) Some(saved)
    else None
  }

  /**
   * Whether a task of plain Spark that may find enough rows saves enough in one row group, if it reads the columns of the
   * predicate first. If it finds them soon, it has read all bytes of the row group, but decoded few.
   *
   * @param minBytes the minimum that must be saved
   * @param minPageBytes see [[limitpruning.select.WhileReading]]
   */
  def inFirstTask(minBytes: Long, minPageBytes: Option[Long]): Boolean = {
    val saved = others / sizes.rowGroups.max(1L)
    // A page index for each column, and each row may be in another page.
    def requests =
      sizes.requests.fold(0.0)(r => (RequestsToOpen + r.first + sizes.otherColumns * (1.0 + limit)) * r.bytes)
    sorted.isEmpty && sizes.havePages && minPageBytes.exists(_ <= saved) && sizes.share <= MostShare &&
    sizes.rows >= sizes.rowGroups * limit.toLong * LeastRows &&
    saved - requests >=
      (TaskFactor + sizes.otherColumns * ColumnFactor + limit * RowFactor) * minBytes
  }

  /** The columns that are not read first. */
  private def others: Double = sizes.savedPerByte * all

  private def readFirst: Double = if (sizes.files == 0) 0.0 else sizes.first.toDouble / sizes.files * all

  /** Plain Spark skips row groups by the dictionaries and bloom filters of such columns, too. */
  private def unskipped: Int = if (areSelective) Selectivity else 1

  private lazy val areSelective = sizes.areSelective()

  /** Whether most row groups need not be read again, or only a few pages of each. */
  private def areFewAgain: Boolean = sizes.havePages || limit.toLong * LeastRowGroups <= sizes.rowGroups

  /** Whether plain Spark runs all tasks at the same time, each until it has found enough rows. */
  private def isOneRound: Boolean = sorted.isEmpty && partitions <= tasks

  private def maySave: Boolean = sizes.havePages || {
    if (sorted.nonEmpty) sizes.dropRows || 2L * limit <= sizes.rowGroups
    // Plain Spark reads one row group in each task at least. If it reads these at the same time, it takes no longer.
    else sizes.rowGroups > 1 && !isOneRound
  } && !areSelective

  /** What is read of the row groups with the rows. Any rows may be in a few of them; the first ones are anywhere. */
  private def readAgain: Double =
    if (sizes.havePages || sorted.isEmpty) 0.0
    else (1 - math.pow(1 - 1.0 / sizes.rowGroups.max(1L), limit)) * (others + readFirst)

  /** Plain Spark copies all columns of each row that matches. Its place and its sort keys are copied here, too. */
  private def sorting: Long =
    if (sizes.havePages || !sizes.dropRows) 0L
    else
      sorted.fold(0L)(share =>
        (share * sizes.rows * (sizes.otherColumns - ColumnsOfPlaces).max(0)).toLong * SortedValue
      )

  /** What reading first costs more in requests. They take so long that the row groups with rows are read whole. */
  private def requests: Long =
    sizes.requests.fold(0L) { requests =>
      val most = sizes.rowGroups.min(limit.toLong).toDouble
      // Many rows match, and few row groups have enough of them, or few rows match.
      val withRows = if (sorted.nonEmpty) most else most / 2
      def of(rowGroups: Double, each: Double) = rowGroups * (RequestsToOpen + each)
      val more = of(sizes.rowGroups.toDouble, requests.first) + of(withRows, requests.all) -
        of(sizes.rowGroups.toDouble, requests.all)
      // While it waits for these, all tasks could read.
      val sequential = RequestsOneByOne * tasks
      val readWhole = if (readAgain == 0) withRows / sizes.rowGroups.max(1L) * others else 0.0
      (readWhole + (more.max(0.0) + sequential) * requests.bytes).toLong
    }
}

private[rows] object RowsSaved {

  /**
   * The share of the rows that probably satisfy a predicate. Nothing is known about the values, so these are the numbers of
   * System R (Selinger et al., 1979), which other engines use, too.
   */
  def shareOf(conjuncts: Seq[Expression]): Double = conjuncts.map {
    case IsNotNull(_) | Not(EqualTo(_, _)) => 1.0
    case _: LessThan | _: LessThanOrEqual | _: GreaterThan | _: GreaterThanOrEqual => 1.0 / 3
    case _ => 0.1
  }.product

  /** The table has at least so many times the rows of the LIMIT. */
  private val LeastRows = 10L

  /** The same if plain Spark runs all tasks at once. Its first task to find enough rows takes no longer than a search and one task. */
  private val LeastRowsOfOneRound = 100L

  /** At most this share of the bytes is read first. */
  private val MostShare = 0.25

  /** So many times the rows of the LIMIT are the row groups, if most of them need not be read. */
  private val LeastRowGroups = 4L

  /** If any rows will do, but they are in nearly all row groups, which are read whole, so much is read in vain. */
  private val MostShareInVain = 0.06

  /** If plain Spark skips row groups by their values, it is taken to read one of so many. */
  private val Selectivity = 4

  /** The path of a file, the position of a row in it, and what it takes to order rows by them. */
  private val ColumnsOfPlaces = 3

  /** A task reads so many bytes in the time that it takes to copy and compare a value of a row: 20 ns or more. */
  private val SortedValue = 2L

  /**
   * A task that opens a file twice takes 10 ms more, in which it reads about so many times the minimum from the cache of a
   * local disk.
   */
  private val TaskFactor = 4.0

  /** The same for the page index of a column and single pages of it, which are apart from those of others. */
  private val ColumnFactor = 1.0 / 64

  /** The same for a row range in all columns: each row that is found may be one. */
  private val RowFactor = 1.0 / 256

  /** The status of a file, opening it, and two for its footer. */
  private val RequestsToOpen = 4.0

  /** In waves of jobs, each of which opens files, and for the footers of files with rows. */
  private val RequestsOneByOne = 20.0
}
