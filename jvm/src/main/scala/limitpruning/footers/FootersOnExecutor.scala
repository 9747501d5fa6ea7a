package limitpruning.footers

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}

import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}

import limitpruning.parquet.{FileColumns, Footer, FooterReader, NarrowedFooter, UnreadableFooterException}

/**
 * Reads footers on executors. Requests and answers are sent as bytes, so the serializer of the application
 * does not matter.
 */
object FootersOnExecutor {

  /** A request for one footer, which is sent to executors. */
  private final case class Question(
      path: String,
      length: Long,
      modificationTime: Long,
      columns: FileColumns
  ) {
    def file: FileStatus = new FileStatus(length, false, 1, 1, modificationTime, new Path(path))
  }

  /** The argument of [[read]] for one file. */
  def question(file: FileStatus, columns: FileColumns): Array[Byte] =
    toBytes(Question(file.getPath.toString, file.getLen, file.getModificationTime, columns))

  /**
   * @param questions one for each file
   * @param threads the number of footers that are read at the same time
   * @return for each file, in order, the argument of [[footer]]
   */
  def read(questions: Seq[Array[Byte]], conf: Configuration, threads: Int): Array[Array[Byte]] = {
    val reader = new FooterReader(conf)
    val files = questions.map(ofBytes).collect { case question: Question => question }
    if (files.size <= 1 || threads == 1) files.map(answer(reader, _)).toArray
    else {
      Using.resource(new PlanningThreads(math.min(threads, files.size))) { threads =>
        files.map(file => threads.submit[Array[Byte]](() => answer(reader, file))).map(_.get()).toArray
      }
    }
  }

  /**
   * @param answer the result of [[read]] for the file
   * @throws UnreadableFooterException if the footer cannot be read
   */
  def footer(file: FileStatus, answer: Array[Byte]): Footer =
    ofBytes(answer) match {
      case narrowed: NarrowedFooter => FooterReader.explained(file)(Footer.of(narrowed))
      case problem: String => throw new UnreadableFooterException(file, problem)
      case other => throw new IllegalStateException(s"executors do not return ${other.getClass}")
    }

  private def answer(reader: FooterReader, asked: Question): Array[Byte] = toBytes(
    try reader.narrowed(asked.file, asked.columns)
    catch { case e: UnreadableFooterException => e.problem }
  )

  private def toBytes(value: AnyRef): Array[Byte] = {
    val bytes = new ByteArrayOutputStream
    Using.resource(new ObjectOutputStream(bytes))(_.writeObject(value))
    bytes.toByteArray
  }

  private def ofBytes(bytes: Array[Byte]): AnyRef =
    Using.resource(new ObjectInputStream(new ByteArrayInputStream(bytes)))(_.readObject())
}
