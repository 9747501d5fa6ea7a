package limitpruning.parquet

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}
import java.util.concurrent.{Callable, Executors, Future}

import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}

/**
 * The executors' side of reading footers. Results travel as bytes, so that it does not matter how an application
 * serializes its own.
 */
object FootersOnExecutor {

  /** A file of the listing as it travels to executors. */
  final case class SentFile(path: String, length: Long, modificationTime: Long, columns: FileColumns) {
    def status: FileStatus = new FileStatus(length, false, 1, 1, modificationTime, new Path(path))
  }

  object SentFile {
    def of(file: FileStatus, columns: FileColumns): SentFile =
      SentFile(file.getPath.toString, file.getLen, file.getModificationTime, columns)
  }

  /**
   * @param threads footers that are read at the same time
   * @return for each file, in order, what [[footer]] takes
   */
  def read(files: Seq[SentFile], conf: Configuration, threads: Int): Array[Array[Byte]] = {
    val reader = new FooterReader(conf)
    if (files.size <= 1 || threads == 1) files.map(answer(reader, _)).toArray
    else {
      val pool = Executors.newFixedThreadPool(math.min(threads, files.size))
      try
        files.map(file => pool.submit((() => answer(reader, file)): Callable[Array[Byte]]))
          .map((reading: Future[Array[Byte]]) => reading.get()).toArray
      finally { val _ = pool.shutdownNow() }
    }
  }

  /**
   * @param answer what [[read]] gave for the file
   * @throws UnreadableFooterException where it has no footer
   */
  def footer(file: FileStatus, answer: Array[Byte]): Footer = {
    val found = Using.resource(new ObjectInputStream(new ByteArrayInputStream(answer)))(_.readObject())
    found match {
      case narrowed: NarrowedFooter => FooterReader.explained(file)(Footer.of(narrowed))
      case problem: String => throw new UnreadableFooterException(file, problem)
      case other => throw new IllegalStateException(s"executors do not answer with ${other.getClass}")
    }
  }

  private def answer(reader: FooterReader, file: SentFile): Array[Byte] = {
    val found: AnyRef =
      try reader.narrowed(file.status, file.columns)
      catch { case e: UnreadableFooterException => e.problem }
    val bytes = new ByteArrayOutputStream
    Using.resource(new ObjectOutputStream(bytes))(_.writeObject(found))
    bytes.toByteArray
  }
}
