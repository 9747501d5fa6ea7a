package limitpruning.report

import org.apache.spark.sql.SparkSession

/** Spark 3.5 cannot show more than the plan in EXPLAIN. Reports have the reasons. */
object ExplainReasons {

  /** Does nothing: there is no setting of Spark to keep in step. */
  def keepInStep(session: SparkSession): Unit = {
    val _ = session
  }
}
