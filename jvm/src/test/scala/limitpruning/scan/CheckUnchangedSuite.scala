package limitpruning.scan

import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.parquet.FileParts
import limitpruning.select.FilePart
import limitpruning.testing.{TempFolder, WatchedFileSystem}

class CheckUnchangedSuite extends AnyFunSuite with TempFolder {
  private val conf = new Configuration()
  WatchedFileSystem.register(conf)

  private def file(name: String): Path = Files.writeString(folder.resolve(name), PlannedSplit.content())

  private def check(listed: FileStatus): CheckUnchanged =
    new CheckUnchanged(PlannedSplit(listed), PlannedSplit.version(listed), conf)

  test("line 35: a file that has another length or footer is another one, whatever its time") {
    val path = file("changed")
    val unchanged = check(status(path))
    unchanged.now()
    val before = Files.getLastModifiedTime(path)
    Files.setLastModifiedTime(path, FileTime.fromMillis(before.toMillis / 1000 * 1000))
    unchanged.now()
    def problem(content: String): String = {
      Files.writeString(path, content)
      Files.setLastModifiedTime(path, before)
      intercept[FileChangedException](unchanged.now()).getMessage
    }
    assert(problem(PlannedSplit.content() + "+").contains("11 bytes instead of 10"))
    assert(problem(PlannedSplit.content("02")).contains("its footer is different"))
    assert(problem("01\u0001\u0000\u0000\u0000PAR1").contains("its footer is different"))
  }

  test("line 35: a file is another one if other bytes that a proof relies on were replaced") {
    def content(part: String): String = part + "x" * 100000 + PlannedSplit.content()
    val path = Files.writeString(folder.resolve("parts"), content("dictionary"))
    val version = PlannedSplit.version(status(path))
    def checkOf(parts: FilePart*): CheckUnchanged =
      new CheckUnchanged(PlannedSplit(status(path)), version.copy(parts = parts), conf)
    def part(offset: Int, bytes: String): FilePart =
      FilePart(offset.toLong, bytes.length, FileParts.checksum(bytes.getBytes))
    checkOf(part(0, "dictionary"), part(100002, "xxxxxxxx01")).now()
    checkOf(part(100002, "xxxxxxxx01"), part(3, "tion"), part(0, "dict")).now()
    Files.writeString(path, content("Dictionary"))
    val error = intercept[FileChangedException](checkOf(part(0, "dict")).now())
    assert(error.getMessage.contains("its bytes at offset 0 are different"))
    checkOf(part(3, "tion")).now()
  }

  test("a file that is modified while it is open is detected on local file systems") {
    val path = file("written")
    val open = check(status(path))
    open.now()
    open.whileOpen()
    Files.setLastModifiedTime(path, FileTime.fromMillis(status(path).getModificationTime + 1))
    assert(
      intercept[FileChangedException](open.whileOpen()).getMessage.contains("modified while it was read")
    )
  }

  test("line 35: a file that is deleted while it is open is an error that names it") {
    val path = file("deleted")
    val open = check(status(path))
    open.whileOpen()
    Files.delete(path)
    val error = intercept[FileChangedException](open.whileOpen())
    assert(error.getMessage.contains("it was deleted while it was read"))
    assert(error.getMessage.contains("/deleted") && error.getMessage.contains("REFRESH TABLE"))
  }

  test("an open file is checked again only on local file systems") {
    val path = file("open")
    val local = check(status(path))
    val listed = status(path)
    listed.setPath(new org.apache.hadoop.fs.Path(s"watched://$path"))
    val other = check(listed)
    Files.writeString(path, "another")
    intercept[FileChangedException](local.whileOpen())
    other.whileOpen()
    intercept[FileChangedException](other.now())
  }
}
