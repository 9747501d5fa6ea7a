package limitpruning.select

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import limitpruning.select.Selections.file

class PackTasksSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  private def bytesOf(rowGroup: SelectedRowGroup): Long = rowGroup.columns.lengths.sum

  private def pack(openCost: Long, maxTaskBytes: Long)(files: SelectedFile*): Seq[Seq[SelectedFile]] =
    PackTasks(Selection(files), bytesOf, openCost, maxTaskBytes)

  private def shown(tasks: Seq[Seq[SelectedFile]]): Seq[Seq[(String, Seq[Int])]] =
    tasks.map(_.map(run => run.path -> run.rowGroups.map(_.ordinal)))

  test("a small selection is one task, and adjacent row groups of a file are one run") {
    val tasks = pack(openCost = 4, maxTaskBytes = 100)(file("a", 0 -> 10, 1 -> 10), file("b", 5 -> 10))
    assert(shown(tasks) == Seq(Seq("a" -> Seq(0, 1), "b" -> Seq(5))))
  }

  test("a row group that is skipped in between starts another run") {
    val tasks = pack(openCost = 4, maxTaskBytes = 100)(file("a", 0 -> 10, 2 -> 10, 3 -> 10))
    assert(shown(tasks) == Seq(Seq("a" -> Seq(0), "a" -> Seq(2, 3))))
  }

  test(
    "a reader that passes over row groups opens a file once, unless more of them are between than it may try"
  ) {
    val files = Seq(file("a", 0 -> 10, 2 -> 10, 9 -> 10))
    def packed(maxGap: Int) = shown(PackTasks(Selection(files), bytesOf, 4, 100, maxGap = _ => maxGap))
    assert(packed(maxGap = 6) == Seq(Seq("a" -> Seq(0, 2, 9))))
    assert(packed(maxGap = 5) == Seq(Seq("a" -> Seq(0, 2), "a" -> Seq(9))))
    assert(packed(maxGap = 0) == Seq(Seq("a" -> Seq(0), "a" -> Seq(2), "a" -> Seq(9))))
  }

  test("row groups that are read in another order than that of the file are runs of their own") {
    val files = Seq(file("a", 3 -> 10), file("a", 1 -> 10), file("a", 2 -> 10))
    assert(shown(PackTasks(Selection(files), bytesOf, 4, 100, maxGap = _ => 9)) ==
      Seq(Seq("a" -> Seq(3), "a" -> Seq(1, 2))))
  }

  test("row groups of two files never form one run, even with consecutive ordinals") {
    assert(shown(pack(0, 100)(file("a", 0 -> 1), file("b", 1 -> 1))) ==
      Seq(Seq("a" -> Seq(0), "b" -> Seq(1))))
  }

  test("a task is closed before it exceeds the limit, including the cost of opening files before the last") {
    val files = Seq(file("a", 0 -> 10, 1 -> 10, 2 -> 10))
    assert(shown(pack(openCost = 5, maxTaskBytes = 25)(files: _*)) ==
      Seq(Seq("a" -> Seq(0, 1)), Seq("a" -> Seq(2))))
    assert(pack(openCost = 25, maxTaskBytes = 25)(files: _*).size == 2)
    assert(pack(openCost = 5, maxTaskBytes = 19)(files: _*).size == 3)
    assert(pack(openCost = 5, maxTaskBytes = 30)(files: _*).size == 1)
    val two = Seq(file("a", 0 -> 10), file("b", 0 -> 10))
    assert(pack(openCost = 5, maxTaskBytes = 24)(two: _*).size == 2)
    assert(pack(openCost = 5, maxTaskBytes = 25)(two: _*).size == 1)
  }

  test("the cost of opening a file counts once for each further file of a task") {
    val descending = (99 to 0 by -1).map(i => file(if (i % 2 == 0) "a" else "b", i -> 1L))
    val tasks = pack(openCost = 4, maxTaskBytes = 54)(descending: _*)
    assert(tasks.map(_.size) == Seq(50, 50), "one run for each row group, but not one task")
  }

  test("a task has at most 100 runs, because Spark's scan is recursive over splits without rows") {
    val descending = (249 to 0 by -1).map(i => file("a", i -> 1L))
    assert(pack(openCost = 0, maxTaskBytes = 1000)(descending: _*).map(_.size) == Seq(100, 100, 50))
    val ascending = file("a", (0 until 250).map(_ -> 1L): _*)
    assert(pack(openCost = 0, maxTaskBytes = 1000)(ascending).map(_.size) == Seq(1))
    val inOneTask = pack(openCost = 0, maxTaskBytes = Long.MaxValue)(descending: _*)
    assert(inOneTask.map(_.size) == Seq(250), "if the plan relies on one task")
  }

  test("a row group larger than the maximum of a task is a separate task") {
    assert(shown(pack(0, 10)(file("a", 0 -> 99), file("b", 0 -> 1))) ==
      Seq(Seq("a" -> Seq(0)), Seq("b" -> Seq(0))))
  }

  test("nothing selected is no task") {
    assert(pack(1, 1)() == Nil)
  }

  test("a run contains the length and footer of its file, for the check before reading") {
    val version = FileVersion(123, 7, 8, Seq(FilePart(1, 2, 3)))
    val Seq(Seq(run)) =
      pack(0, 10)(file("a", 0 -> 1).copy(version = version)): @unchecked
    assert(run.version == version)
  }

  test("row groups of a file that is listed twice never form one run with those of the other") {
    val once = file("a", 0 -> 1)
    val again = file("a", 1 -> 1)
    val other = again.copy(listed = again.listed.copy(position = again.listed.position + 1))
    assert(shown(pack(0, 100)(once, again)) == Seq(Seq("a" -> Seq(0, 1))))
    assert(shown(pack(0, 100)(once, other)) == Seq(Seq("a" -> Seq(0), "a" -> Seq(1))))
  }

  private val selections: Gen[List[SelectedFile]] = Gen
    .listOf(Gen.nonEmptyListOf(Gen.zip(Gen.choose(0, 9), Gen.choose(0L, 20L))))
    .map(_.zipWithIndex.map { case (groups, i) => file(s"f$i", groups.distinctBy(_._1).sortBy(_._1): _*) })

  test("any selection is read once, in order, in tasks of the allowed size") {
    forAll(selections, Gen.choose(0L, 10L), Gen.choose(1L, 60L), minSuccessful(500)) {
      (files, openCost, maxBytes) =>
        val tasks = pack(openCost, maxBytes)(files: _*)
        val read = for (run <- tasks.flatten; rowGroup <- run.rowGroups) yield (run.path, rowGroup)
        assert(read == (for (f <- files; rowGroup <- f.rowGroups) yield (f.path, rowGroup)))
        for (task <- tasks) {
          val bytes = task.flatMap(_.rowGroups).map(bytesOf).sum +
            (task.map(_.path).distinct.size - 1) * openCost
          assert(bytes <= maxBytes || task.map(_.rowGroups.size).sum == 1, s"in $task")
        }
    }
  }
}
