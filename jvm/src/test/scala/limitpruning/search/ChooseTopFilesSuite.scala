package limitpruning.search

import org.apache.spark.sql.catalyst.expressions.{
  Add, Ascending, AttributeReference, Descending, Expression, GreaterThan, IsNotNull, Literal, NullsLast,
  SortOrder
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.{DoubleType, IntegerType}
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.{ColumnFacts, LeafColumn, Nulls, Values}
import limitpruning.select.Reason

class ChooseTopFilesSuite extends AnyFunSuite {
  private val a = AttributeReference("a", IntegerType)()
  private val b = AttributeReference("b", IntegerType)()
  private val d = AttributeReference("d", DoubleType)()
  private val above5 = Seq(GreaterThan(b, Literal(5)))

  /** A file of ten rows; facts about `a` and `d` are the same. */
  private case class Sample(
      known: ColumnFacts,
      nulls: Option[Long] = None,
      deleted: Option[Long] = Some(0),
      b: (Int, Int) = (6, 9)
  )

  private def between(min: Any, max: Any, nulls: Nulls = Nulls.No): ColumnFacts =
    ColumnFacts(Values.Range(min, max), nulls)

  private def of(ranges: (Int, Int)*): Seq[Sample] = ranges.map { case (min, max) =>
    Sample(between(min, max))
  }

  private class Table(samples: Seq[Sample]) extends ManifestTable {
    var read = 0
    override def name: String = "t"
    override def read(plan: LogicalPlan, chosen: ChosenFiles): LogicalPlan = plan
    override def mayHaveFacts(column: LeafColumn): Boolean = column.attribute.name != "u"

    override val files: IndexedSeq[ManifestFile] = samples.zipWithIndex.map { case (sample, i) =>
      ManifestFile(s"f$i", 10, 100, sample.deleted, i)
    }.toIndexedSeq

    override def facts(columns: IndexedSeq[LeafColumn]): ManifestFile => IndexedSeq[ManifestFacts] = { file =>
      read += 1
      val sample = samples(file.position)
      columns.map { column =>
        if (column.attribute.name == "b") ManifestFacts(between(sample.b._1, sample.b._2), Some(0))
        else ManifestFacts(sample.known, sample.nulls)
      }
    }
  }

  private def search(
      table: ManifestTable,
      limit: Int,
      key: SortOrder,
      conjuncts: Seq[Expression] = Nil,
      files: Int = Int.MaxValue
  ): Either[Reason, ChosenFiles] = new ChooseTopFiles(
    limit,
    conjuncts,
    key,
    table,
    (unknown, _) => Option.when(unknown > files)(Reason.OutOfBudget("f", "0", _, limit))
  )()

  private def choose(
      samples: Seq[Sample],
      limit: Int,
      key: SortOrder = SortOrder(a, Ascending),
      conjuncts: Seq[Expression] = Nil
  ): Either[String, Seq[Int]] =
    search(new Table(samples), limit, key, conjuncts).map(_.files.map(_.position)).left.map(_.code)

  private val Nothing = Left("key-not-clustered-in-files")
  private val descending = SortOrder(a, Descending)

  test("files behind the threshold are skipped, in both directions") {
    val table = of((0, 9), (10, 19), (20, 29), (5, 14))
    assert(choose(table, 10) == Right(Seq(0, 3)))
    assert(choose(table, 11) == Right(Seq(0, 1, 3)))
    assert(choose(table, 21) == Right(Seq(0, 1, 3)))
    assert(choose(table, 31) == Nothing)
    assert(choose(table, 10, descending) == Right(Seq(2)))
    assert(choose(table, 11, descending) == Right(Seq(1, 2, 3)))
  }

  test("line 61: a file that begins at the threshold is read, because further keys decide between ties") {
    assert(choose(of((0, 9), (9, 19), (10, 29)), 10) == Right(Seq(0, 1)))
    assert(choose(of((0, 9), (9, 19), (5, 8)), 10, descending) == Right(Seq(1, 0).sorted))
    assert(choose(of((7, 7), (7, 7), (7, 7)), 10) == Nothing)
  }

  test("line 59: without known nulls, a file is certain only to be at null") {
    val perhapsNull = Sample(between(0, 9, Nulls.Unknown))
    val others = of((10, 19), (20, 29))
    assert(choose(perhapsNull +: others, 10) == Right(Seq(0)), "nulls are before values")
    assert(choose(others :+ Sample(between(30, 39, Nulls.Unknown)), 10) == Right(Seq(0, 2)))
    val last = SortOrder(a, Ascending, NullsLast, Nil)
    assert(choose(perhapsNull +: others, 10, last) == Right(Seq(0, 1)), "its 10 rows may be null")
    assert(choose(perhapsNull.copy(nulls = Some(4)) +: others, 6, last) == Right(Seq(0)))
    assert(choose(perhapsNull.copy(nulls = Some(4)) +: others, 7, last) == Right(Seq(0, 1)))
    assert(choose(Seq(perhapsNull, perhapsNull) ++ others, 21, last) == Nothing)
  }

  test("rows that are null count, if nulls are first") {
    val allNull = Sample(ColumnFacts.AllNull, Some(10))
    assert(choose(allNull +: of((0, 9), (10, 19)), 10) == Right(Seq(0)))
    assert(choose(allNull +: of((0, 9), (10, 19)), 11) == Right(Seq(0, 1)))
    assert(choose(allNull +: of((0, 9), (10, 19)), 10, descending) == Right(Seq(2)))
    val some = Sample(between(0, 9, Nulls.Unknown), Some(3))
    assert(choose(some +: of((0, 9), (10, 19)), 3) == Right(Seq(0)))
    assert(choose(some +: of((0, 9), (10, 19)), 4) == Right(Seq(0, 1)))
  }

  test("a predicate that excludes nulls of the key, and only of the key") {
    val table = Sample(between(20, 29, Nulls.Unknown)) +: of((0, 9), (30, 39))
    assert(choose(table, 10, conjuncts = Seq(IsNotNull(a))) == Right(Seq(1)))
    assert(choose(table, 10, conjuncts = Seq(IsNotNull(b))) == Right(Seq(0, 1)))
  }

  test("line 60: NaN is the greatest value, and a file with it reaches to the end") {
    val nan = Sample(between(0.0, Double.NaN))
    val table = Seq(nan, Sample(between(10.0, 19.0)), Sample(between(20.0, 29.0)))
    assert(choose(table, 10, SortOrder(d, Ascending)) == Right(Seq(0, 1)))
    assert(choose(table, 10, SortOrder(d, Descending)) == Right(Seq(0, 2)))
    val zeros = Seq(Sample(between(-1.0, -0.0)), Sample(between(0.0, 1.0)), Sample(between(2.0, 3.0)))
    assert(choose(zeros, 10, SortOrder(d, Ascending)) == Right(Seq(0, 1)), "-0.0 is equal to 0.0")
  }

  test("line 62: rows of files that match partially do not count, and are read unless they are behind") {
    val table = Sample(between(0, 9), b = (0, 9)) +: of((10, 19), (20, 29)) :+
      Sample(between(20, 29), b = (0, 9)) :+ Sample(between(0, 9), b = (0, 5))
    assert(choose(table, 10, conjuncts = above5) == Right(Seq(0, 1)), "no row of the last file matches")
    assert(choose(table, 11, conjuncts = above5) == Right(Seq(0, 1, 2, 3)))
    assert(choose(table, 21, conjuncts = above5) == Left("key-not-clustered-in-files"))
  }

  test("line 63: deleted rows do not count, and files with unknown deletes are read unless they are behind") {
    val table = Sample(between(0, 9), deleted = None) +: of((10, 19), (20, 29)) :+
      Sample(between(20, 29), deleted = None)
    assert(choose(table, 10) == Right(Seq(0, 1)))
    assert(choose(table, 11) == Nothing)
    val known = Sample(between(0, 9, Nulls.Unknown), Some(3), deleted = Some(4)) +: of((0, 19), (20, 29))
    assert(choose(known, 1) == Right(Seq(0, 1)), "the 3 rows that are null may be deleted")
    val last = SortOrder(a, Ascending, NullsLast, Nil)
    assert(choose(known, 3, last) == Right(Seq(0, 1)))
    assert(choose(Sample(between(0, 9), deleted = Some(4)) +: of((10, 19)), 6) == Right(Seq(0)))
    assert(choose(Sample(between(0, 9), deleted = Some(4)) +: of((10, 19)), 7) == Nothing)
    assert(choose(Sample(between(0, 9), deleted = Some(40)) +: of((10, 19), (20, 29)), 1) == Right(Seq(0, 1)))
  }

  test("a file about whose key nothing is known is read, and does not count") {
    val unknown = Sample(ColumnFacts.Unknown)
    assert(choose(unknown +: of((10, 19), (20, 29)), 10) == Right(Seq(0, 1)))
    val table = new Table(unknown +: of((0, 19)))
    val Left(reason) = search(table, 10, SortOrder(a, Ascending)): @unchecked
    assert(reason.message ==
      "the metrics of 2 files show no file that ORDER BY a ASC NULLS FIRST could skip: " +
      "no usable statistics for column a in 1 of 2 files")
  }

  test("a key that is not a column, and too few rows, are found before any manifest is read") {
    val table = new Table(of((0, 9), (10, 19)))
    assert(search(table, 5, SortOrder(Add(a, b), Ascending)) == Left(Reason.KeyNotColumn("(a + b)")))
    assert(search(table, 21, SortOrder(a, Ascending)).left.exists(_.message.endsWith(
      "could skip: 0 of the 21 rows that the LIMIT needs certainly match"
    )))
    val u = AttributeReference("u", IntegerType)()
    val onU = Seq(GreaterThan(u, Literal(5)))
    for (found <- Seq(search(table, 5, SortOrder(u, Ascending)), search(table, 5, descending, onU)))
      assert(found.left.exists(_.message.endsWith("could skip: no usable statistics for column u")))
    assert(table.read == 0)
    assert(search(new Table(Nil), 5, SortOrder(a, Ascending)) == Left(Reason.NoFiles))
    assert(search(new Table(of((0, 1))), 5, SortOrder(a, Ascending)) == Left(Reason.NothingToSkip))
  }

  test("line 64: files that were not inspected are read") {
    val unknown = Sample(ColumnFacts.Unknown)
    val table = new Table(of((0, 9), (20, 29)) ++ Seq(unknown, unknown) ++ of((20, 29)))
    val found = search(table, 10, SortOrder(a, Ascending), files = 1)
    assert(found.map(_.files.map(_.position)) == Right(Seq(0, 2, 3, 4)))
    assert(found.map(_.counts.filesInspected) == Right(4))
    val none = new Table(Seq(unknown, unknown) ++ of((0, 9), (20, 29)))
    assert(search(none, 10, SortOrder(a, Ascending), files = 1) == Left(Reason.OutOfBudget("f", "0", 0, 10)))
    assert(none.read == 2)
  }

  test("the report names the key, the threshold and the rows that reach it") {
    val Right(found) = search(new Table(of((0, 9), (10, 19), (20, 29))), 15, descending): @unchecked
    assert(found.order.contains(ChosenOrder("a DESC NULLS LAST", "10", 20)))
    assert(found.rows == 20)
  }
}
