package limitpruning.footers

import java.io.Closeable
import java.util.concurrent.{Callable, ExecutorService, Executors, Future, ThreadFactory}

/**
 * The threads with which one search reads metadata, on the driver or in a task. They are created when they
 * are needed first, inherit the Hadoop user of the thread that needs them, and end with the search.
 *
 * @param most the maximum number of threads
 */
private[limitpruning] final class PlanningThreads(most: Int) extends Closeable {
  private var pool: Option[ExecutorService] = None

  def submit[T](task: Callable[T]): Future[T] = synchronized {
    val running = pool.getOrElse {
      val created = Executors.newFixedThreadPool(most, PlanningThreads.daemons)
      pool = Some(created)
      created
    }
    running.submit(task)
  }

  /** Interrupts what is still running. */
  override def close(): Unit = synchronized {
    pool.foreach(_.shutdownNow())
    pool = None
  }
}

private object PlanningThreads {
  private val daemons: ThreadFactory = task => {
    val thread = new Thread(task, "limit-pruning-footers")
    thread.setDaemon(true)
    thread
  }
}
