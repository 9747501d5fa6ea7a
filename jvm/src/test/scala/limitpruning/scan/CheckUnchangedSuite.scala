package limitpruning.scan

import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.testing.{TempFolder, WatchedFileSystem}

class CheckUnchangedSuite extends AnyFunSuite with TempFolder {
  private val conf = new Configuration()
  WatchedFileSystem.register(conf)

  private def file(name: String): Path = Files.writeString(folder.resolve(name), "0123456789")

  private def check(listed: FileStatus): CheckUnchanged =
    new CheckUnchanged(PlannedSplit(listed), PlannedSplit.version(listed), conf)

  test("line 35: a file that has another length, or the next millisecond, is another one") {
    val path = file("changed")
    val unchanged = check(status(path))
    unchanged.now()
    val before = Files.getLastModifiedTime(path)
    Files.setLastModifiedTime(path, FileTime.fromMillis(before.toMillis + 1))
    assert(intercept[FileChangedException](unchanged.now()).getMessage.contains("it was written to after"))
    Files.writeString(path, "0123456789+")
    Files.setLastModifiedTime(path, before)
    assert(intercept[FileChangedException](unchanged.now()).getMessage.contains("11 bytes instead of 10"))
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

  test("what is open is checked again on local file systems alone") {
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
