package limitpruning.search

import scala.concurrent.duration.DurationInt

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.parquet.{FileColumns, FooterReader, ReadSettings, Storage}
import limitpruning.predicate.MatchState
import limitpruning.select.{ListedFile, RowRange, Threshold}
import limitpruning.testing.{PagedFile, TempFolder}

class RefineTopRowsSuite extends AnyFunSuite with TempFolder {
  private val a = AttributeReference("a", IntegerType)()
  private val b = AttributeReference("b", IntegerType)()
  private val conf = new Configuration(false)
  private val storage = Storage(conf)
  private val settings = ReadSettings(caseSensitive = false, byFieldId = false, rebaseMode = "CORRECTED")

  /** A file with one row group of a thousand rows, in pages of ten rows. */
  private def paged(name: String)(row: Int => (Any, Any)): FileStatus = status(PagedFile.write(
    folder.resolve(name),
    "optional int32 a; optional int32 b;",
    (0 until 1000).map(i => Seq(row(i)._1, row(i)._2)),
    pageBytes = 1 << 20,
    pageRows = 10
  ))

  /** The selected rows of the files. Footers alone skip no row group. */
  private def refined(
      limit: Int,
      key: SortOrder = SortOrder(a, Descending),
      maxBytes: Long = 1L << 20,
      minBytes: Long = 0
  )(
      conjuncts: Expression*
  )(files: FileStatus*): Map[String, Seq[RowRange]] = {
    val classify =
      new ClassifyRowGroups(conjuncts, Seq(a, b), new StructType, settings, alsoNeeded = Seq(key.child))
    val facts = new KeyFacts(key, conjuncts, classify)
    val threshold = new Threshold(limit.toLong, facts.order)
    val candidates = files.map { file =>
      val footer = new FooterReader(conf).read(file, FileColumns.All)
      val classified = classify(ListedFile.alone(InternalRow.empty, file), footer)
      if (classified.rowGroups.head.state == MatchState.FullyMatching)
        for ((place, rows) <- facts.certain(classified, 0)) threshold.add(place, rows)
      Candidate(classified, 0, facts.best(classified, 0), RowRange.all(1000))
    }
    val narrow = new NarrowRowGroups(_ => true, isSupported = true, minBytes)
    val found = FoundTopRows(candidates, Nil, threshold, dropped = 0, skipsWhileReading = false)
    new RefineTopRows(limit, facts, classify, storage, narrow, maxBytes, 1.hour.fromNow)(found).candidates
      .map(c => c.file.listed.status.getPath.getName -> RowRange.joined(c.ranges))
      .toMap
  }

  test("skips pages that sort after pages with enough rows") {
    val sorted = paged("sorted.parquet")(i => (i, i))
    assert(refined(limit = 10)()(sorted) == Map("sorted.parquet" -> Seq(RowRange(990, 1000))))
    assert(refined(limit = 11)()(sorted) == Map("sorted.parquet" -> Seq(RowRange(980, 1000))))
    assert(refined(limit = 1, SortOrder(a, Ascending))()(sorted) ==
      Map("sorted.parquet" -> Seq(RowRange(0, 10))))
  }

  test("skips row groups by the pages of better ones") {
    val (low, high) = (paged("low.parquet")(i => (i, i)), paged("high.parquet")(i => (i + 900, i)))
    assert(refined(limit = 10)()(high, low) == Map("high.parquet" -> Seq(RowRange(990, 1000))))
  }

  test("only fully matching pages give a threshold, and not matching pages are skipped") {
    val file = paged("filtered.parquet")(i => (i, i))
    assert(refined(limit = 10)(LessThan(b, Literal(500)))(file) ==
      Map("filtered.parquet" -> Seq(RowRange(490, 500))))
    assert(refined(limit = 10)(LessThan(b, Literal(505)))(file) ==
      Map("filtered.parquet" -> Seq(RowRange(490, 510))))
    assert(refined(limit = 10)(LessThan(b, Literal(-1)))(file) == Map.empty)
  }

  test("line 1: each row of a page with nulls may be null") {
    val file = paged("nulls.parquet")(i => (if (i % 10 == 3) null else i, i))
    assert(
      refined(limit = 10)()(file).apply("nulls.parquet") == RowRange.all(1000),
      "nulls are last, and all rows may be null"
    )
    val first = refined(limit = 10, SortOrder(a, Ascending))()(file)
    assert(first("nulls.parquet") == RowRange.all(1000), "each page may have a null, which is first")
    val notNull = refined(limit = 10, SortOrder(a, Ascending))(IsNotNull(a))(file)
    assert(notNull("nulls.parquet") == RowRange.all(1000), "no page is certain")
  }

  test("skips nothing if pages overlap") {
    val mixed = paged("mixed.parquet")(i => (if (i % 2 == 0) i % 10 else 990 + i % 10, i))
    assert(refined(limit = 100)()(mixed) == Map("mixed.parquet" -> RowRange.all(1000)))
  }

  test("skips no pages if no bytes are left, or if row groups are small") {
    val file = paged("small.parquet")(i => (i, i))
    assert(refined(limit = 1, maxBytes = 0)()(file) == Map("small.parquet" -> RowRange.all(1000)))
    assert(refined(limit = 1, minBytes = 1L << 30)()(file) == Map("small.parquet" -> RowRange.all(1000)))
  }
}
