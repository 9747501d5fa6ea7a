package limitpruning.scan

import org.apache.spark.sql.execution.datasources.PartitionedFile

import limitpruning.parquet.VectorizedReader

/** Only the first rows of a part; see [[limitpruning.select.WhileReading]]. */
private[scan] final class FirstRowsOfPart(limit: Long, minPageBytes: Option[Long]) extends NarrowUnseen {
  override def apply(file: PartitionedFile, all: VectorizedReader): Option[Seq[PlannedRowGroup]] =
    new RowGroupPages(all.file, all.schema, minPageBytes).first(limit)
}
