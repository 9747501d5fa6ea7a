package limitpruning.rows

import org.scalatest.funsuite.AnyFunSuite

import limitpruning.search.{ReadSizes, Requests}

class RowsSavedSuite extends AnyFunSuite {

  private val MB = 1000L * 1000

  /** A tenth of the bytes is in the column of the predicate. The query reads ten columns, which are apart from each other. */
  private def sizes(rowGroups: Long, requestBytes: Long): ReadSizes = ReadSizes(
    first = 2 * MB,
    all = 20 * MB,
    files = 20 * MB,
    rowGroups,
    rows = rowGroups * 100000,
    havePages = true,
    dropRows = true,
    otherColumns = 9,
    areSelective = () => false,
    requests = if (requestBytes == 0) None else Some(Requests(first = 1, all = 10, requestBytes))
  )

  private def saved(
      rowGroups: Long,
      requestBytes: Long,
      isOrdered: Boolean = false,
      tasks: Int = 2
  ): Option[Long] =
    RowsSaved(
      sizes(rowGroups, requestBytes),
      rowGroups * 20 * MB,
      10,
      if (isOrdered) Some(1.0) else None,
      tasks,
      partitions = rowGroups * 20.0 / 128
    )(8 * MB)

  test("local files: what is not read is saved, however many requests that takes") {
    assert(saved(6, requestBytes = 0).contains(6 * 18 * MB))
    assert(saved(6, requestBytes = 0, isOrdered = true, tasks = 100).contains(6 * 18 * MB))
  }

  test("30 ms a request: a table of few row groups is left alone, and one of many is not") {
    assert(saved(6, 3 * MB).isEmpty && saved(6, 3 * MB, isOrdered = true).isEmpty)
    // Five of its row groups may have to be read whole, and 40 requests are waited for.
    assert(saved(100, 3 * MB).contains(100 * 18 * MB - 5 * 18 * MB - 40 * 3 * MB))
    assert(saved(100, 3 * MB, isOrdered = true).contains(100 * 18 * MB - 10 * 18 * MB - 40 * 3 * MB))
  }

  test("30 ms a request, row groups that are read whole: those with rows are read again") {
    val of = sizes(100, 3 * MB).copy(first = 400 * 1000, havePages = false)
    val any = RowsSaved(of, 2000 * MB, 10, None, tasks = 2, partitions = 15)(8 * MB)
    assert(any.contains(100 * 19600L * 1000 - 5 * 19600L * 1000 - 40 * 3 * MB))
  }

  test("30 ms a request: with as many tasks as row groups, plain Spark waits once") {
    assert(saved(100, 3 * MB, tasks = 100).isEmpty)
    assert(saved(1000, 3 * MB, tasks = 100).nonEmpty)
  }

  /** A fiftieth of the bytes is in the column of the predicate, and single pages cannot be read. */
  private def inWholeChunks(rowGroups: Long): RowsSaved = {
    val of = sizes(rowGroups, requestBytes = 0).copy(first = 400 * 1000, havePages = false)
    RowsSaved(of, rowGroups * 20 * MB, 10, None, tasks = 2, partitions = rowGroups * 20.0 / 128)
  }

  test(
    "row groups that are read whole: any rows are in one of them, if plain Spark reads more at the same time"
  ) {
    val others = 19600L * 1000
    assert(inWholeChunks(20)(8 * MB).contains(20 * others))
    assert(inWholeChunks(20).copy(tasks = 4)(8 * MB).isEmpty)
    // Each row of the LIMIT may be in another one.
    val large = inWholeChunks(20)
    assert(large.copy(sizes = large.sizes.copy(first = 2 * MB))(8 * MB).isEmpty)
    assert(large.copy(sizes = large.sizes.copy(first = 2 * MB), limit = 5)(8 * MB).nonEmpty)
  }

  test(
    "row groups that are read whole: the first rows in an order are anywhere, and the others are not sorted"
  ) {
    val ordered = inWholeChunks(2).copy(sorted = Some(1.0))
    // Nearly all is read again. Plain Spark sorts 200,000 rows of 10 columns; of 100 columns, that takes longer.
    assert(ordered(8 * MB).isEmpty)
    val wide = ordered.copy(sizes = ordered.sizes.copy(otherColumns = 99))
    assert(wide(8 * MB).exists(_ > 2 * 90 * 200000))
    assert(wide.copy(sorted = Some(0.1))(8 * MB).isEmpty)
    // Iceberg's scan does not drop rows.
    assert(wide.copy(sizes = wide.sizes.copy(dropRows = false))(8 * MB).isEmpty)
    assert(inWholeChunks(20).copy(sorted = Some(0.1), limit = 2)(8 * MB).nonEmpty)
  }

  test("many rows: of a table that plain Spark reads at once, one task finds them as soon") {
    def of(limit: Int, partitions: Int) =
      RowsSaved(sizes(30, 0), 600 * MB, limit, None, tasks = 4, partitions)(8 * MB)
    assert(of(limit = 30000, partitions = 4).nonEmpty && of(limit = 30001, partitions = 4).isEmpty)
    assert(of(limit = 300000, partitions = 5).nonEmpty && of(limit = 300001, partitions = 5).isEmpty)
  }

  test("values that few row groups have: plain Spark reads these alone") {
    val few = inWholeChunks(20)
    assert(few.copy(sizes = few.sizes.copy(areSelective = () => true))(8 * MB).isEmpty)
  }

  test("a first task reads columns first if the others have many bytes in each row group") {
    def inFirstTask(
        of: ReadSizes,
        limit: Int = 10,
        minBytes: Long = 4 * MB,
        sorted: Option[Double] = None,
        minPageBytes: Option[Long] = Some(MB)
    ) = RowsSaved(of, 600 * MB, limit, sorted, tasks = 2, partitions = 5).inFirstTask(minBytes, minPageBytes)
    // Each row group has 18 MB of other columns, and pages of nine columns are read apart.
    val local = sizes(30, requestBytes = 0)
    assert(inFirstTask(local) && !inFirstTask(local, minBytes = 4400 * 1000))
    // 4 requests to open a file, one for the column of the predicate, and 11 for each of the others.
    val remote = sizes(30, requestBytes = 100 * 1000)
    assert(inFirstTask(remote, minBytes = MB) && !inFirstTask(remote, minBytes = 2 * MB))
    assert(inFirstTask(remote, minBytes = MB / 2) && !inFirstTask(remote, limit = 20, minBytes = MB / 2))
    assert(!inFirstTask(local.copy(otherColumns = 40)), "more columns")
    assert(!inFirstTask(local, limit = 500), "more rows")
    assert(!inFirstTask(local.copy(havePages = false)), "all other columns may be read as well")
    assert(!inFirstTask(local, minPageBytes = None) && !inFirstTask(local, minPageBytes = Some(19 * MB)))
    assert(!inFirstTask(local.copy(first = 6 * MB), minBytes = MB), "too much is read first")
    assert(!inFirstTask(local, limit = 20000), "most pages have one of the rows")
    assert(!inFirstTask(local, sorted = Some(1.0)), "the first rows are not known before all are read")
  }

  test("chunks that follow each other in a file take one request") {
    def chunks(places: (Boolean, Long, Long)*) = places
    val rowGroups = Seq(
      chunks((true, 4, 10), (false, 14, 6), (false, 100, 10), (true, 90, 10)),
      chunks((true, 200, 10), (false, 300, 10))
    )
    // 4 to 20 and 90 to 110, then 200 to 210 and 300 to 310; first 4 to 14 and 90 to 100, then 200 to 210.
    assert(Requests.of(rowGroups, Seq(7L, 5L)).contains(Requests(first = 1.5, all = 2, bytes = 5)))
    assert(Requests.of(rowGroups, Seq(0L, 5L)).isEmpty && Requests.of(rowGroups, Nil).isEmpty)
    assert(Requests.of(Nil, Seq(5L)).isEmpty)
  }
}
