package limitpruning.search

import scala.concurrent.duration.{Deadline, DurationInt}

import org.apache.spark.sql.catalyst.expressions.{
  And, AttributeReference, AttributeSet, Expression, GreaterThan, IsNull, Literal, Or
}
import org.apache.spark.sql.types.IntegerType
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.{ColumnFacts, LeafColumn, Nulls, Values}
import limitpruning.select.Reason

class ChooseFilesSuite extends AnyFunSuite {
  private val a = AttributeReference("a", IntegerType)()
  private val above5 = Seq(GreaterThan(a, Literal(5)))

  /** A file with its rows, the range of `a`, the number of deleted rows and its row groups; or a row group. */
  private case class Sample(
      rows: Long,
      min: Int,
      max: Int,
      deleted: Option[Long] = Some(0),
      rowGroups: Seq[Sample] = Nil
  ) {
    def facts: ManifestFacts = ManifestFacts(ColumnFacts(Values.Range(min, max), Nulls.No), Some(0))
  }

  private class Table(samples: Sample*) extends ManifestTable {
    var read = 0
    var opened = Seq.empty[Seq[Int]]
    override def name: String = "t"
    override def columns: IndexedSeq[LeafColumn] = IndexedSeq.empty
    override def isPartition(column: LeafColumn): Boolean = false
    override def mayHaveFacts(column: LeafColumn): Boolean = column.attribute.name != "u"

    override val files: IndexedSeq[ManifestFile] = samples.zipWithIndex.map { case (sample, i) =>
      ManifestFile(s"f$i", sample.rows, 10, sample.deleted, i, sample.rowGroups.size.max(1))
    }.toIndexedSeq

    override def facts(
        columns: IndexedSeq[LeafColumn],
        deadline: Deadline
    ): ManifestFile => IndexedSeq[ManifestFacts] = { file =>
      read += 1
      columns.map(_ => samples(file.position).facts)
    }

    override def rowGroups(
        files: Seq[ManifestFile],
        columns: IndexedSeq[LeafColumn],
        deadline: Deadline
    ): Seq[Option[IndexedSeq[ManifestRowGroup]]] = {
      opened :+= files.map(_.position)
      files.map(file =>
        Some(samples(file.position).rowGroups.zipWithIndex.map { case (part, i) =>
          ManifestRowGroup(i, part.rows, 10, columns.map(_ => part.facts))
        }.toIndexedSeq)
      )
    }
  }

  private def choose(
      table: ManifestTable,
      limit: Int,
      conjuncts: Seq[Expression] = Nil,
      files: Int = Int.MaxValue
  ): Either[Reason, Seq[String]] =
    new ChooseFiles(
      LimitedScan(limit, conjuncts, AttributeSet.empty, table),
      (unproved, _) => Option.when(unproved > files)(Reason.OutOfBudget("f", "0", _, limit)),
      FooterBudget(2, 100, 1.minute.fromNow)
    )().map(_.files.map(chosen =>
      chosen.file.path + chosen.rowGroups.fold("")(_.map(_.ordinal).mkString("/", ",", ""))
    ))

  test("without a predicate, the first files that hold enough rows") {
    val table = new Table(Sample(3, 0, 0), Sample(4, 0, 0), Sample(5, 0, 0))
    assert(choose(table, 3) == Right(Seq("f0")))
    assert(choose(table, 4) == Right(Seq("f0", "f1")))
    assert(choose(table, 7) == Right(Seq("f0", "f1")))
    assert(choose(table, 8) == Left(Reason.NothingToSkip))
    assert(choose(table, 13).left.exists(_.code == "not-enough-rows-in-files"))
    assert(table.read == 0, "no facts are needed")
  }

  test("only files in which all rows match count, and no manifest is read after the last of them") {
    val table = new Table(Sample(9, 0, 9), Sample(2, 6, 9), Sample(2, 7, 8), Sample(9, 8, 9))
    assert(choose(table, 4, above5) == Right(Seq("f1", "f2")))
    assert(table.read == 3)
  }

  test("a file with unknown deletes, and a file without rows, are not counted on") {
    val table = new Table(Sample(9, 6, 9, deleted = None), Sample(0, 6, 9), Sample(2, 7, 8))
    assert(choose(table, 2, above5) == Right(Seq("f2")))
    assert(choose(table, 2) == Right(Seq("f2")))
    assert(choose(table, 3).left.exists(_.message.startsWith("1 of 3 files")))
    assert(table.read == 1, "the files have too few rows, whatever the predicate is")
  }

  test("a file with a known number of deletes counts with its other rows, after files without deletes") {
    val table = new Table(
      Sample(9, 6, 9, deleted = Some(4)),
      Sample(9, 6, 9, deleted = Some(9)),
      Sample(9, 6, 9, deleted = Some(12)),
      Sample(2, 7, 8)
    )
    assert(choose(table, 2, above5) == Right(Seq("f3")))
    for (conjuncts <- Seq(Nil, above5)) {
      assert(choose(table, 3, conjuncts) == Right(Seq("f3", "f0")))
      assert(choose(table, 7, conjuncts) == Right(Seq("f3", "f0")))
      assert(choose(table, 8, conjuncts).left.exists(_.code == "not-enough-rows-in-files"))
    }
  }

  test("too few rows are a reason with numbers and obstacles") {
    val table = new Table(Sample(9, 0, 9), Sample(2, 6, 9), Sample(9, 0, 9))
    val Left(reason) = choose(table, 4, above5): @unchecked
    assert(reason.message ==
      "1 of 3 files, in which every row certainly matches, hold 2 rows; the LIMIT needs 4: " +
      "(a > 5) may hold for only some rows in 2 of 3 files")
  }

  test("if no manifest can prove the predicate, none is read") {
    val u = AttributeReference("u", IntegerType)()
    val table = new Table(Sample(9, 6, 9), Sample(2, 6, 9))
    val onU = GreaterThan(u, Literal(5))
    for (conjuncts <- Seq(Seq(onU), onU +: above5, Seq(And(above5.head, onU)), Seq(Or(onU, IsNull(u))))) {
      val Left(reason) = choose(table, 2, conjuncts): @unchecked
      assert(reason.code == "not-enough-rows-in-files")
      assert(reason.message.endsWith("the LIMIT needs 2: no usable statistics for column u"))
    }
    assert(table.read == 0)
    assert(choose(table, 2, Seq(Or(onU, above5.head))) == Right(Seq("f0")))
  }

  test("no files, one file, and too many files") {
    assert(choose(new Table(), 1) == Left(Reason.NoFiles))
    assert(choose(new Table(Sample(9, 6, 9)), 1) == Left(Reason.NothingToSkip))
    val table = new Table(Sample(2, 6, 9), Sample(9, 0, 9), Sample(9, 0, 9), Sample(2, 6, 9))
    assert(choose(table, 4, above5, files = 1) == Left(Reason.OutOfBudget("f", "0", 2, 4)))
    assert(table.read == 3)
    assert(choose(table, 4, above5, files = 2) == Right(Seq("f0", "f3")))
  }

  private def divided(deleted: Option[Long], ranges: (Int, Int)*): Sample =
    Sample(4L * ranges.size, 0, 9, deleted, ranges.map { case (min, max) => Sample(4, min, max) })

  test("row groups in which all rows match count, after files") {
    val table = new Table(divided(Some(0), (0, 5), (6, 9), (7, 9)), Sample(9, 6, 9))
    assert(choose(table, 9, above5) == Right(Seq("f1")))
    assert(table.opened == Nil, "no footer is needed")
    assert(choose(table, 10, above5) == Right(Seq("f1", "f0/1")))
    assert(choose(table, 13, above5) == Right(Seq("f1", "f0/1")))
    assert(choose(table, 14, above5) == Right(Seq("f1", "f0/1,2")))
    val Left(reason) = choose(table, 18, above5): @unchecked
    assert(reason.message ==
      "1 of 2 files, in which every row certainly matches, hold 9 rows, and 2 row groups of other files hold 8 rows; " +
      "the LIMIT needs 18: (a > 5) may hold for only some rows in 1 of 2 files")
    assert(choose(new Table(divided(Some(0), (0, 5), (6, 9))), 4, above5) == Right(Seq("f0/1")), "one file")
    assert(choose(new Table(divided(Some(0), (0, 5), (6, 9))), 4) == Left(Reason.NothingToSkip))
  }

  test("line 73: deleted rows may all be in each row group of a file") {
    assert(choose(new Table(divided(Some(1), (0, 5), (6, 9), (7, 9))), 3, above5) == Right(Seq("f0/1")))
    assert(choose(new Table(divided(Some(1), (0, 5), (6, 9), (7, 9))), 6, above5) == Right(Seq("f0/1,2")))
    assert(choose(new Table(divided(Some(1), (0, 5), (6, 9), (7, 9))), 7, above5).isLeft)
    assert(choose(new Table(divided(Some(4), (0, 5), (6, 9), (7, 9))), 1, above5).isLeft)
    assert(choose(new Table(divided(None, (0, 5), (6, 9), (7, 9))), 1, above5).isLeft)
  }

  test("footers are read in waves, as long as they prove rows") {
    val table = new Table((0 until 8).map(_ => divided(Some(0), (0, 5), (6, 9))): _*)
    assert(choose(table, 24, above5) == Right((0 until 6).map(i => s"f$i/1")))
    assert(table.opened == Seq(Seq(0, 1), Seq(2, 3, 4, 5)))
    val useless = new Table((0 until 8).map(_ => divided(Some(0), (0, 5), (5, 9))): _*)
    assert(choose(useless, 4, above5).left.exists(_.code == "not-enough-rows-in-files"))
    assert(useless.opened == Seq(Seq(0, 1)))
  }
}
