package limitpruning.tables.delta

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.files.TahoeFileIndex

/** An index that knows all files of the version. For them, Delta's own index runs a Spark job. */
private[delta] trait KnowsAllFiles extends TahoeFileIndex {

  protected def allFiles: Seq[AddFile]

  /** Delta asks with the literal `true` whether any file of the table has deleted rows. */
  override abstract def matchingFiles(
      partitionFilters: Seq[Expression],
      dataFilters: Seq[Expression]
  ): Seq[AddFile] = {
    val filters = partitionFilters ++ dataFilters
    if (filters.nonEmpty && filters.forall(_ == Literal.TrueLiteral)) allFiles
    else super.matchingFiles(partitionFilters, dataFilters)
  }
}
