package limitpruning.search

import org.apache.spark.sql.catalyst.expressions.{
  Attribute, AttributeReference, BinaryComparison, Expression, IsNotNull, Literal
}
import org.apache.spark.sql.types.{
  ByteType, DataType, DoubleType, FloatType, IntegerType, LongType, ShortType
}

import limitpruning.predicate.MatchState

/**
 * The first task of plain Spark for a LIMIT that it may answer with one task, and whose predicate Spark's reader tries on
 * statistics, too: in any file with a row group that may match, the task may find enough rows.
 *
 * @param splitBytes Spark does not split a file that is not larger
 */
private[search] final case class FirstTask(splitBytes: Long) {

  /** Whether plain Spark opens the file once, too, and reads no more of its row groups than those that may match. */
  def readsNoMore(file: ClassifiedFile): Boolean = {
    val skipped = file.rowGroups.filter(_.state == MatchState.NotMatching)
    file.listed.length <= splitBytes && skipped.size < file.rowGroups.size &&
    skipped.forall(_.by == Layer.Statistics)
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
}
