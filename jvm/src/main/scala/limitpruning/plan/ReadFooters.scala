package limitpruning.plan

import java.util.concurrent.{Callable, ExecutionException, Executors, ThreadFactory}

import limitpruning.parquet.{Footer, FooterReader}

/** Reads the footers of one wave of files at the same time, on threads that live no longer than the wave. */
final class ReadFooters(reader: FooterReader, threads: Int) {

  /**
   * @return the footers in the order of `files`
   * @throws limitpruning.parquet.UnreadableFooterException for the first file in order that has none
   * @throws InterruptedException where the query is cancelled; what is under way is abandoned
   */
  def apply(files: Seq[ListedFile]): Seq[Footer] =
    if (files.size <= 1 || threads == 1) files.map(file => reader.read(file.status)) else inParallel(files)

  private def inParallel(files: Seq[ListedFile]): Seq[Footer] = {
    // A pool of the query's own: its threads inherit the caller's Hadoop user, and none can outlive a query.
    val pool = Executors.newFixedThreadPool(math.min(threads, files.size), ReadFooters.daemons)
    try {
      val tasks = files.map(file => (() => reader.read(file.status)): Callable[Footer])
      tasks.map(pool.submit(_)).map(_.get())
    } catch {
      case e: ExecutionException => throw e.getCause
    } finally { val _ = pool.shutdownNow() }
  }
}

private object ReadFooters {
  private val daemons: ThreadFactory = task => {
    val thread = new Thread(task, "limit-pruning-footers")
    thread.setDaemon(true)
    thread
  }
}
