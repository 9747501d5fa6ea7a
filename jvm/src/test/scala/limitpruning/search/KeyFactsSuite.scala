package limitpruning.search

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.parquet.ReadSettings
import limitpruning.select.ListedFile
import limitpruning.testing.{RawChunk, RawFooter}

class KeyFactsSuite extends AnyFunSuite {
  private val a = AttributeReference("a", IntegerType)()
  private val day = AttributeReference("day", IntegerType)()
  private val partitions = new StructType().add("day", IntegerType)
  private val settings = ReadSettings(
    caseSensitive = false,
    byFieldId = false,
    rebaseMode = "CORRECTED",
    trustedWritersOnly = true
  )

  private val raw = RawFooter("optional int32 a;")
    .rowGroup(10, RawChunk.between(1, 4).nulls(0))
    .rowGroup(10, RawChunk.between(5, 9).nulls(3))
    .rowGroup(10, RawChunk.between(5, 9))
    .rowGroup(10, RawChunk.silent.nulls(10))
    .rowGroup(10, RawChunk.silent)

  /** The facts about each row group, and about the file before its footer is read. */
  private final class Known(
      key: SortOrder,
      conjuncts: Seq[Expression] = Nil,
      writer: String = raw.createdBy
  ) {
    private val classify =
      new ClassifyRowGroups(conjuncts, Seq(a, day), partitions, settings, alsoNeeded = Seq(key.child))
    private val facts = new KeyFacts(key, conjuncts, classify)
    private val listed = ListedFile.alone(InternalRow(7), new FileStatus())
    private val file = classify(listed, raw.copy(createdBy = writer).footer)
    val best: Seq[Option[Any]] = file.rowGroups.indices.map(facts.best(file, _))
    val certain: Seq[Seq[(Any, Long)]] = file.rowGroups.indices.map(facts.certain(file, _))
    val bestOfFile: Option[Any] = facts.best(listed)
    val obstacles: Seq[Option[String]] = file.rowGroups.indices.map(facts.obstacle(file, _).map(_.sentence))
  }

  private def ascending(e: Expression): SortOrder = SortOrder(e, Ascending)
  private def descending(e: Expression): SortOrder = SortOrder(e, Descending)

  test("line 1: with nulls last, only rows that are proved not null are certain to reach a value") {
    val known = new Known(descending(a))
    assert(known.best == Seq(Some(4), Some(9), Some(9), Some(null), None))
    assert(known.certain ==
      Seq(
        Seq((4, 1), (1, 9)),
        Seq((9, 1), (5, 6), (null, 3)),
        Seq((9, 1), (null, 9)),
        Seq((null, 10)),
        Seq((null, 10))
      ))
  }

  test("line 106: one row has the min, and one the max, if the writer is listed for that") {
    for (key <- Seq(ascending(a), descending(a))) {
      val known = new Known(key, writer = "polars version 2.1.0")
      assert(known.certain.head == Seq((if (key.direction == Ascending) 4 else 1, 10)))
    }
    assert(new Known(descending(Abs(a))).certain.head == Seq((1, 10)), "not the max of an expression")
  }

  test("with nulls first, null is the best key value, and possible unless it is excluded") {
    val known = new Known(ascending(a))
    assert(known.best == Seq(Some(1), Some(null), Some(null), Some(null), Some(null)))
    assert(known.certain ==
      Seq(
        Seq((1, 1), (4, 9)),
        Seq((5, 1), (9, 6), (null, 3)),
        Seq((5, 1), (9, 9)),
        Seq((null, 10)),
        Nil
      ))
  }

  test("null is not the best key value if the predicate excludes nulls") {
    val known = new Known(ascending(a), Seq(IsNotNull(a)))
    assert(known.best.take(3) == Seq(Some(1), Some(5), Some(5)) && known.best.last.isEmpty)
    assert(new Known(ascending(Add(a, Literal(1))), Seq(IsNotNull(a))).best(1).contains(6))
    assert(new Known(ascending(a), Seq(IsNotNull(day))).best(1).contains(null), "IsNotNull of another column")
  }

  test("a monotone function has the nulls of its operand; nulls of others cannot be counted") {
    val plus = new Known(descending(Add(a, Literal(1))))
    assert(plus.certain.take(2) == Seq(Seq((2, 10)), Seq((6, 7), (null, 3))))
    val other = new Known(descending(Coalesce(Seq(a, Literal(0)))))
    assert(other.certain(1) == Seq((0, 10)))
  }

  test("the directory has the value of a partition column, before any footer is read") {
    val known = new Known(descending(day))
    assert(known.bestOfFile.contains(7) && known.best.forall(_.contains(7)))
    assert(known.certain.nonEmpty && known.certain.forall(_ == Seq((7, 10))))
    assert(new Known(descending(a)).bestOfFile.isEmpty)
    assert(new Known(descending(Multiply(day, Literal(2)))).bestOfFile.contains(14))
  }

  test("line 51: files that are not trusted have no facts") {
    val known = new Known(descending(a), writer = "somebody version 1")
    assert(known.best.nonEmpty && known.best.forall(_.isEmpty))
    assert(known.certain.nonEmpty && known.certain.forall(_.isEmpty))
  }

  test("reports the obstacles") {
    val known = new Known(descending(a))
    assert(known.obstacles == Seq(None, None, None, None, Some("no usable statistics for column a")))
  }
}
