package limitpruning

import java.util.concurrent.atomic.LongAdder

import org.apache.spark.sql.SparkSession

import limitpruning.parquet.FactsCache
import limitpruning.scan.ForgetChangedFiles

/** What all sessions of an application share; each application has its own. Thread-safe. */
final class SharedState {

  /** Unexpected planning errors. */
  val failures = new LongAdder

  @volatile private var kept: Option[FactsCache] = None

  /** The cache of facts about files, made when the first session asks for it. */
  def facts(session: SparkSession): FactsCache = kept.getOrElse(synchronized {
    kept.getOrElse {
      val maxBytes = SparkSessions.onServer(session).sessionState.conf.getConf(LimitPruningConf.CacheMaxBytes)
      val cache = new FactsCache(maxBytes)
      session.sparkContext.addSparkListener(new ForgetChangedFiles(cache))
      kept = Some(cache)
      cache
    }
  })
}
