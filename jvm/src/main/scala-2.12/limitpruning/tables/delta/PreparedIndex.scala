package limitpruning.tables.delta

import org.apache.spark.sql.delta.files.TahoeLogFileIndex
import org.apache.spark.sql.delta.stats.{DeltaScan, PreparedDeltaFileIndex}

/** An index with the files that were chosen. Versions of Delta Lake differ in its parameters. */
private[delta] object PreparedIndex {
  def apply(index: TahoeLogFileIndex, scan: DeltaScan): PreparedDeltaFileIndex = PreparedDeltaFileIndex(
    index.spark,
    index.deltaLog,
    index.path,
    scan,
    index.versionToUse
  )
}
