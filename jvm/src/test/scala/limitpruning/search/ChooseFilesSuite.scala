package limitpruning.search

import org.apache.spark.sql.catalyst.expressions.{
  And, AttributeReference, Expression, GreaterThan, IsNull, Literal, Or
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.IntegerType
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.{ColumnFacts, LeafColumn, Nulls, Values}
import limitpruning.select.Reason

class ChooseFilesSuite extends AnyFunSuite {
  private val a = AttributeReference("a", IntegerType)()
  private val above5 = Seq(GreaterThan(a, Literal(5)))

  /** A file with its rows, the range of `a`, and the number of deleted rows. */
  private case class Sample(rows: Long, min: Int, max: Int, deleted: Option[Long] = Some(0))

  private class Table(samples: Sample*) extends ManifestTable {
    var read = 0
    override def name: String = "t"
    override def read(plan: LogicalPlan, chosen: ChosenFiles): LogicalPlan = plan
    override def mayHaveFacts(column: LeafColumn): Boolean = column.attribute.name != "u"

    override val files: IndexedSeq[ManifestFile] = samples.zipWithIndex.map { case (sample, i) =>
      ManifestFile(s"f$i", sample.rows, 10, sample.deleted, i)
    }.toIndexedSeq

    override def facts(columns: IndexedSeq[LeafColumn]): ManifestFile => IndexedSeq[ManifestFacts] = { file =>
      read += 1
      val sample = samples(file.position)
      columns.map(_ => ManifestFacts(ColumnFacts(Values.Range(sample.min, sample.max), Nulls.No), Some(0)))
    }
  }

  private def choose(
      table: ManifestTable,
      limit: Int,
      conjuncts: Seq[Expression] = Nil,
      files: Int = Int.MaxValue
  ): Either[Reason, Seq[String]] =
    new ChooseFiles(
      limit,
      conjuncts,
      table,
      (unproved, _) => Option.when(unproved > files)(Reason.OutOfBudget("f", "0", _, limit))
    )().map(_.files.map(_.path))

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
}
