package limitpruning.search

import org.apache.spark.sql.catalyst.expressions.{
  Attribute, AttributeReference, BinaryComparison, Expression, IsNotNull, Literal
}
import org.apache.spark.sql.types.{
  ByteType, DataType, DoubleType, FloatType, IntegerType, LongType, ShortType
}

/**
 * The first task of plain Spark for a LIMIT that it may answer with one task, and whose reader skips row groups by
 * statistics, too: in any file with a row group that may match, the task may find enough rows.
 *
 * @param splitBytes Spark does not split a file that is not larger
 * @param skipsAll whether Spark's reader tries the whole predicate on statistics
 * @param skips whether a row group, by its ordinal, is one in which no row satisfies a conjunct that Spark's reader tries
 */
private[search] final case class FirstTask(
    splitBytes: Long,
    skipsAll: Boolean,
    skips: (ClassifiedFile, Int) => Boolean
) {
  import FirstTask._

  /** Whether plain Spark opens the file once, too, and reads no more of its row groups than those that may match. */
  def readsNoMore(file: ClassifiedFile): Boolean = {
    def isSkipped(rowGroup: Int) =
      file.rowGroups(rowGroup).by == Layer.Statistics && (skipsAll || skips(file, rowGroup))
    file.listed.length <= splitBytes && file.notMatching < file.rowGroups.size &&
    (skipsAll || file.notMatching <= MostEvaluated) &&
    file.rowGroups.indices.forall(rowGroup => file.mayMatch(rowGroup) || isSkipped(rowGroup))
  }
}

private[search] object FirstTask {

  /**
   * Whether Spark passes a conjunct to its reader, which skips row groups by it, whatever the settings of single types: a
   * comparison of a column of numbers with a value.
   */
  def skipsBy(conjunct: Expression, partitions: Seq[Attribute]): Boolean = {
    def isColumn(e: Expression) = e match {
      case column: AttributeReference =>
        isNumber(column.dataType) && !partitions.exists(_.semanticEquals(column))
      case _ => false
    }
    conjunct match {
      case IsNotNull(column) => isColumn(column)
      case BinaryComparison(column, _: Literal) => isColumn(column)
      case _ => false
    }
  }

  private def isNumber(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType => true
    case _ => false
  }

  /** The predicate is evaluated again for so many row groups at most. */
  private val MostEvaluated = 1000
}
