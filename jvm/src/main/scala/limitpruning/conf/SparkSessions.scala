package limitpruning.conf

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.{SparkSession, classic}

/** What is needed of a session beyond its public face. */
object SparkSessions {

  /** The Hadoop configuration with which a relation with `options` is read. */
  def hadoopConf(session: SparkSession, options: Map[String, String]): Configuration =
    onServer(session).sessionState.newHadoopConfWithOptions(options)

  /** The session of this JVM: extensions are never asked about any other kind. */
  def onServer(session: SparkSession): classic.SparkSession = session.asInstanceOf[classic.SparkSession]
}
