package limitpruning.footers

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit.NANOSECONDS

import scala.concurrent.ExecutionContext
import scala.concurrent.duration.FiniteDuration
import scala.util.{Failure, Using}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.{FutureAction, SparkContext}
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.util.SerializableConfiguration

import limitpruning.parquet.{FileColumns, Footer, FooterReader, NarrowedFooter, UnreadableFooterException}

/**
 * Reads footers in a Spark job. The job is cancelled as soon as no more of its footers are needed. It belongs
 * to the query's own job group, if there is one, and is cancelled with it.
 *
 * @param conf the Hadoop configuration of the relation that is read
 * @param table the table's name in the description of the job
 * @param threads the number of footers that one task reads at the same time
 */
private[limitpruning] final class FootersByJob(
    context: SparkContext,
    conf: => Configuration,
    cache: FactsCache,
    table: String,
    threads: Int
) extends FooterSource {
  import FootersByJob._

  override def begin(files: Seq[FooterToRead]): FootersUnderWay = {
    val answers = files.map(_ => new CompletableFuture[Array[Byte]]).toIndexedSeq
    val shared = context.broadcast(new SerializableConfiguration(conf))
    val job = NamedJob(
      context,
      s"limit pruning: footers of ${files.size} files of $table",
      isInterruptible = true
    )(submit(
      files.map(f => FootersOnExecutor.question(f.file, f.columns)),
      first => results => results.indices.foreach(i => answers(first + i).complete(results(i)): Unit),
      shared
    ))
    job.onComplete {
      case Failure(error) => answers.foreach(_.completeExceptionally(error): Unit)
      case _ => ()
    }(ExecutionContext.fromExecutor(_.run()))
    new FootersUnderWay {
      override def await(index: Int, time: FiniteDuration): Footer = {
        val answer = answers(index).get(time.toNanos.max(0L), NANOSECONDS)
        val file = files(index).file
        cache.keep(file, FootersOnExecutor.footer(file, answer))
      }
      // Spark's cleaner destroys the broadcast: destroying it here would wait for tasks that are about to
      // end.
      override def close(): Unit = if (!job.isCompleted) job.cancel()
    }
  }

  /** @param arrived receives the position of a task's first file, and then the task's results */
  private def submit(
      files: Seq[Array[Byte]],
      arrived: Int => Array[Array[Byte]] => Unit,
      conf: Broadcast[SerializableConfiguration]
  ): FutureAction[Unit] = {
    val tasks = math.max(context.defaultParallelism, (files.size - 1) / FilesPerTask + 1).min(files.size)
    val atOnce = threads // the closure must not capture this class, which stays on the driver
    context.submitJob(
      context.parallelize(files, tasks),
      (slice: Iterator[Array[Byte]]) => FootersOnExecutor.read(slice.toVector, conf.value.value, atOnce),
      0 until tasks,
      // The first file of a task, as `parallelize` slices a sequence.
      (task: Int, results: Array[Array[Byte]]) =>
        arrived((task * files.size.toLong / tasks).toInt)(results),
      ()
    )
  }
}

private object FootersByJob {

  /** Few, so that footers arrive task by task and the rest can be cancelled. */
  private val FilesPerTask = 32
}

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
