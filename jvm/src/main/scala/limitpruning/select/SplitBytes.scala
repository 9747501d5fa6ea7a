package limitpruning.select

import org.apache.spark.sql.internal.SQLConf

/** The size of the splits of Spark's own scan of files. */
private[limitpruning] object SplitBytes {

  /**
   * @param bytes of all files
   * @param parallelism the number of tasks that run at the same time, without settings
   */
  def apply(conf: SQLConf, bytes: Long, files: Int, parallelism: => Int): Long = {
    val tasks = conf.filesMinPartitionNum
      .orElse(conf.getConf(SQLConf.LEAF_NODE_DEFAULT_PARALLELISM))
      .getOrElse(parallelism)
    val cost = bytes + files * conf.filesOpenCostInBytes
    math.min(conf.filesMaxPartitionBytes, math.max(conf.filesOpenCostInBytes, cost / tasks))
  }
}
