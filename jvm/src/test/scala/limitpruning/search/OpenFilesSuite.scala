package limitpruning.search

import scala.concurrent.duration.{Deadline, DurationInt}

import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.LeafColumn

class OpenFilesSuite extends AnyFunSuite {
  import OpenFilesSuite._

  /** The files of each wave, and how often the search asked for the next files. */
  private def waves(first: Int, most: Int, deadline: Deadline): (Seq[Int], Int) = {
    var waves = Vector.empty[Int]
    var asked = 0
    def next(): Seq[ManifestFile] = {
      asked += 1
      Table.files
    }
    val open = new OpenFiles(Table, IndexedSeq.empty, FooterBudget(first, most, deadline))
    open(() => next()) { wave =>
      waves :+= wave.size
      true
    }
    (waves, asked)
  }

  test("each wave has twice as many files, until there are no more") {
    assert(waves(first = 2, most = 100, 1.minute.fromNow) == ((Seq(2, 4, 3), 4)))
  }

  test("no further files are asked for if the budget is used up") {
    assert(waves(first = 2, most = 6, 1.minute.fromNow) == ((Seq(2, 4), 2)))
    assert(waves(first = 2, most = 0, 1.minute.fromNow) == ((Nil, 0)))
    assert(waves(first = 2, most = 100, Deadline.now - 1.second) == ((Nil, 0)))
  }
}

private object OpenFilesSuite {

  private object Table extends ManifestTable {
    override def name: String = "t"
    override def columns: IndexedSeq[LeafColumn] = IndexedSeq.empty
    override def isPartition(column: LeafColumn): Boolean = false
    override def mayHaveFacts(column: LeafColumn): Boolean = false
    override val files: IndexedSeq[ManifestFile] = (0 until 9).map(i =>
      ManifestFile(s"f$i", rows = 1, bytes = 1, Some(0), position = i)
    )

    override def facts(
        columns: IndexedSeq[LeafColumn],
        deadline: Deadline
    ): ManifestFile => IndexedSeq[ManifestFacts] = _ => IndexedSeq.empty

    override def rowGroups(
        files: Seq[ManifestFile],
        columns: IndexedSeq[LeafColumn],
        deadline: Deadline
    ): Seq[Option[IndexedSeq[ManifestRowGroup]]] = files.map(_ => Some(IndexedSeq.empty))
  }
}
