package limitpruning.testing

import java.nio.file.{Files, Path}

import org.apache.commons.io.FileUtils
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path => HadoopPath}
import org.scalatest.{BeforeAndAfterAll, Suite}

/** A folder of the suite's own, which is deleted with all that is in it. */
trait TempFolder extends BeforeAndAfterAll { this: Suite =>
  protected lazy val folder: Path = Files.createTempDirectory("limit-pruning-")

  /** The file as a listing would show it. */
  protected def status(path: Path): FileStatus = {
    val hadoop = new HadoopPath(path.toUri)
    hadoop.getFileSystem(new Configuration()).getFileStatus(hadoop)
  }

  override protected def afterAll(): Unit =
    try super.afterAll()
    finally FileUtils.deleteDirectory(folder.toFile)
}
