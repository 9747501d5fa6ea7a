package limitpruning.tables

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.{
  FileIndex, FileSourceStrategy, LogicalRelation, PartitionDirectory
}
import org.apache.spark.sql.types.StructType

import limitpruning.search.{LimitPlan, NotPruned}

/**
 * A table's own file index, with the rows that a LIMIT needs. It carries them from the rule to the strategy. It lists what
 * the original lists, so a plan with it gives correct rows with any planner strategy. Two of these indexes are equal only
 * if they are of the same class, and the same rows of the same table are wanted; below outer joins, only if they are one.
 */
trait UndecidedIndex extends FileIndex {

  /** The table's own index, which lists the files that remain after partition pruning. */
  def original: FileIndex

  def wanted: WantedRows

  /** The columns of the relation, over which `wanted` is. */
  protected def columns: Seq[Attribute]

  /**
   * Plans a scan as without the extension.
   *
   * @param plan over the original index, or over a [[SelectedIndex]]
   */
  def planAsIs(plan: LogicalPlan): Seq[SparkPlan]

  /** What is chosen for all copies of the relation. */
  @transient final val chosenOnce: ChosenOnce[Either[NotPruned, LimitPlan]] = new ChosenOnce

  override def inputFiles: Array[String] = original.inputFiles
  override def refresh(): Unit = original.refresh()
  override def sizeInBytes: Long = original.sizeInBytes

  private lazy val canonicalized = wanted.canonicalized(columns)

  override def equals(other: Any): Boolean = other match {
    case that: UndecidedIndex =>
      (this eq that) || wanted.ofCopies.isEmpty && getClass == that.getClass && original == that.original &&
      canonicalized == that.canonicalized
    case _ => false
  }

  override def hashCode(): Int = (original, wanted.limit).hashCode()
}

/** An [[UndecidedIndex]] of Spark's own tables. */
private final class UndecidedFileIndex(
    override val original: FileIndex,
    override val wanted: WantedRows,
    override protected val columns: Seq[Attribute]
) extends UndecidedIndex {

  override def planAsIs(plan: LogicalPlan): Seq[SparkPlan] = FileSourceStrategy(plan)

  override def rootPaths: Seq[Path] = original.rootPaths
  override def partitionSchema: StructType = original.partitionSchema
  override def metadataOpsTimeNs: Option[Long] = original.metadataOpsTimeNs

  override def listFiles(
      partitionFilters: Seq[Expression],
      dataFilters: Seq[Expression]
  ): Seq[PartitionDirectory] = original.listFiles(partitionFilters, dataFilters)
}

/** A Parquet relation with an [[UndecidedIndex]]. The rule creates it, and the strategy plans it. */
object UndecidedRelation {

  def unapply(plan: LogicalPlan): Option[(LogicalRelation, UndecidedIndex)] = plan match {
    case IndexedRelation(logical, index: UndecidedIndex) => Some((logical, index))
    case _ => None
  }

  /** Replaces the file index of `leaf` by `index`. */
  private[tables] def replaceIn(
      plan: LogicalPlan,
      leaf: LogicalRelation,
      index: UndecidedIndex
  ): LogicalPlan = SelectedRelation.replace(plan, leaf, index, None)

  /** Restores the original file index of each such relation in the plan. */
  def restoreIn(plan: LogicalPlan): LogicalPlan = plan.transformDown {
    case UndecidedRelation(logical, index) => restored(logical, index)
  }

  /** The relation with its original file index. */
  def restored(logical: LogicalRelation, index: UndecidedIndex): LogicalRelation =
    SelectedRelation.withLocation(logical, index.original)
}
