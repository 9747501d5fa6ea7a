package limitpruning.select

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import limitpruning.select.Selections.listed

class PackUnseenSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  private def shown(tasks: Seq[Seq[FileRange]]): Seq[Seq[(String, Long, Long)]] =
    tasks.map(_.map(piece => (piece.file.path, piece.start, piece.length)))

  test("small files are packed together, large ones are split") {
    val files = Seq(listed("a", 10), listed("b", 10), listed("c", 70))
    assert(shown(PackUnseen(files, openCost = 5, maxTaskBytes = 30)) ==
      Seq(Seq(("a", 0, 10), ("b", 0, 10)), Seq(("c", 0, 30)), Seq(("c", 30, 30)), Seq(("c", 60, 10))))
  }

  test("an empty selection has no task, and one task may contain everything") {
    assert(PackUnseen(Nil, 1, 1) == Nil)
    assert(PackUnseen(Seq(listed("a", 10), listed("b", 1L << 40)), 5, Long.MaxValue).size == 1)
  }

  test("every byte is read once, in order, in tasks of the allowed size") {
    forAll(Gen.listOf(Gen.choose(1L, 50L)), Gen.choose(0L, 9L), Gen.choose(1L, 40L)) {
      (lengths, openCost, maxBytes) =>
        val files = lengths.zipWithIndex.map { case (length, i) => listed(s"f$i", length) }
        val tasks = PackUnseen(files, openCost, maxBytes)
        for (file <- files) {
          val pieces = tasks.flatten.filter(_.file == file)
          assert(pieces.scanLeft(0L)(_ + _.length).init == pieces.map(_.start) &&
            pieces.map(_.length).sum == file.length)
        }
        assert(tasks.flatten.map(_.file).distinct == files)
        assert(tasks.forall(task =>
          task.size == 1 || task.map(_.length).sum + (task.size - 1) * openCost <= maxBytes
        ))
        assert(tasks.forall(_.forall(_.length <= maxBytes)))
    }
  }
}
