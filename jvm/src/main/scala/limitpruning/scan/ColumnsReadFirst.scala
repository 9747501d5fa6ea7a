package limitpruning.scan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{And, AttributeSet, BindReferences}
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.types.StructType

/** Binds a predicate to the columns of a scan that are read first. Runs on the driver. */
private[scan] object ColumnsReadFirst {

  /**
   * @param reader Spark's reader of some columns of the files
   * @return none if the predicate uses a column that is not read from the files, such as a metadata column, or none at all
   */
  def apply(
      scan: FileSourceScanExec,
      matching: MatchingRowsOnly,
      reader: StructType => (PartitionedFile => Iterator[InternalRow]),
      counts: RowFilter.Counts
  ): Option[RowFilter] = {
    // The order of Spark's own scan.
    val (fromFiles, others) = scan.output.splitAt(scan.requiredSchema.size)
    val partitionColumns = others.take(scan.relation.partitionSchema.size)
    val used = AttributeSet(matching.conjuncts.flatMap(_.references))
    val (fields, first) = scan.requiredSchema.zip(fromFiles).filter { case (_, column) =>
      used.contains(column)
    }.unzip
    val columns = first ++ partitionColumns
    def areTheirs =
      used.forall(one => columns.exists(c => c.exprId == one.exprId && c.dataType == one.dataType))
    if (first.isEmpty || !areTheirs) None
    else {
      val predicate = BindReferences.bindReference(matching.conjuncts.reduce(And(_, _)), columns)
      Some(new RowFilter(
        matching.limit,
        predicate,
        reader(StructType(fields)),
        matching.minPageBytes,
        counts
      ))
    }
  }
}
