package limitpruning.conf

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.SparkSession

import limitpruning.shims.ClassicSession

/** Access to members of a session that are not in its public API. */
object SparkSessions {

  /** The Hadoop configuration for reading a relation with `options`. */
  def hadoopConf(session: SparkSession, options: Map[String, String]): Configuration =
    onServer(session).sessionState.newHadoopConfWithOptions(options)

  /** Runs `body` with an active session. Nodes of a physical plan need one when they are created. */
  def withActive[T](session: SparkSession)(body: => T): T = {
    val before = SparkSession.getActiveSession
    SparkSession.setActiveSession(session)
    try body
    finally before.fold(SparkSession.clearActiveSession())(SparkSession.setActiveSession)
  }

  /** The session of this JVM. Spark never calls extensions with another kind of session. */
  def onServer(session: SparkSession): ClassicSession = session.asInstanceOf[ClassicSession]
}
