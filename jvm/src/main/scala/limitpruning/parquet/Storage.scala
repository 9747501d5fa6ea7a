package limitpruning.parquet

import org.apache.hadoop.conf.Configuration

/**
 * How one search reaches files.
 *
 * @param conf the Hadoop configuration of the relation that is read
 * @param parts what it has read of them beside footers
 */
final case class Storage(conf: Configuration, parts: FileParts)

object Storage {
  def apply(conf: Configuration): Storage = Storage(conf, new FileParts)
}
