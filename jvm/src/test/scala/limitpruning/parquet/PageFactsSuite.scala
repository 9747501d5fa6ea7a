package limitpruning.parquet

import java.nio.ByteBuffer

import scala.jdk.CollectionConverters._

import org.apache.parquet.format.{BoundaryOrder, ColumnIndex, OffsetIndex, PageLocation}
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.{ColumnOrder, PrimitiveType, Types}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.INT32
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.testing.{RawChunk, RawFooter}

class PageFactsSuite extends AnyFunSuite {

  /** Pages with 10, 20 and 20 rows. */
  private val chunk =
    RawFooter("required int32 a;").rowGroup(50, RawChunk.silent).footer.places(0).head
  private val locations = PageLocations
    .of(
      new OffsetIndex(List(
        new PageLocation(4, 10, 0),
        new PageLocation(14, 10, 10),
        new PageLocation(24, 80, 30)
      ).asJava),
      chunk,
      rows = 50
    )
    .get

  private def leaf(field: String): PrimitiveType = RawFooter(field).schema.getColumns.get(0).getPrimitiveType
  private val int = leaf("optional int32 a;")
  private val string = leaf("optional binary a (STRING);")

  private def index(bounds: (Any, Any)*): ColumnIndex = {
    def bytes(values: Seq[Any]): java.util.List[ByteBuffer] =
      values.map(v => ByteBuffer.wrap(if (v == null) Array.emptyByteArray else RawChunk.plain(v))).asJava
    new ColumnIndex(
      bounds.map { case (min, _) => java.lang.Boolean.valueOf(min == null) }.asJava,
      bytes(bounds.map(_._1)),
      bytes(bounds.map(_._2)),
      BoundaryOrder.UNORDERED
    )
  }

  private def nulls(index: ColumnIndex, counts: Long*): ColumnIndex =
    index.setNull_counts(counts.map(java.lang.Long.valueOf).asJava)

  private def of(index: ColumnIndex, chunkNulls: Option[Long], leafType: PrimitiveType = int) =
    PageFacts.of(index, locations, leafType, ColumnChunk(50, 50, chunkNulls, None, mayBeCut = false))

  private def some = index((1, 5), (null, null), (7, 9))

  test("each page is converted as if it were a chunk") {
    assert(of(nulls(some, 0, 20, 3), Some(23)).contains(Seq(
      ColumnChunk(10, 10, Some(0), Some((1, 5)), mayBeCut = false),
      ColumnChunk(20, 20, Some(20), None, mayBeCut = false),
      ColumnChunk(20, 20, Some(3), Some((7, 9)), mayBeCut = false)
    )))
  }

  test("line 47: null counts whose sum differs from the chunk's make the whole index unknown") {
    assert(of(nulls(some, 0, 20, 4), Some(23)).isEmpty)
    assert(of(nulls(some, 0, 20, 0), Some(0)).isEmpty, "all nulls, says the index, and none, says the chunk")
  }

  test("null counts are unknown if the chunk's is not trusted, or the index has none") {
    for (found <- Seq(of(nulls(some, 0, 20, 3), None), of(some, Some(23))))
      assert(found.exists(_.forall(_.nullCount.isEmpty)))
  }

  test("line 47: a null page must contain as many nulls as rows, and no other page may") {
    assert(of(nulls(some, 0, 19, 4), Some(23)).isEmpty)
    assert(of(nulls(some, 10, 20, 0), Some(30)).isEmpty)
    assert(of(nulls(some, -1, 20, 4), Some(23)).isEmpty)
    assert(of(nulls(some, 11, 20, 0), Some(31)).isEmpty)
  }

  test("returns none for an index with another number of pages") {
    assert(of(index((1, 5), (7, 9)), None).isEmpty)
    assert(of(nulls(some, 0, 20), Some(20)).isEmpty)
    val cut = some
    assert(of(cut.setMin_values(cut.getMin_values.subList(0, 2)), None).isEmpty)
  }

  test("line 11: min and max in another order than the type's are none") {
    val unordered = Types.optional(INT32).columnOrder(ColumnOrder.undefined()).named("a")
    assert(of(nulls(some, 0, 20, 3), Some(23), unordered).isEmpty)
  }

  test("line 80: INT96 pages have min and max in the order of time, and in no other") {
    def int96(byte: Int) = Array.fill[Byte](12)(byte.toByte)
    val pages = nulls(index((int96(1), int96(2)), (null, null), (int96(3), int96(4))), 0, 20, 3)
    def of(isInOrderOfTime: Boolean) = PageFacts.of(
      pages,
      locations,
      leaf("optional int96 a;"),
      ColumnChunk(50, 50, Some(23), None, mayBeCut = false),
      isInOrderOfTime
    )
    assert(of(isInOrderOfTime = false).isEmpty)
    assert(of(isInOrderOfTime = true).map(_.map(_.minMax)).contains(Seq(
      Some((Binary.fromConstantByteArray(int96(1)), Binary.fromConstantByteArray(int96(2)))),
      None,
      Some((Binary.fromConstantByteArray(int96(3)), Binary.fromConstantByteArray(int96(4))))
    )))
  }

  test("line 14: a long min or max may be truncated, a short one is not") {
    val long = "x" * 64
    val found = of(index(("a", "b"), ("a", long), (long, long)), None, string).get
    assert(found.map(_.mayBeCut) == Seq(false, true, true))
  }

  test("line 89: an empty min and max of a page count only if the footer has an empty min") {
    def of(chunkMinMax: Option[(Any, Any)]) = PageFacts.of(
      index(("", ""), ("", "b"), ("a", "b")),
      locations,
      string,
      ColumnChunk(50, 50, Some(0), chunkMinMax, mayBeCut = false)
    ).get.map(_.minMax.nonEmpty)
    def text(value: String) = Binary.fromString(value)
    assert(of(None) == Seq(false, true, true))
    assert(of(Some((text("a"), text("b")))) == Seq(false, true, true))
    assert(of(Some((text(""), text("b")))) == Seq(true, true, true))
  }

  test("lines 13 and 46: min or max that is NaN is none, and so are bytes of another size") {
    val double = leaf("optional double a;")
    val found = of(index((1.0, Double.NaN), (0.0, 0.0), (7, 9)), None, double).get
    assert(found.map(_.minMax.isEmpty) == Seq(true, false, true))
    assert(found(1).minMax.exists {
      case (min: Double, max: Double) => 1 / min < 0 && 1 / max > 0; case _ => false
    })
  }
}
