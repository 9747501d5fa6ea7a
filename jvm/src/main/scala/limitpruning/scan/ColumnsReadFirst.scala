package limitpruning.scan

import org.apache.spark.sql.catalyst.expressions.{And, AttributeSet, BindReferences, Expression}
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.types.StructType

/**
 * The columns of a scan that are read first, to find the rows that satisfy a predicate.
 *
 * @param schema the columns of the predicate that are read from files, at least one
 * @param predicate bound to these columns, followed by the partition columns
 */
private[limitpruning] final case class ColumnsReadFirst(schema: StructType, predicate: Expression)

private[limitpruning] object ColumnsReadFirst {

  /**
   * @param conjuncts the predicate, over the output of the scan
   * @return none if the predicate uses no column of the files, or one that the scan reads otherwise, such as a metadata column
   */
  def of(scan: FileSourceScanExec, conjuncts: Seq[Expression]): Option[ColumnsReadFirst] = {
    // The order of Spark's own scan.
    val (fromFiles, others) = scan.output.splitAt(scan.requiredSchema.size)
    val used = AttributeSet(conjuncts.flatMap(_.references))
    val (fields, first) = scan.requiredSchema.zip(fromFiles).filter { case (_, column) =>
      used.contains(column)
    }.unzip
    val columns = first ++ others.take(scan.relation.partitionSchema.size)
    // Spark may read fewer fields of a struct than the predicate is written for.
    def isAmongThem(one: Expression) =
      columns.exists(c => c.semanticEquals(one) && c.dataType == one.dataType)
    if (first.nonEmpty && used.forall(isAmongThem))
      Some(ColumnsReadFirst(
        StructType(fields),
        BindReferences.bindReference(conjuncts.reduce(And(_, _)), columns)
      ))
    else None
  }
}
