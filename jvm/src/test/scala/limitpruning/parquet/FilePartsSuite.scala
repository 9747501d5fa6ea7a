package limitpruning.parquet

import org.apache.hadoop.fs.{FileStatus, Path}
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.select.FilePart

class FilePartsSuite extends AnyFunSuite {
  private def file(path: String, time: Long = 5): FileStatus =
    new FileStatus(1000, false, 1, 1, time, new Path(path))

  test("a part is read once, and is not used for another file or offset") {
    val parts = new FileParts
    var reads = 0
    def read(file: FileStatus, offset: Long): Seq[Byte] =
      parts(file, offset, 3) { reads += 1; Array[Byte](1, 2, reads.toByte) }.toSeq
    assert(read(file("/t/a"), 10) == Seq(1, 2, 1) && read(file("/t/a"), 10) == Seq(1, 2, 1))
    assert(read(file("/t/a"), 11) == Seq(1, 2, 2))
    assert(read(file("/t/a", time = 6), 10) == Seq(1, 2, 3))
    assert(read(file("/t/b"), 10) == Seq(1, 2, 4))
  }

  test("a part that cannot be read is not stored") {
    val parts = new FileParts
    intercept[java.io.IOException](parts(file("/t/a"), 1, 1)(throw new java.io.IOException("gone")))
    assert(parts.of(file("/t/a")).isEmpty)
    assert(parts(file("/t/a"), 1, 1)(Array[Byte](7)).toSeq == Seq(7))
  }

  test("the parts of a file are returned with their checksums, without those of other files") {
    val parts = new FileParts
    parts(file("/t/a"), 10, 2)(Array[Byte](1, 2))
    parts(file("/t/b"), 20, 1)(Array[Byte](3))
    assert(parts.of(file("/t/a")) == Seq(FilePart(10, 2, FileParts.checksum(Array[Byte](1, 2)))))
    assert(FileParts.checksum(Array[Byte](0, 1, 2), 1, 2) == FileParts.checksum(Array[Byte](1, 2)))
  }

  test("bytes that were read with others are used without a request, and count only if they are used") {
    val parts = new FileParts
    val bytes = (0 until 100).map(_.toByte).toArray
    parts.add(file("/t/a"), 50, bytes)
    def request: Array[Byte] = fail("a request")
    assert(parts(file("/t/a"), 60, 3)(request).toSeq == Seq(10, 11, 12))
    assert(parts(file("/t/a"), 147, 3)(request).toSeq == Seq(97, 98, 99))
    assert(parts.of(file("/t/a")).map(part => (part.offset, part.length)) == Seq((60, 3), (147, 3)))
    for ((offset, length) <- Seq((49L, 3L), (148L, 3L), (Long.MaxValue, 3L), (60L, Long.MaxValue), (-1L, 5L)))
      assert(!parts.contains(file("/t/a"), offset, length), s"$length bytes at $offset")
    assert(!parts.contains(file("/t/a", time = 6), 60, 3) && !parts.contains(file("/t/b"), 60, 3))
  }

  test("the oldest bytes that are not used are dropped, if there are too many") {
    val parts = new FileParts
    val files = (1 to 10).map(n => file(s"/t/$n"))
    files.foreach(parts.add(_, 0, new Array[Byte](1024 * 1024)))
    assert(files.map(parts.contains(_, 0, 5)) == Seq(false, false) ++ Seq.fill(8)(true))
    parts.add(files(2), 1024 * 1024, new Array[Byte](9 * 1024 * 1024))
    assert(parts.contains(files(2), 1024 * 1024, 5), "the newest stay")
    assert(!files.exists(parts.contains(_, 0, 5)))
    parts.clear()
    assert(!parts.contains(files(2), 1024 * 1024, 5) && files.forall(parts.of(_).isEmpty))
  }
}
