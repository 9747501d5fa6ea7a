package limitpruning.plan

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.{Expression, SortOrder}
import org.apache.spark.sql.execution.datasources.{FileIndex, PartitionDirectory}
import org.apache.spark.sql.types.StructType

import limitpruning.scan.LookWhileReading
import limitpruning.select.ChosenRows

/**
 * The relation's own file index, narrowed to the files of a selection. It carries the selection from the rule to
 * the strategy, and is the mark that the rule has run. Equal to another only if both select the same row groups of
 * the same table, so that a truncated scan is never reused for a full one.
 *
 * @param noteKeys the first sort key, over the output of what the LIMIT's Sort stands over, where it is worth noting while
 *   rows are read
 * @param seen the row groups that were looked at
 * @param look finds out while reading whether less than all of a file will do that planning did not look at
 */
final class SelectedFileIndex(
    val original: FileIndex,
    val chosen: ChosenRows,
    val seen: Option[SeenRowGroups] = None,
    val noteKeys: Option[SortOrder] = None,
    val look: Option[LookWhileReading] = None
) extends FileIndex {
  override def rootPaths: Seq[Path] = original.rootPaths
  override def partitionSchema: StructType = original.partitionSchema
  override def metadataOpsTimeNs: Option[Long] = original.metadataOpsTimeNs
  override def inputFiles: Array[String] = original.inputFiles
  override def refresh(): Unit = original.refresh()

  /** Compressed bytes of the selected row groups. */
  override def sizeInBytes: Long = chosen.selection.bytes

  /** The selected files alone: still right, with the filter above, where another strategy plans the scan. */
  override def listFiles(
      partitionFilters: Seq[Expression],
      dataFilters: Seq[Expression]
  ): Seq[PartitionDirectory] = {
    val selected = chosen.selection.paths.toSet
    original
      .listFiles(partitionFilters, dataFilters)
      .map(directory =>
        directory.copy(files = directory.files.filter(file => selected(file.getPath.toString)))
      )
      .filter(_.files.nonEmpty)
  }

  override def equals(other: Any): Boolean = other match {
    case that: SelectedFileIndex => original == that.original &&
      chosen.canonicalized == that.chosen.canonicalized
    case _ => false
  }

  override def hashCode(): Int = chosen.selection.hashCode()
}
