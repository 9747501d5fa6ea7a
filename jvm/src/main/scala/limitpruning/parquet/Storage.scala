package limitpruning.parquet

import org.apache.hadoop.conf.Configuration

/**
 * How files are reached while planning.
 *
 * @param conf the Hadoop configuration of the relation that is read
 * @param cache what is kept of them
 */
final case class Storage(conf: Configuration, cache: FactsCache)
