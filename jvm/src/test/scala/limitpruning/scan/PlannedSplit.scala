package limitpruning.scan

import java.nio.file.{Files, Paths}

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.paths.SparkPath
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.metric.SQLMetric

import limitpruning.parquet.FooterSeal
import limitpruning.select.FileVersion

/** A split of a file as it was listed. Some of its row groups are planned to be read whole. */
object PlannedSplit {
  def apply(listed: FileStatus, rowGroups: PlannedRowGroup*): PartitionedFile = PartitionedFile(
    InternalRow.empty,
    SparkPath.fromPath(listed.getPath),
    0,
    10,
    Array.empty[String],
    listed.getModificationTime,
    listed.getLen,
    FileOpener.plan(PlannedRun(version(listed), rowGroups))
  )

  def counts(
      rowGroups: SQLMetric = new SQLMetric("sum"),
      bytes: SQLMetric = new SQLMetric("size")
  ): ReadCounts = ReadCounts(rowGroups, bytes, readAgain = new SQLMetric("sum"))

  /** Ten bytes that end like a Parquet file, with a footer of two bytes. */
  def content(footer: String = "01"): String = s"$footer\u0002\u0000\u0000\u0000PAR1"

  def version(listed: FileStatus): FileVersion = {
    val bytes = Files.readAllBytes(Paths.get(listed.getPath.toUri.getPath))
    val seal = FooterSeal.of(bytes.dropRight(8).takeRight(2))
    FileVersion(listed.getLen, seal.length, seal.checksum)
  }
}
