package limitpruning.testing

import java.net.URI
import java.nio.file.{Files, Paths}
import java.security.MessageDigest

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{
  BlockLocation, EtagSource, FileStatus, FileSystem, LocatedFileStatus, Path, RawLocalFileSystem
}

/**
 * Local files with the scheme `seconds`. Their times are like those of stores with S3's protocol: listings
 * have milliseconds, the status of a single file has whole seconds.
 */
class SecondsFileSystem extends RawLocalFileSystem {
  override def getScheme: String = "seconds"
  override def getUri: URI = URI.create(s"$getScheme:///")

  override def getFileStatus(path: Path): FileStatus = {
    val status = super.getFileStatus(path)
    told(status, status.getModificationTime / 1000 * 1000)
  }

  override def listStatus(path: Path): Array[FileStatus] =
    super.listStatus(path).map(status => told(status, SecondsFileSystem.millis(status.getPath)))

  /** The status of a file or a directory, with another time. */
  protected def told(status: FileStatus, millis: Long): FileStatus =
    new FileStatus(status.getLen, status.isDirectory, 1, status.getBlockSize, millis, status.getPath)
}

/**
 * The same with the scheme `seconds-tagged`. Listings have locations and entity tags, like those of Hadoop's
 * S3A.
 */
final class TaggedSecondsFileSystem extends SecondsFileSystem {
  override def getScheme: String = "seconds-tagged"

  override protected def told(status: FileStatus, millis: Long): FileStatus =
    if (status.isDirectory) super.told(status, millis)
    else new TaggedStatus(super.told(status, millis), SecondsFileSystem.contentHash(status.getPath))
}

private final class TaggedStatus(status: FileStatus, tag: String)
    extends LocatedFileStatus(status, Array.empty[BlockLocation]) with EtagSource {
  override def getEtag: String = tag
}

object SecondsFileSystem {

  def register(conf: Configuration): Unit = {
    conf.setClass("fs.seconds.impl", classOf[SecondsFileSystem], classOf[FileSystem])
    conf.setClass("fs.seconds-tagged.impl", classOf[TaggedSecondsFileSystem], classOf[FileSystem])
  }

  private def local(path: Path): java.nio.file.Path = Paths.get(path.toUri.getPath)

  private def millis(path: Path): Long = Files.getLastModifiedTime(local(path)).toMillis

  private[testing] def contentHash(path: Path): String =
    MessageDigest.getInstance("MD5").digest(Files.readAllBytes(local(path))).map("%02x".format(_)).mkString
}
