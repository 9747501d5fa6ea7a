package limitpruning.search

import scala.concurrent.duration.DurationInt

import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference, AttributeSet, Expression, GreaterThan, Literal
}
import org.apache.spark.sql.types.IntegerType
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.{ColumnFacts, Nulls}
import limitpruning.select.Reason

class ChooseGroupFilesSuite extends AnyFunSuite with ManifestsFixture {
  private def search(
      table: ManifestTable,
      limit: Int,
      conjuncts: Seq[Expression] = Nil,
      keys: Seq[Expression] = Seq(a),
      whole: Boolean = false,
      most: Int = Int.MaxValue
  ): Either[Reason, ChosenFiles] = {
    val choose = new ChooseGroupFiles(
      LimitedScan(limit, conjuncts, AttributeSet.empty, table),
      keys,
      (inVain, _) => Option.when(inVain > most)(Reason.OutOfBudget("f", "0", _, limit, "groups")),
      FooterBudget(2, 100, 1.minute.fromNow)
    )
    if (whole) choose.whole() else choose.distinct()
  }

  /** The files that are read, each with the row groups that are read, if not all are; or the code of the reason. */
  private def parts(found: Either[Reason, ChosenFiles]): Either[String, Seq[(Int, Seq[Int])]] =
    found.map(
      _.files.map(one => one.file.position -> one.rowGroups.toSeq.flatten.map(_.ordinal))
    ).left.map(_.code)

  private def distinct(samples: Seq[Sample], limit: Int, conjuncts: Seq[Expression] = Nil) =
    parts(search(new Table(samples), limit, conjuncts)).map(_.map(_._1))

  private def whole(samples: Seq[Sample], limit: Int, conjuncts: Seq[Expression] = Nil) =
    parts(search(new Table(samples, isPartitioned = true), limit, conjuncts, whole = true)).map(_.map(_._1))

  private val Nothing = Left("not-enough-groups")

  test("files whose keys do not overlap have a group each") {
    val table = of((0, 9), (5, 12), (10, 19), (19, 20), (20, 29))
    assert(distinct(table, 3) == Right(Seq(0, 2, 4)))
    assert(distinct(table, 4) == Nothing)
    assert(distinct(of((1, 1), (1, 1), (2, 2)), 2) == Right(Seq(0, 2)))
  }

  test("files that have all groups, and no others, are enough") {
    val table = of((1, 1), (2, 2), (1, 1), (2, 2))
    assert(distinct(table, 9) == Right(Seq(0, 1)))
    val found = search(new Table(table), 9).toOption.get
    assert(found.groups.map(one => (one.keys, one.certain, one.areAll)).contains(("a", 2, true)))
    assert(distinct(table ++ of((1, 2)), 9) == Nothing)
    assert(distinct(table ++ of((3, 3)).map(_.copy(b = (0, 9))), 9, above5) == Nothing)
    assert(distinct(table ++ of((3, 3)).map(_.copy(b = (0, 5))), 9, above5) == Right(Seq(0, 1)))
    // Whether a file has a live row does not matter for keys that other files have.
    assert(distinct(table ++ of((2, 2)).map(_.copy(deleted = None)), 9) == Right(Seq(0, 1)))
    assert(distinct(table ++ of((3, 3)).map(_.copy(deleted = None)), 9) == Nothing)
  }

  test("of each group, the fewest bytes are read, without deleted rows if there is a choice") {
    val table = of((1, 1), (1, 1), (2, 2), (2, 2), (3, 3))
    val sized = table.zip(Seq(100, 50, 10, 60, 70)).map { case (one, bytes) =>
      one.copy(bytes = bytes.toLong)
    }
    assert(distinct(sized, 2) == Right(Seq(1, 2)))
    val deleted = sized.updated(2, sized(2).copy(deleted = Some(1)))
    assert(distinct(deleted, 3) == Right(Seq(1, 3, 4)))
  }

  test("line 113: a file counts only if a live row of it matches") {
    val table = of((1, 1), (2, 2), (3, 3), (4, 4))
    def with2(change: Sample => Sample) = table.updated(1, change(table(1)))
    assert(distinct(with2(_.copy(deleted = Some(10))), 4) == Nothing)
    assert(distinct(with2(_.copy(deleted = None)), 4) == Nothing)
    assert(distinct(with2(_.copy(b = (5, 9))), 4, above5) == Nothing)
    assert(distinct(with2(_.copy(deleted = Some(9))), 4) == Left("nothing-to-skip"))
    assert(distinct(with2(_.copy(deleted = Some(9))) ++ of((4, 4)), 4) == Right(Seq(0, 1, 2, 3)))
  }

  test("line 113: nulls are one group, unless fewer live rows are null than there are") {
    def perhaps(range: (Int, Int), nulls: Option[Long], deleted: Long = 0) =
      Sample(between(range._1, range._2, Nulls.Unknown), nulls, Some(deleted))
    val others = of((1, 9), (1, 9))
    assert(distinct(others :+ perhaps((20, 29), None), 2) == Nothing)
    assert(distinct(others :+ perhaps((20, 29), Some(9)), 2) == Right(Seq(0, 2)))
    assert(distinct(others :+ perhaps((20, 29), Some(10)), 2) == Nothing)
    assert(distinct(others :+ perhaps((20, 29), Some(5), deleted = 4), 2) == Right(Seq(0, 2)))
    assert(distinct(others :+ perhaps((20, 29), Some(5), deleted = 5), 2) == Nothing)
    assert(distinct(others :+ Sample(ColumnFacts.AllNull), 2) == Right(Seq(0, 2)))
  }

  test("floats: the greatest value may be NaN, and both zeros are one group") {
    def doubles(ranges: (Double, Double)*) = ranges.map { case (min, max) => Sample(between(min, max)) }
    def found(samples: Seq[Sample], limit: Int) =
      parts(search(new Table(samples), limit, keys = Seq(d))).map(_.map(_._1))
    assert(found(doubles((1.0, Double.NaN), (2.0, Double.NaN), (0.5, 0.5)), 2) == Right(Seq(0, 2)))
    assert(found(doubles((1.0, Double.NaN), (2.0, Double.NaN), (0.5, 0.5)), 3) == Nothing)
    assert(found(doubles((-0.0, -0.0), (0.0, 0.0), (0.0, 1.0)), 2) == Nothing)
  }

  test("row groups of which no two overlap have a group each, if files have too few") {
    val file = Sample(between(0, 99)).in(of((0, 9), (10, 19), (0, 99), (20, 29)): _*)
    val table = new Table(Seq(file, file))
    assert(parts(search(table, 3)) == Right(Seq(0 -> Seq(0, 1, 3))))
    assert(parts(search(new Table(Seq(file, file)), 4)) == Nothing)
    // All deleted rows may be in one row group.
    val deleted = file.copy(deleted = Some(2))
    assert(parts(search(new Table(Seq(deleted, deleted)), 3)) == Nothing)
  }

  test("of a file with a group, one row group is read if it has a live row of the group") {
    val file = Sample(between(0, 9)).in(of((0, 4), (5, 9)): _*)
    val other = Sample(between(20, 29)).in(of((20, 24), (25, 29)): _*)
    assert(parts(search(new Table(Seq(file, other)), 2)) == Right(Seq(0 -> Seq(0), 1 -> Seq(0))))
    val withNulls = Sample(between(20, 29, Nulls.Unknown), Some(5))
      .in(Sample(ColumnFacts.AllNull), Sample(between(20, 29)))
    assert(parts(search(new Table(Seq(file, withNulls)), 2)) == Right(Seq(0 -> Seq(0), 1 -> Seq(1))))
    val deleted = file.copy(deleted = Some(5))
    assert(parts(search(new Table(Seq(deleted, other)), 2)) == Right(Seq(0 -> Nil, 1 -> Seq(0))))
    val three = Seq(file, other, Sample(between(40, 49)).in(of((40, 44), (45, 49)): _*))
    val many = new Table(three ++ of((50, 50)))
    assert(parts(search(many, 3)) == Right(Seq(0 -> Nil, 1 -> Nil, 2 -> Nil)), "a footer for each")
    assert(many.opened.isEmpty)
  }

  test("line 113: all files that may have rows of a group are read") {
    val table = of((1, 1), (2, 2), (1, 1), (3, 3))
    assert(whole(table, 1) == Right(Seq(1)))
    assert(whole(table, 2) == Right(Seq(1, 3)))
    assert(whole(table, 3) == Left("nothing-to-skip"))
    assert(whole(table ++ of((1, 3)), 1) == Left("groups-not-complete"))
    assert(whole(table.map(_.copy(bytes = 10)).updated(1, table(1)), 2) == Right(Seq(0, 2, 3)))
  }

  test(
    "line 113: of whole groups, one is certain only if a live row matches, and may have rows in other files"
  ) {
    val table = of((1, 1), (1, 1), (2, 2), (3, 3))
    def with1(change: Sample => Sample) = table.updated(0, change(table(0)))
    assert(whole(with1(_.copy(deleted = None)), 2) == Right(Seq(2, 3)))
    val only = with1(_.copy(b = (0, 9))).patch(3, Nil, 1)
    assert(whole(only, 1, above5) == Right(Seq(2)))
    assert(whole(only.updated(2, only(2).copy(b = (5, 9))), 1, above5) == Right(Seq(0, 1)))
    assert(whole(with1(_.copy(b = (0, 5))).map(_.copy(bytes = 9)), 1, above5) == Right(Seq(1)))
    assert(whole(table.map(_.copy(b = (5, 9))), 1, above5) == Nothing)
  }

  test("one file of each tuple is inspected first if partition values decide the keys") {
    val samples = of((0 until 64).map(i => (i / 16, i / 16)): _*)
    val table = new Table(samples, isPartitioned = true)
    assert(parts(search(table, 4, above5)).map(_.size) == Right(4))
    assert(table.withPredicate == 4)
    val unpartitioned = new Table(samples)
    assert(parts(search(unpartitioned, 4, above5)).map(_.size) == Right(4))
    assert(unpartitioned.withPredicate == 64)
  }

  test("the predicate is not looked at if there are too few groups, or if they are not known") {
    val samples = of((0 until 64).map(i => (i / 16, i / 16)): _*)
    val few = new Table(samples, isPartitioned = true)
    assert(parts(search(few, 4, above5, whole = true)) == Left("nothing-to-skip"))
    val unknown = new Table(samples ++ of((0, 4)), isPartitioned = true)
    assert(parts(search(unknown, 1, above5, whole = true)) == Left("groups-not-complete"))
    assert(few.withPredicate + unknown.withPredicate == 0)
    val wide = new Table(of((1, 1), (2, 5), (6, 6), (7, 7), (8, 8)))
    assert(parts(search(wide, 6, above5)) == Nothing)
    assert(wide.withPredicate == 2, "each row group has at most one group")
  }

  test("no footers are read in vain") {
    val file = Sample(between(0, 99)).in(of((0, 99), (0, 99)): _*)
    val others = of((1, 1), (200, 200), (300, 300))
    val overlapping = new Table(Seq.fill(40)(file) ++ others)
    assert(parts(search(overlapping, 4)) == Nothing)
    assert(overlapping.opened.map(_.size) == Seq(2), "one wave")
    val few = new Table(of((1, 1), (1, 1), (2, 2)).map(_.in(of((1, 1), (1, 1)): _*)) ++
      of((1, 9)).map(_.copy(b = (0, 9)).in(of((1, 9), (1, 9)): _*)))
    assert(parts(search(few, 5, above5)) == Nothing)
    assert(few.opened.isEmpty, "two tuples, and two row groups")
  }

  test("the search ends after many files that show no group") {
    val samples = of((0 until 64).map(_ => (1, 9)): _*).map(_.copy(b = (0, 9))) ++ of((20, 20), (30, 30))
    val table = new Table(samples)
    assert(search(table, 2, above5, most = 10).left.map(_.code) == Left("out-of-budget"))
    assert(table.inspected.size == 11)
    assert(parts(search(new Table(samples), 2, above5)) == Right(Seq(64 -> Nil, 65 -> Nil)))
    assert(search(new Table(samples), 2, above5, whole = true).left.map(_.code) ==
      Left("groups-not-complete"))
  }

  test("the search ends if many files overlap, and goes on while all keys are known or files do not count") {
    val overlapping = new Table(of((0 until 4000).map(i => (i % 7, i + 100)): _*))
    assert(parts(search(overlapping, 4)) == Nothing)
    assert(overlapping.inspected.size == 1024)
    val few = new Table(of((0 until 4000).map(i => (i % 3, i % 3)): _*))
    assert(parts(search(few, 4)).map(_.size) == Right(3))
    assert(few.inspected.size == 4000)
    val late = of((0 until 1000).map(_ => (1, 9)): _*).map(_.copy(b = (0, 9))) ++ of((20, 20), (30, 30))
    assert(parts(search(new Table(late), 2, above5)) == Right(Seq(1000 -> Nil, 1001 -> Nil)))
  }

  test("nothing is inspected if nothing can be known") {
    val u = AttributeReference("u", IntegerType)()
    val table = new Table(of((1, 1), (2, 2)))
    assert(search(table, 1, keys = Seq(u)).left.map(_.code) == Nothing)
    assert(search(table, 1, Seq(GreaterThan(u, Literal(1)))).left.map(_.code) == Nothing)
    assert(search(new Table(Nil), 1).left.map(_.code) == Left("no-files"))
    assert(search(new Table(of((1, 1))), 1).left.map(_.code) == Left("nothing-to-skip"))
    assert(table.inspected.isEmpty)
  }

  test("several keys are compared together") {
    val table = new Table(of((1, 1), (2, 2), (1, 1)))
    assert(parts(search(table, 2, keys = Seq(b, a))).map(_.map(_._1)) == Right(Seq(0, 1)))
    assert(parts(search(table, 2, keys = Seq(b))) == Nothing)
  }
}
