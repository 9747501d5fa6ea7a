package limitpruning.testing

import java.nio.file.{Files, Path}

import org.apache.commons.io.FileUtils
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path => HadoopPath}
import org.scalatest.{BeforeAndAfterAll, Suite}

/** A folder of the suite, which is deleted with its content. */
trait TempFolder extends BeforeAndAfterAll { this: Suite =>
  protected lazy val folder: Path = Files.createTempDirectory("limit-pruning-")

  /** The file as in a listing. */
  protected def status(path: Path): FileStatus = {
    val hadoop = new HadoopPath(path.toUri)
    hadoop.getFileSystem(new Configuration()).getFileStatus(hadoop)
  }

  override protected def afterAll(): Unit =
    try super.afterAll()
    finally FileUtils.deleteDirectory(folder.toFile)
}
