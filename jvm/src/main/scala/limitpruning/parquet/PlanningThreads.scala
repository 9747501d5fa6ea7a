package limitpruning.parquet

import java.util.concurrent.{ExecutorService, Executors, ThreadFactory}

/** Threads that read for planning, on the driver or in a task. */
object PlanningThreads {

  /** A pool of the caller's own: its threads inherit the caller's Hadoop user, and end when it is shut down. */
  def pool(threads: Int): ExecutorService = Executors.newFixedThreadPool(threads, daemons)

  private val daemons: ThreadFactory = task => {
    val thread = new Thread(task, "limit-pruning-footers")
    thread.setDaemon(true)
    thread
  }
}
