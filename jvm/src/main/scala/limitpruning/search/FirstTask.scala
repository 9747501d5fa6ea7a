package limitpruning.search

import org.apache.spark.sql.catalyst.expressions.{Attribute, BinaryComparison, Expression, IsNotNull, Literal}

import limitpruning.predicate.LeafColumn

/**
 * The first task of plain Spark for a LIMIT that it may answer with one task, and whose reader skips row groups by
 * statistics, too.
 *
 * @param splitBytes Spark does not split a file that is not larger
 * @param isOneRound whether plain Spark reads the table in no more tasks than run at the same time
 * @param conjuncts the predicate that `classify` classifies by
 * @param partitions columns whose values come from the directory
 */
private[search] final class FirstTask(
    splitBytes: Long,
    isOneRound: Boolean,
    conjuncts: Seq[Expression],
    partitions: Seq[Attribute],
    classify: ClassifyRowGroups
) {
  import FirstTask._

  private val columns = conjuncts.map(columnOf(_, partitions)).toIndexedSeq

  /** For each conjunct, whether Spark's reader tries it on the statistics of the file. */
  private def triedIn(file: ClassifiedFile): IndexedSeq[Boolean] =
    columns.map(_.exists(file.facts.isPushedDown))

  /**
   * Whether Spark's reader tries the whole predicate on the statistics of the file. If a row group may match, the task may
   * find enough rows in the file then.
   */
  def triesAll(file: ClassifiedFile): Boolean = triedIn(file).forall(identity)

  /** Whether plain Spark opens the file once, too, and reads no more of its row groups than those that may match. */
  def readsNoMore(file: ClassifiedFile): Boolean = {
    val tried = triedIn(file)
    val areAll = tried.forall(identity)
    def isSkipped(rowGroup: Int) = file.rowGroups(rowGroup).by == Layer.Statistics &&
      (areAll || classify.isNeverTrue(file.known(rowGroup))(tried))
    file.listed.length <= splitBytes && file.notMatching < file.rowGroups.size &&
    // With another conjunct, few rows may match. A selection is read in fewer tasks.
    (areAll || (isOneRound && tried.contains(true) && file.notMatching <= MostEvaluated)) &&
    file.rowGroups.indices.forall(rowGroup => file.mayMatch(rowGroup) || isSkipped(rowGroup))
  }
}

private[search] object FirstTask {

  /**
   * The column of a conjunct that Spark passes to its reader, whatever the settings of single types: a comparison of a column
   * with a value. None for other conjuncts. Whether the reader tries it depends on the types of the file, too.
   */
  private def columnOf(conjunct: Expression, partitions: Seq[Attribute]): Option[LeafColumn] = {
    def column(e: Expression) = e match {
      case LeafColumn(column)
          if column.path.isEmpty && !partitions.exists(_.semanticEquals(column.attribute)) =>
        Some(column)
      case _ => None
    }
    conjunct match {
      case IsNotNull(child) => column(child)
      case BinaryComparison(child, Literal(value, _)) if isOrderedAlike(value) => column(child)
      case _ => None
    }
  }

  /** parquet-java has -0.0 below 0.0, and compares nothing with NaN. */
  private def isOrderedAlike(value: Any): Boolean = value match {
    case double: Double => double != 0 && !double.isNaN
    case float: Float => float != 0 && !float.isNaN
    case _ => true
  }

  /** The predicate is evaluated again for so many row groups of a file at most. */
  private val MostEvaluated = 1000
}
