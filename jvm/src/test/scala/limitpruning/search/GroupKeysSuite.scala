package limitpruning.search

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.parquet.ReadSettings
import limitpruning.select.{ListedFile, MatchingRows, RowRange}
import limitpruning.testing.{RawChunk, RawFooter}

class GroupKeysSuite extends AnyFunSuite {
  private val a = AttributeReference("a", IntegerType)()
  private val d = AttributeReference("d", DoubleType)()
  private val day = AttributeReference("day", IntegerType)()
  private val partitions = new StructType().add("day", IntegerType)
  private val settings = ReadSettings(caseSensitive = false, byFieldId = false, rebaseMode = "CORRECTED")

  /** What the keys of the one row group of a file are known to be. */
  private final class Known(keys: Expression*)(
      a: RawChunk,
      d: RawChunk = RawChunk.silent,
      dayValue: Any = 7
  ) {
    private val output = Seq(GroupKeysSuite.this.a, GroupKeysSuite.this.d, day)
    private val classify = new ClassifyRowGroups(Nil, output, partitions, settings, keys)
    val keysOf = new GroupKeys(keys, classify)
    private val listed = ListedFile.alone(InternalRow(dayValue), new FileStatus())
    val file: ClassifiedFile =
      classify(listed, RawFooter("optional int32 a; optional double d;").rowGroup(10, a, d).footer)
    val before: KeyTuples.Ends = keysOf.ends(listed)
    def ends: KeyTuples.Ends = keysOf.ends(file, 0)
    private val all = MatchingRows(0, RowRange.all(10), isWhole = true, reliesOnPages = false)
    lazy val (certain, rows) = keysOf.certain(file, all).get

    /** What is certain if some rows of the file are deleted. */
    def without(deletedRows: Long): Option[(KeyTuples.Ends, MatchingRows)] = {
      val facts = FileFacts.NothingDeleted.copy(deletedRows = Some(deletedRows))
      keysOf.certain(
        new ClassifyRowGroups(Nil, output, partitions, settings, keys, _ => facts)(listed, file.footer),
        all
      )
    }
    def areEqual: Boolean = ends.areEqual(keysOf.orders.head)
  }

  private def known(chunk: RawChunk): Known = new Known(a)(chunk)

  test("the keys are between min and max, and one row is enough if none is null") {
    val found = known(RawChunk.between(1, 4).nulls(0))
    assert((found.certain.from, found.certain.to) == ((IndexedSeq(1), IndexedSeq(4))))
    assert(found.rows.rows == 1 && found.rows.isWhole && !found.areEqual)
    assert(known(RawChunk.between(3, 3).nulls(0)).areEqual)
  }

  test("line 59: a row may be null unless nulls are excluded, and null is one key") {
    assert(known(RawChunk.between(3, 3)).certain.from == IndexedSeq(null), "no null count")
    assert(known(RawChunk.between(3, 3)).rows.rows == 1)
    val nulls = known(RawChunk.silent.nulls(10))
    assert(nulls.areEqual && nulls.certain.from == IndexedSeq(null))
    assert(new Known(day)(RawChunk.silent, dayValue = null).areEqual)
  }

  test("line 59: all rows are read if it is not known which of them are not null") {
    val some = known(RawChunk.between(3, 5).nulls(9))
    assert((some.certain.from, some.certain.to) == ((IndexedSeq(3), IndexedSeq(5))))
    assert(some.rows.rows == 10)
    assert(some.ends.from == IndexedSeq(null) && !some.areEqual)
  }

  test("line 59: if nulls of several keys are as many as the rows, a null may be in every row") {
    def both(first: Int, second: Int) =
      new Known(a, d)(RawChunk.between(3, 5).nulls(first), RawChunk.between(1.0, 2.0).nulls(second))
    assert(both(4, 5).certain.from == IndexedSeq(3, 1.0) && both(4, 5).rows.rows == 10)
    assert(both(4, 6).certain.from == IndexedSeq(null, null) && both(4, 6).rows.rows == 1)
  }

  test("line 59: nulls of only some of the rows that match are not known") {
    val some = new Known(a)(RawChunk.between(3, 5).nulls(9))
    val (ends, rows) =
      some.keysOf.certain(
        some.file,
        MatchingRows(0, Seq(RowRange(2, 9)), isWhole = false, reliesOnPages = false)
      ).get
    assert(ends.from == IndexedSeq(null) && rows.ranges == Seq(RowRange(2, 3)))
  }

  test("line 59: more rows are read than are deleted, and it is not known which of them are left") {
    def rows(deleted: Long) = known(RawChunk.between(3, 5).nulls(0)).without(deleted).map(_._2.rows)
    assert(Seq(0L, 1L, 9L, 10L).map(rows) == Seq(Some(1L), Some(10L), Some(10L), None))
    val nulls = known(RawChunk.between(3, 5).nulls(8)).without(1).get
    assert(nulls._1.from == IndexedSeq(null), "rows without null may be deleted")
  }

  test("line 61: statistics of floats leave room for NaN") {
    val found = new Known(d)(RawChunk.silent, RawChunk.between(2.0, 2.0).nulls(0))
    assert(!found.areEqual && found.certain.to.head.asInstanceOf[Double].isNaN)
    assert(found.keysOf.obstacle(found.file, 0).map(_.sentence).exists(_.contains("NaN")))
  }

  test("line 61: NaN is one key, and so are both zeros") {
    val order = new Known(d)(RawChunk.silent).keysOf.orders.head
    assert(order.equiv(IndexedSeq(0.0), IndexedSeq(-0.0)))
    assert(order.equiv(IndexedSeq(Double.NaN), IndexedSeq(java.lang.Double.longBitsToDouble(-1L))))
    assert(order.equiv(IndexedSeq(null), IndexedSeq(null)) && order.lt(IndexedSeq(null), IndexedSeq(-1.0)))
  }

  test("any key is possible without statistics, and for types without an order") {
    val found = known(RawChunk.silent)
    assert(!found.areEqual && found.keysOf.orders.head.lt(IndexedSeq(Int.MaxValue), found.ends.to))
    assert(found.keysOf.obstacle(found.file, 0).nonEmpty)
    val struct = new Known(CreateStruct(Seq(a)))(RawChunk.between(1, 1).nulls(0))
    assert(!struct.areEqual)
    val collated = new Known(Cast(day, StringType("UTF8_LCASE")))(RawChunk.silent)
    assert(!collated.before.areEqual(collated.keysOf.orders.head))
  }

  test("before the footer is read, only partition values are known") {
    assert(known(RawChunk.between(1, 1).nulls(0)).before.from == IndexedSeq(null))
    val found = new Known(day, Add(day, Literal(1)))(RawChunk.silent)
    assert(found.before == KeyTuples.Ends(IndexedSeq(7, 8), IndexedSeq(7, 8)))
  }

  test("tuples between the ends, key by key, are between them in each order") {
    val found = new Known(a, day)(RawChunk.between(1, 5).nulls(0))
    for (order <- found.keysOf.orders; a <- 1 to 5)
      assert(order.lteq(found.ends.from, IndexedSeq(a, 7)) && order.lteq(IndexedSeq(a, 7), found.ends.to))
    assert(found.keysOf.orders.last.lt(found.ends.to, IndexedSeq(0, 8)), "the second key first")
  }

  test("of many keys, some are compared, and the others may have any value") {
    val constant = (0 until 2000).map(i => Alias(Add(a, Literal(i)), s"k$i")().child)
    assert(KeyTuples.compared(constant) == constant.take(32) &&
      KeyTuples.compared(constant.take(9)).size == 9)
    val structs = Seq.fill(40)(CreateStruct(Seq(a)))
    assert(KeyTuples.compared(structs ++ Seq(a, d)) == Seq(a, d), "those that have an order")
    val one = new Known(a +: constant: _*)(RawChunk.between(3, 3).nulls(0))
    assert(!one.areEqual && one.rows.rows == 1 && one.ends.from.head == 3 && one.ends.from.size == 33)
    val other = new Known(a +: constant: _*)(RawChunk.between(4, 9).nulls(0))
    for (order <- one.keysOf.orders) {
      assert(order.lt(one.ends.to, other.ends.from) && order.lt(one.ends.from, one.ends.to))
      assert(order.equiv(one.ends.from, one.ends.from) && order.equiv(one.ends.to, one.ends.to))
    }
  }

  test("a row without nulls in the compared keys is certain, whatever the other keys are") {
    val many = a +: Seq.fill(40)(d)
    val found = new Known(many: _*)(RawChunk.between(3, 5).nulls(9), RawChunk.between(1.0, 2.0).nulls(0))
    assert(found.rows.rows == 10 && found.certain.from.head == 3 && found.certain.from.last == null)
    assert(found.keysOf.sql.endsWith("… 21 more"))
  }
}
