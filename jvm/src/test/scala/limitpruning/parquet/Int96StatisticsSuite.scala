package limitpruning.parquet

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}
import java.nio.ByteBuffer
import java.nio.ByteOrder.LITTLE_ENDIAN

import org.apache.parquet.format.{ColumnOrder, FileMetaData}
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.types.{IntegerType, TimestampType}
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.{ColumnFacts, LeafColumn, Nulls}
import limitpruning.predicate.Values.{Range, Unknown}
import limitpruning.testing.{RawChunk, RawFooter}

class Int96StatisticsSuite extends AnyFunSuite {
  private val settings = ReadSettings(caseSensitive = false, byFieldId = false, rebaseMode = "CORRECTED")
  private val ts = LeafColumn(AttributeReference("ts", TimestampType)(), Nil, TimestampType)
  private val a = LeafColumn(AttributeReference("a", IntegerType)(), Nil, IntegerType)

  private def int96(day: Int, nanos: Long): Array[Byte] =
    ByteBuffer.allocate(12).order(LITTLE_ENDIAN).putLong(nanos).putInt(day).array

  private val chunk = RawChunk.between(int96(2440588, 5000), int96(2440589, 1000)).nulls(0)
  private val believed = ColumnFacts(Range(5L, 86400000001L), Nulls.No)
  private val raw = RawFooter("optional int32 z; optional int32 a; optional int96 ts;")
    .rowGroup(10, RawChunk.between(1, 2), RawChunk.between(3, 4).nulls(0), chunk)
    .rowGroup(10, RawChunk.between(1, 2), RawChunk.between(5, 6).nulls(0), RawChunk.silent)

  /** As Thrift parses a footer whose orders it does not know. */
  private def parsed(unset: Int*): FileMetaData = {
    val metadata = raw.metadata
    unset.foreach(metadata.getColumn_orders.set(_, new ColumnOrder()))
    metadata
  }

  private def narrowed(
      orders: Seq[Int],
      columns: FileColumns = FileColumns.All,
      isParsed: Boolean = true
  ): NarrowedFooter = {
    val unset = orders.indices.filter(i => isParsed && orders(i) != 1)
    NarrowedFooter.of(parsed(unset: _*), columns, FooterSeal(1, 1), () => orders.toIndexedSeq)
  }

  private def facts(narrowed: NarrowedFooter, column: LeafColumn = ts): Seq[ColumnFacts] = {
    val facts = new RowGroupFacts(Footer.of(narrowed), settings).of(column)
    Seq(0, 1).map(facts)
  }

  test("line 80: min and max of INT96 are trusted in the order of time, and in no other") {
    assert(facts(narrowed(Seq(1, 1, 3))) == Seq(believed, ColumnFacts.Unknown))
    for (order <- Seq(0, 1, 2, 4)) assert(facts(narrowed(Seq(1, 1, order))).head.values == Unknown, order)
    assert(facts(narrowed(Seq(1, 3))).head.values == Unknown, "orders for other columns")
    assert(facts(narrowed(Seq(1, 1, 3), isParsed = false)).head.values == Unknown, "Thrift knows the order")
  }

  test("line 80: the order of time means nothing for other types") {
    assert(facts(narrowed(Seq(1, 1, 3)), a).head == ColumnFacts(Range(3, 4), Nulls.No))
    assert(facts(narrowed(Seq(1, 3, 3)), a).head == ColumnFacts(Unknown, Nulls.No))
  }

  test("line 80: orders stay with their columns if a footer is narrowed, and sent to the driver") {
    for (orders <- Seq(Seq(1, 1, 3), Seq(2, 1, 3), Seq(3, 1, 3)); names <- Seq(Seq("ts"), Seq("a", "ts"))) {
      val small = narrowed(orders, FileColumns.named(names))
      assert(small.metadata.getColumn_orders.size == names.size)
      assert(facts(sent(small)) == Seq(believed, ColumnFacts.Unknown), s"$orders, $names")
    }
    val withoutOrder = sent(narrowed(Seq(1, 2, 3), FileColumns.named(Seq("a"))))
    assert(facts(withoutOrder, a).head.values == Unknown)
  }

  private def sent(footer: NarrowedFooter): NarrowedFooter = {
    val bytes = new ByteArrayOutputStream
    val out = new ObjectOutputStream(bytes)
    out.writeObject(footer)
    out.close()
    new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)).readObject() match {
      case received: NarrowedFooter => received
      case other => fail(s"received ${other.getClass}")
    }
  }

  test(
    "line 80: an end whose microseconds overflow is unknown, although each reader returns some value for it"
  ) {
    def of(max: Array[Byte]): ColumnFacts = {
      val metadata = RawFooter("optional int96 ts;")
        .rowGroup(10, RawChunk.between(int96(2440588, 5000), max).nulls(0)).metadata
      metadata.getColumn_orders.set(0, new ColumnOrder())
      val footer =
        Footer.of(NarrowedFooter.of(metadata, FileColumns.All, FooterSeal(1, 1), () => IndexedSeq(3)))
      new RowGroupFacts(footer, settings).of(ts)(0)
    }
    val last = 2440588 + (Long.MaxValue / 86400000000L).toInt - 1 // a day of the year 294,247
    assert(of(int96(last, 0)).values == Range(5L, (last - 2440588L) * 86400000000L))
    for (day <- Seq(last + 2, last + 100000000, last + 213503982 + 100, Int.MaxValue))
      assert(of(int96(day, 0)).values == Unknown, day)
  }

  test("line 80: one end alone, and ends of another length, are unknown") {
    for (
      odd <- Seq(
        RawChunk(min = Some(int96(2440588, 0)), nulls = Some(0L)),
        RawChunk(max = Some(int96(2440588, 0)), nulls = Some(0L)),
        RawChunk.between(int96(2440588, 0).take(11), int96(2440589, 0)).nulls(0),
        RawChunk.between(int96(2440589, 0), int96(2440588, 0)).nulls(0),
        chunk.copy(deprecated = true)
      )
    ) {
      val metadata = RawFooter("optional int96 ts;").rowGroup(10, odd).metadata
      metadata.getColumn_orders.set(0, new ColumnOrder())
      val footer =
        Footer.of(NarrowedFooter.of(metadata, FileColumns.All, FooterSeal(1, 1), () => IndexedSeq(3)))
      assert(new RowGroupFacts(footer, settings).of(ts)(0) == ColumnFacts(Unknown, Nulls.No))
    }
  }
}
