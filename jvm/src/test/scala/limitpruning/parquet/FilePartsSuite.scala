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
}
