package limitpruning.search

import org.scalatest.funsuite.AnyFunSuite

class SampleOfFilesSuite extends AnyFunSuite {
  private def files(count: Int, parts: Int, rows: Long = 1000, deleted: Option[Long] = Some(0L)) =
    (0 until count).map(i => ManifestFile(s"f$i", rows * parts, 1L, deleted, i, parts))

  private def spread(files: IndexedSeq[ManifestFile], most: Int): Seq[(Int, Int)] = for {
    (file, ordinals) <- SampleOfFiles.spread(files, most, leastRows = 100, mostRows = 10000)
    ordinal <- ordinals
  } yield (file.position, ordinal)

  test("a sample has row groups of all parts of the table, and of all parts of its files") {
    val sample = spread(files(640, 20), 32)
    assert(sample.size == 32 && sample == sample.sorted)
    assert(sample.map(_._1).zip(0 until 32).forall { case (file, i) =>
      file >= 20 * i && file < 20 * (i + 1)
    })
    assert(sample.map(_._2).distinct.size >= 10)
  }

  test("of few files, several row groups each") {
    val sample = spread(files(4, 100), 16)
    assert(sample.size == 16 && sample.map(_._1).groupBy(identity).values.forall(_.size == 4))
    assert(spread(files(3, 1), 16) == Seq((0, 0), (1, 0), (2, 0)))
    assert(spread(files(1, 5), 16).map(_._2) == Seq(0, 1, 2, 3, 4))
  }

  test("only row groups of the right size, and without deletes that are not counted") {
    assert(spread(files(9, 4, rows = 99), 16).isEmpty && spread(files(9, 4, rows = 10001), 16).isEmpty)
    assert(spread(files(9, 4, deleted = None), 16).isEmpty && spread(IndexedSeq.empty, 16).isEmpty)
    assert(spread(files(9, 4, deleted = Some(3L)), 16).size == 16)
  }
}
