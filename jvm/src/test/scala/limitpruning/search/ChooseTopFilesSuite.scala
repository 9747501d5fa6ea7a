package limitpruning.search

import scala.concurrent.duration.{Deadline, DurationInt}

import org.apache.spark.sql.catalyst.expressions.{
  Add, Ascending, AttributeReference, AttributeSet, Descending, Expression, GreaterThan, IsNotNull, Literal,
  NullsLast, SortOrder
}
import org.apache.spark.sql.types.IntegerType
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.{ColumnFacts, Nulls}
import limitpruning.select.Reason

class ChooseTopFilesSuite extends AnyFunSuite with ManifestsFixture {
  private def search(
      table: ManifestTable,
      limit: Int,
      key: SortOrder,
      conjuncts: Seq[Expression] = Nil,
      files: Int = Int.MaxValue,
      footers: FooterBudget = FooterBudget(2, 100, 1.minute.fromNow)
  ): Either[Reason, ChosenFiles] = searchAll(table, limit, Seq(key), conjuncts, files, footers)

  private def searchAll(
      table: ManifestTable,
      limit: Int,
      keys: Seq[SortOrder],
      conjuncts: Seq[Expression] = Nil,
      files: Int = Int.MaxValue,
      footers: FooterBudget = FooterBudget(2, 100, 1.minute.fromNow),
      leastSkipped: Option[Double] = None
  ): Either[Reason, ChosenFiles] = new ChooseTopFiles(
    LimitedScan(limit, conjuncts, AttributeSet.empty, table),
    keys,
    (unknown, _) => Option.when(unknown > files)(Reason.OutOfBudget("f", "0", _, limit)),
    footers,
    leastSkipped
  )()

  /** The files that are read, each with the row groups that are read, if not all are. */
  private def parts(
      table: ManifestTable,
      limit: Int,
      key: SortOrder = SortOrder(a, Ascending),
      conjuncts: Seq[Expression] = Nil,
      footers: FooterBudget = FooterBudget(2, 100, 1.minute.fromNow)
  ): Either[String, Seq[(Int, Seq[Int])]] =
    search(table, limit, key, conjuncts, footers = footers).map(partsOf).left.map(_.code)

  private def partsOf(chosen: ChosenFiles): Seq[(Int, Seq[Int])] = chosen.files.map { one =>
    one.file.position -> one.rowGroups.toSeq.flatten.map(_.ordinal)
  }

  private def choose(
      samples: Seq[Sample],
      limit: Int,
      key: SortOrder = SortOrder(a, Ascending),
      conjuncts: Seq[Expression] = Nil
  ): Either[String, Seq[Int]] =
    search(new Table(samples), limit, key, conjuncts).map(_.files.map(_.file.position)).left.map(_.code)

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

  test("line 67: a file that begins at the threshold is read, because further keys decide between ties") {
    assert(choose(of((0, 9), (9, 19), (10, 29)), 10) == Right(Seq(0, 1)))
    assert(choose(of((0, 9), (9, 19), (5, 8)), 10, descending) == Right(Seq(1, 0).sorted))
    assert(choose(of((7, 7), (7, 7), (7, 7)), 10) == Nothing)
  }

  test("line 65: without known nulls, a file is certain only to be at null") {
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

  test("line 66: NaN is the greatest value, and a file with it reaches to the end") {
    val nan = Sample(between(0.0, Double.NaN))
    val table = Seq(nan, Sample(between(10.0, 19.0)), Sample(between(20.0, 29.0)))
    assert(choose(table, 10, SortOrder(d, Ascending)) == Right(Seq(0, 1)))
    assert(choose(table, 10, SortOrder(d, Descending)) == Right(Seq(0, 2)))
    val zeros = Seq(Sample(between(-1.0, -0.0)), Sample(between(0.0, 1.0)), Sample(between(2.0, 3.0)))
    assert(choose(zeros, 10, SortOrder(d, Ascending)) == Right(Seq(0, 1)), "-0.0 is equal to 0.0")
  }

  test("line 68: rows of files that match partially do not count, and are read unless they are behind") {
    val table = Sample(between(0, 9), b = (0, 9)) +: of((10, 19), (20, 29)) :+
      Sample(between(20, 29), b = (0, 9)) :+ Sample(between(0, 9), b = (0, 5))
    assert(choose(table, 10, conjuncts = above5) == Right(Seq(0, 1)), "no row of the last file matches")
    assert(choose(table, 11, conjuncts = above5) == Right(Seq(0, 1, 2, 3)))
    assert(choose(table, 21, conjuncts = above5) == Left("key-not-clustered-in-files"))
  }

  test("line 69: deleted rows do not count, and files with unknown deletes are read unless they are behind") {
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

  test("line 70: files that were not inspected are read") {
    val unknown = Sample(ColumnFacts.Unknown)
    val table = new Table(of((0, 9), (20, 29)) ++ Seq(unknown, unknown) ++ of((20, 29)))
    val found = search(table, 10, SortOrder(a, Ascending), files = 1)
    assert(found.map(_.files.map(_.file.position)) == Right(Seq(0, 2, 3, 4)))
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

  private def file(min: Int, max: Int, ranges: (Int, Int)*): Sample =
    Sample(between(min, max)).in(of(ranges: _*): _*)

  test("row groups behind the threshold are skipped, and more files, too") {
    val table = new Table(Seq(file(0, 99, (0, 9), (50, 99)), file(5, 60, (5, 49), (50, 60)), file(100, 199)))
    assert(parts(table, 5) == Right(Seq(0 -> Seq(0), 1 -> Seq(0))))
    assert(parts(table, 5, descending) == Right(Seq(2 -> Nil)), "its row groups cannot be read on their own")
    assert(parts(table, 6) == Right(Seq(0 -> Seq(0), 1 -> Seq(0))), "the threshold is 49")
    assert(parts(table, 11) == Right(Seq(0 -> Nil, 1 -> Nil)), "the threshold is 60")
    assert(
      parts(new Table(Seq(file(0, 99, (0, 9), (9, 99)))), 5) == Left("key-not-clustered-in-files"),
      "a tie"
    )
    assert(parts(new Table(Seq(file(0, 99, (0, 9), (10, 99)))), 5) == Right(Seq(0 -> Seq(0))), "one file")
    val third = new Table(Seq(file(0, 99, (0, 4), (50, 99)), file(5, 60, (6, 49), (50, 60))))
    assert(parts(third, 5) == Right(Seq(0 -> Seq(0))), "no row of the second file is before 4")
  }

  test("line 72: rows of a file whose row groups are known count once") {
    val table = new Table(Seq(file(0, 9, (0, 4), (5, 9)), file(10, 29, (10, 14), (15, 29)), file(30, 39)))
    assert(parts(table, 10) == Right(Seq(0 -> Nil)))
    assert(parts(table, 11) == Right(Seq(0 -> Nil, 1 -> Seq(0))))
    assert(parts(table, 16) == Right(Seq(0 -> Nil, 1 -> Nil)))
  }

  test("line 73: deleted rows may all be in each row group of a file") {
    val known = file(0, 99, (0, 9), (50, 99)).copy(deleted = Some(2))
    val behind = file(200, 299, (200, 209), (250, 299))
    assert(parts(new Table(Seq(known, behind)), 3) == Right(Seq(0 -> Seq(0))))
    assert(parts(new Table(Seq(known, behind)), 4) == Right(Seq(0 -> Nil)))
    assert(parts(new Table(Seq(known, behind)), 7) == Right(Seq(0 -> Nil)), "as many as the manifest proves")
    assert(parts(new Table(Seq(known, behind)), 9) == Right(Seq(0 -> Nil, 1 -> Seq(0))))
    val unknown = known.copy(deleted = None)
    assert(parts(new Table(Seq(unknown, behind)), 3) == Right(Seq(0 -> Nil, 1 -> Seq(0))))
  }

  test("row groups are compared with the predicate") {
    val some = Sample(between(0, 99), b = (0, 9)).in(
      Sample(between(0, 9), b = (0, 9)),
      Sample(between(0, 9), b = (0, 5)),
      Sample(between(10, 19), b = (6, 9)),
      Sample(between(20, 29), b = (6, 9)),
      Sample(between(20, 29), b = (0, 9))
    )
    assert(parts(new Table(Seq(some)), 2, conjuncts = above5) == Right(Seq(0 -> Seq(0, 2))))
    assert(parts(new Table(Seq(some)), 3, conjuncts = above5) == Right(Seq(0 -> Seq(0, 2, 3, 4))))
  }

  test("what the manifest says about a file is true of its row groups") {
    val known =
      Sample(between(0.0, 99.0)).in(Sample(between(0.0, Double.NaN)), Sample(between(50.0, Double.NaN)))
    val ascending = SortOrder(d, Ascending)
    assert(parts(new Table(Seq(known) ++ Seq(Sample(between(100.0, 199.0)))), 6, ascending) ==
      Right(Seq(0 -> Nil)))
    val nan = known.copy(known = between(0.0, Double.NaN))
    assert(parts(new Table(Seq(nan) ++ Seq(Sample(between(100.0, 199.0)))), 6, ascending) == Nothing)
  }

  test("files without a believed footer, and files beyond the budget, are read whole") {
    def files = (0 until 8).map(i => file(i, 100 + i, (i, i + 9), (50 + i, 100 + i)))
    assert(parts(new Table(files), 5) == Right((0 until 8).map(i => i -> Seq(0))))
    assert(parts(new Table(files, _ != 1), 5) ==
      Right((0 until 8).map(i => i -> (if (i == 1) Nil else Seq(0)))))
    val few = FooterBudget(2, 3, 1.minute.fromNow)
    val table = new Table(files)
    assert(parts(table, 5, footers = few) == Right((0 until 8).map(i => i -> (if (i < 3) Seq(0) else Nil))))
    assert(table.opened == Seq(Seq(0, 1), Seq(2)))
    for (none <- Seq(FooterBudget(2, 0, 1.minute.fromNow), FooterBudget(2, 9, Deadline.now - 1.minute)))
      assert(parts(new Table(files), 5, footers = none) == Left("key-not-clustered-in-files"))
    assert(parts(new Table(files, _ => false), 5) == Left("key-not-clustered-in-files"))
  }

  test("no more footers are read if most row groups of the last ones are read") {
    val table = new Table((0 until 8).map(i => file(i, 100, (i, 99), (i, 100), (50, 100))) :+ file(200, 300))
    assert(parts(table, 5).map(_.size) == Right(8))
    assert(table.opened == Seq(Seq(0, 1)))
  }

  /** What is read for both ends of a column. */
  private def ends(
      table: ManifestTable,
      conjuncts: Seq[Expression] = Nil
  ): Either[String, Seq[(Int, Seq[Int])]] =
    searchAll(table, 1, Seq(SortOrder(a, Ascending), descending), conjuncts).map(partsOf).left.map(_.code)

  test("line 83: what one of several orders needs is read") {
    assert(ends(new Table(of((0, 9), (10, 19), (20, 29)))) == Right(Seq(0 -> Nil, 2 -> Nil)))
    assert(ends(new Table(of((20, 29), (10, 19), (25, 29), (0, 9)))) == Right(Seq(0, 2, 3).map(_ -> Nil)))
    val table = new Table(Sample(between(0, 9), b = (0, 9)) +: of((10, 19), (20, 29), (30, 39)))
    assert(ends(table, above5) == Right(Seq(0 -> Nil, 1 -> Nil, 3 -> Nil)))
    assert(ends(new Table(of((0, 9), (20, 29)))) == Nothing, "all files")
    val Right(found) = searchAll(
      new Table(of((0, 9), (10, 19), (20, 29))),
      1,
      Seq(SortOrder(a, Ascending), descending)
    ): @unchecked
    assert(found.order.contains(ChosenOrder("a ASC NULLS FIRST, a DESC NULLS LAST", "9, 20", 10)))
  }

  test("several orders: the row groups that one of them needs are read") {
    val inFiles = Seq(file(0, 99, (0, 9), (50, 99)), file(5, 60, (5, 49), (50, 60)), file(100, 199))
    assert(ends(new Table(inFiles)) == Right(Seq(0 -> Seq(0), 1 -> Seq(0), 2 -> Nil)))
    val one = file(0, 99, (0, 9), (20, 29), (40, 49), (60, 69), (90, 99))
    assert(ends(new Table(Seq(one))) == Right(Seq(0 -> Seq(0, 4))))
    val Right(found) = searchAll(new Table(Seq(one)), 1, Seq(descending, SortOrder(a, Ascending))): @unchecked
    assert(
      Seq(found.counts.rowGroups, found.counts.matched, found.counts.fullyMatched) == Seq(5, 5, 5),
      "each counts once"
    )
    val both = new Table(Seq(file(0, 99, (0, 9), (90, 99)), file(40, 60, (40, 45), (50, 60))))
    assert(ends(both) == Right(Seq(0 -> Nil)), "both row groups of a file are the file")
  }

  test("several orders: nothing is chosen if one of them has no threshold") {
    val table = Sample(between(0, 9), Some(0)) +: of((10, 19), (20, 29))
    val onD = SortOrder(d, Ascending)
    val unknown = new Table(table.map(_.copy(known = ColumnFacts.Unknown)))
    assert(searchAll(unknown, 1, Seq(SortOrder(b, Ascending), onD)).left.map(_.code) == Nothing)
    assert(
      searchAll(new Table(table), 1, Seq(SortOrder(a, Ascending), SortOrder(b, Ascending)))
        .left.map(_.code) == Nothing,
      "all files have the same range of b"
    )
    val u = AttributeReference("u", IntegerType)()
    val noFacts = new Table(table)
    assert(searchAll(noFacts, 1, Seq(SortOrder(a, Ascending), SortOrder(u, Ascending))).isLeft)
    assert(searchAll(noFacts, 1, Seq(SortOrder(a, Ascending), SortOrder(Add(a, b), Ascending))).isLeft)
    assert(noFacts.read == 0)
  }

  private val both = Seq(SortOrder(a, Ascending), SortOrder(a, Descending))

  private def most(table: Table): Either[Reason, ChosenFiles] =
    searchAll(table, 1, both, leastSkipped = Some(0.75))

  test("a search ends soon if most of the table must be skipped, and it is not clustered") {
    val mixed = new Table(Seq.tabulate(5000)(i => (i % 7, 1000 + i % 5)).flatMap(of(_)))
    assert(most(mixed).isLeft)
    assert(mixed.read === 2048)
    assert(mixed.opened.isEmpty)
    val clustered = new Table(Seq.tabulate(5000)(i => (10 * i, 10 * i + 9)).flatMap(of(_)))
    assert(most(clustered).exists(_.files.size == 2))
    assert(clustered.read === 5000)
  }

  test("no footers are read in vain if most of the table must be skipped") {
    def file(parts: (Int, Int)*) =
      Sample(between(parts.map(_._1).min, parts.map(_._2).max)).in(of(parts: _*): _*)
    // Each file overlaps the others. The ends of all are in the first and the last of two row groups.
    val halves = new Table(Seq.tabulate(64)(i => file((i, 99), (100, 200 - i))))
    assert(most(halves).isLeft)
    assert(halves.opened === Seq(Seq(0, 1)))
    val quarters = new Table(Seq.tabulate(64)(i => file((i, 99), (100, 110), (111, 120), (121, 200 - i))))
    assert(quarters.files.size === 64)
    assert(searchAll(quarters, 1, both.take(1), leastSkipped = Some(0.75)).isRight)
    val tooMany = new Table(Seq.tabulate(200)(_ => file((0, 99), (100, 110), (111, 120), (121, 200))))
    assert(most(tooMany).isLeft)
    assert(tooMany.opened.isEmpty)
  }
}
