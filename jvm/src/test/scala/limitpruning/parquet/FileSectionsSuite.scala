package limitpruning.parquet

import java.io.{DataInputStream, IOException, InputStream}
import java.nio.file.Files

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.testing.TempFolder

class FileSectionsSuite extends AnyFunSuite with TempFolder {
  private val Start = 4L
  private val Trailer = 8
  private val HeaderSize = 4L

  /** A file with one section at [[Start]]: four bytes with the length of the body, and the body. */
  private def file(bodySize: Int, claimed: Int): FileStatus = {
    val header =
      BigInt(claimed).toByteArray.reverse.padTo(4, if (claimed < 0) -1.toByte else 0.toByte).reverse
    val body = Array.tabulate(bodySize)(_.toByte)
    val path = folder.resolve("sections")
    Files.write(path, new Array[Byte](Start.toInt) ++ header ++ body ++ new Array[Byte](Trailer))
    status(path)
  }
  private def file(bodySize: Int): FileStatus = file(bodySize, bodySize)

  private def sections[T](file: FileStatus)(body: FileSections => T): T = {
    val sections = new FileSections(file, Storage(new Configuration()))
    try body(sections)
    finally sections.close()
  }

  private def read(sections: FileSections, known: Option[Long], maxBytes: Long, from: Long = Start) =
    sections.read(from, known, maxBytes)((in: InputStream) => new DataInputStream(in).readInt())(_.toLong)

  private def body(size: Int): Seq[Byte] = Seq.tabulate(size)(_.toByte)

  test("should read a section of known size with one request, and no additional byte") {
    sections(file(100)) { sections =>
      val Some(section) = read(sections, Some(104), maxBytes = 100): @unchecked
      assert(section.header == 100 && section.body.toSeq == body(100) && section.size == 104)
      assert(sections.bytesRead == 104)
    }
  }

  test("should read the rest if the size is not known, because the header contains it") {
    for (size <- Seq(0, 100, 4092, 4093, 20000)) sections(file(size)) { sections =>
      assert(read(sections, None, maxBytes = 30000).exists(_.body.toSeq == body(size)), size)
      assert(sections.bytesRead <= (HeaderSize + size).max(4096))
    }
  }

  test("should return only the body if the size in the footer is larger than the section") {
    sections(file(100, claimed = 60)) { sections =>
      assert(read(sections, Some(104), maxBytes = 100).exists(s => s.body.toSeq == body(60) && s.size == 64))
    }
  }

  test("should read nothing if the size in the footer is too large") {
    sections(file(5000)) { sections =>
      assert(read(sections, Some(5004), maxBytes = 4000).isEmpty)
      assert(read(sections, Some(5004), maxBytes = 0).isEmpty && read(sections, None, maxBytes = 0).isEmpty)
      assert(sections.bytesRead == 0)
    }
  }

  test("should read no more than allowed if only the size in the header is too large") {
    sections(file(5000)) { sections =>
      assert(read(sections, None, maxBytes = 4999).isEmpty)
      assert(read(sections, None, maxBytes = 10).isEmpty)
      assert(sections.bytesRead <= 4096 + 10 + 128)
      assert(read(sections, None, maxBytes = 5000).nonEmpty)
    }
  }

  test("line 50: should return none if the header contradicts the footer, or itself") {
    sections(file(100, claimed = 101))(s => assert(read(s, Some(104), maxBytes = 200).isEmpty))
    for (claimed <- Seq(-1, Int.MinValue, Int.MaxValue))
      sections(file(100, claimed))(s => assert(read(s, None, maxBytes = 200).isEmpty, claimed))
  }

  test(
    "line 50: should not read the footer's last bytes, nor beyond the file, because offsets may be wrong"
  ) {
    val listed = file(100)
    sections(listed) { sections =>
      for ((from, known) <- Seq((Start, 105L), (-1L, 104L), (1L << 40, 104L), (Start, 0L)))
        intercept[IllegalArgumentException](read(sections, Some(known), maxBytes = 200, from))
      for (from <- Seq(listed.getLen - Trailer, listed.getLen, -1L))
        intercept[IllegalArgumentException](read(sections, None, maxBytes = 200, from))
      assert(sections.bytesRead == 0)
    }
    sections(file(100, claimed = 101)) { sections =>
      intercept[IllegalArgumentException](read(sections, None, maxBytes = 200))
    }
  }

  test("line 35: should fail if the file has become shorter than in its listing") {
    val listed = file(100)
    Files.write(folder.resolve("sections"), new Array[Byte](20))
    sections(listed)(s => intercept[IOException](read(s, Some(104), maxBytes = 100)))
  }

  test("should add up the requested bytes, because reads in vain use the budget, too") {
    sections(file(100)) { sections =>
      read(sections, Some(104), maxBytes = 100)
      assert(read(sections, Some(50), maxBytes = 100).isEmpty, "it says 100 where 46 are left")
      assert(sections.bytesRead == 154)
    }
  }
}
