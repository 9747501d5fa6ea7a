package limitpruning.tables.delta

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.files.TahoeLogFileIndex
import org.apache.spark.sql.delta.stats.{DeltaScan, PreparedDeltaFileIndex}

/** Versions of Delta Lake differ in the parameters of this index. */
private[delta] object PreparedIndex {

  /**
   * An index with the files that were chosen.
   *
   * @param session of the query, which need not be that of `index`; its time zone is that of partition values
   * @param all all files of the version
   */
  def apply(
      session: SparkSession,
      index: TahoeLogFileIndex,
      scan: DeltaScan,
      all: Seq[AddFile]
  ): PreparedDeltaFileIndex =
    new PreparedDeltaFileIndex(
      session,
      index.deltaLog,
      index.path,
      scan,
      index.versionToUse
    ) with KnowsAllFiles {
      override protected def allFiles: Seq[AddFile] = all
    }
}
