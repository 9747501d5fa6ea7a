package limitpruning.scan

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.execution.FileSourceScanExec

/**
 * Scans of files with deletion vectors. Delta plans them with a column that tells which rows are deleted, and a filter
 * above. Its reader computes the column from the numbers of the rows, and returns copies of the rows of Spark's reader.
 */
private[limitpruning] object HiddenRows {

  /** The column that Delta adds. It is not in the files. */
  private val IsDeleted = "__delta_internal_is_row_deleted"

  /** Whether a scan reads rows that a filter above it hides. */
  def areReadBy(scan: FileSourceScanExec): Boolean = scan.requiredSchema.fieldNames.contains(IsDeleted)

  /**
   * Whether Delta numbers rows itself, from the first row of a file on. It then divides no file, and passes over no row.
   * Otherwise, Spark's reader numbers the rows.
   */
  def areCountedBy(scan: FileSourceScanExec): Boolean = areReadBy(scan) && {
    val relation = scan.relation
    // Delta's answer is the same for all files.
    val path = relation.location.rootPaths.headOption.getOrElse(new Path("/"))
    !relation.fileFormat.isSplitable(relation.sparkSession, relation.options, path)
  }
}
