package limitpruning.tables

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.catalog.CatalogStatistics
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, SortOrder}
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.{
  FileIndex, HadoopFsRelation, LogicalRelation, PartitionDirectory
}
import org.apache.spark.sql.types.StructType

import limitpruning.search.{LimitPlan, NotPruned}

/**
 * The sort keys of an ORDER BY … LIMIT.
 *
 * @param overTable the first sort key, over the table's columns
 * @param overOutput the same key, over the output of the child of the Sort
 * @param keys all sort keys, over the table's columns
 */
final case class WantedOrder(overTable: SortOrder, overOutput: SortOrder, keys: Seq[SortOrder]) {

  /** Whether there is no other sort key. */
  def isOnlyKey: Boolean = keys.size == 1
}

/**
 * The rows that a LIMIT needs, if they are chosen when the query runs.
 *
 * @param limit rows that the LIMIT needs, with its OFFSET
 * @param conjuncts the predicate, with subqueries, over the table's columns
 * @param order none if any rows that match will do
 * @param searched what the search of metadata found while planning, which does not cover the LIMIT or reads more rows than it
 *   needs, so that columns are read to choose the rows; none if metadata have not been searched
 */
final case class WantedRows(
    limit: Int,
    conjuncts: Seq[Expression],
    order: Option[WantedOrder],
    searched: Option[Either[NotPruned, LimitPlan]] = None
) {

  /** Whether the first rows of any file will do. */
  def areAny: Boolean = conjuncts.isEmpty && order.isEmpty
}

/**
 * A table's own file index, with the rows that a LIMIT needs. It carries them from the rule to the strategy. It lists what
 * the original lists, so a plan with it gives correct rows with any planner strategy. Two of these indexes are equal only
 * if the same number of rows is wanted, with the same predicate, in the same order.
 *
 * The predicate counts: Spark merges subqueries over equal relations, `SELECT max(k) FROM t WHERE p` with `SELECT max(k) FROM
 * t` into one aggregate with a FILTER, which needs the rows of both.
 *
 * @param original the table's own index, which lists the files that remain after partition pruning
 * @param columns the columns of the relation, over which `wanted` is
 */
final class UndecidedIndex private[tables] (
    val original: FileIndex,
    val wanted: WantedRows,
    columns: Seq[Attribute]
) extends FileIndex {

  /** What decides which rows are chosen, in a form that does not depend on the ids of columns. */
  private lazy val canonicalized = {
    def normalized(e: Expression) = QueryPlan.normalizeExpressions(e, columns).canonicalized
    val order = wanted.order.map(order => order.keys.map(normalized))
    (wanted.limit, wanted.conjuncts.map(normalized), order, wanted.searched.nonEmpty)
  }

  override def rootPaths: Seq[Path] = original.rootPaths
  override def partitionSchema: StructType = original.partitionSchema
  override def metadataOpsTimeNs: Option[Long] = original.metadataOpsTimeNs
  override def inputFiles: Array[String] = original.inputFiles
  override def refresh(): Unit = original.refresh()
  override def sizeInBytes: Long = original.sizeInBytes

  override def listFiles(
      partitionFilters: Seq[Expression],
      dataFilters: Seq[Expression]
  ): Seq[PartitionDirectory] = original.listFiles(partitionFilters, dataFilters)

  override def equals(other: Any): Boolean = other match {
    case that: UndecidedIndex => original == that.original && canonicalized == that.canonicalized
    case _ => false
  }

  override def hashCode(): Int = (original, wanted.limit).hashCode()
}

/** A Parquet relation with an [[UndecidedIndex]]. The rule creates it, and the strategy plans it. */
object UndecidedRelation {

  def unapply(plan: LogicalPlan): Option[(LogicalRelation, UndecidedIndex)] = plan match {
    case logical: LogicalRelation =>
      logical.relation match {
        case files: HadoopFsRelation =>
          files.location match {
            case index: UndecidedIndex => Some((logical, index))
            case _ => None
          }
        case _ => None
      }
    case _ => None
  }

  /** @param pruned the index of `leaf`, after partition pruning */
  private[tables] def replaceIn(
      plan: LogicalPlan,
      leaf: LogicalRelation,
      pruned: FileIndex,
      wanted: WantedRows
  ): LogicalPlan = {
    val isPruned = leaf.relation match {
      case files: HadoopFsRelation => files.location ne pruned
      case _ => false
    }
    val statistics = if (isPruned) Some(CatalogStatistics(BigInt(pruned.sizeInBytes))) else None
    SelectedRelation.replace(plan, leaf, new UndecidedIndex(pruned, wanted, leaf.output), statistics)
  }

  /** Restores the original file index of each such relation in the plan. */
  def restoreIn(plan: LogicalPlan): LogicalPlan = plan.transformDown {
    case UndecidedRelation(logical, index) => restored(logical, index)
  }

  /** The relation with its original file index. */
  def restored(logical: LogicalRelation, index: UndecidedIndex): LogicalRelation =
    SelectedRelation.withLocation(logical, index.original)
}
