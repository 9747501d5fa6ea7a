package limitpruning.catalyst

import scala.util.Using

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Expression, SortOrder}
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.internal.SQLConf

import limitpruning.conf.{LimitPruningConf, SparkSessions}
import limitpruning.rows.{ChooseByRows, RowsPay}
import limitpruning.search.{
  ChooseFirstRows, ChooseKeysFirst, ChooseRows, ChooseTopRows, LikelyRowGroups, LimitPlan, LimitedScan,
  NotPruned,
  SearchInputs, Table, TopRowsScan
}
import limitpruning.select.Reason
import limitpruning.tables.{Tables, UndecidedIndex}

/**
 * Chooses the rows for one LIMIT when its query runs: by the values that the subqueries of its predicate have then, or by
 * the action that runs the query. Thread-safe.
 *
 * @param leaf the relation, with the table's own file index
 * @param index the index that the rule put into the plan
 */
final class ChooseWhenRun(
    val session: SparkSession,
    state: PlanningState,
    leaf: LogicalRelation,
    val index: UndecidedIndex
) {

  /**
   * @param conjuncts the predicate, without subqueries
   * @param needed the columns that the scan reads
   * @param isVectorized whether Spark's vectorized reader reads the scan
   * @return what to read, or the reason why Spark's own scan reads the table
   * @throws IllegalStateException if the scan would return other rows than those that were chosen for a copy of it
   */
  def apply(
      conjuncts: Seq[Expression],
      needed: AttributeSet,
      conf: SQLConf,
      isVectorized: Boolean
  ): Either[NotPruned, LimitPlan] = {
    def chosen(columns: AttributeSet) = FailOpen(state, conf) {
      table.flatMap(choose(_, conjuncts, columns, conf))
    }(reason => Left(NotPruned(reason)))
    index.wanted.ofCopies.fold(chosen(needed)) { columns =>
      val choice = index.chosenOnce(chosen(columns))
      // The rule has seen to it, with the settings that there were then.
      if (!isVectorized && choice.exists(_.rows.verified.nonEmpty))
        throw new IllegalStateException(
          "A setting of Spark's Parquet reader changed after this query was planned, and the rows for its LIMIT were chosen with the old " +
            "value. Create the DataFrame again."
        )
      choice
    }
  }

  /**
   * Any rows of the table, for an action that begins with one task: each task reads the first rows of its files.
   *
   * @return what to read, or the reason why Spark's own scan reads the table
   */
  def firstRows(needed: AttributeSet, conf: SQLConf): Either[NotPruned, LimitPlan] =
    taken(Nil, needed, conf)(ChooseFirstRows(_, conf, state.facts))

  /**
   * All of the table, for an action that begins with one task: each task reads the columns of the predicate first, and then only
   * rows that match.
   *
   * @param conjuncts the predicate, over the columns that the scan reads
   * @param decision what the search of metadata found
   */
  def matchingRowsOnly(
      conjuncts: Seq[Expression],
      needed: AttributeSet,
      conf: SQLConf,
      decision: NotPruned
  ): Either[NotPruned, LimitPlan] =
    taken(conjuncts, needed, conf)(ChooseFirstRows.matching(_, conf, state.facts, decision))

  private def taken(conjuncts: Seq[Expression], needed: AttributeSet, conf: SQLConf)(
      choose: LimitedScan[Table] => Either[NotPruned, LimitPlan]
  ): Either[NotPruned, LimitPlan] =
    FailOpen(state, conf) {
      table.flatMap { table =>
        val scan = LimitedScan(index.wanted.limit, conjuncts, needed, table)
        whyNot(scan, conf).toLeft(()).flatMap(_ => choose(scan))
      }
    }(reason => Left(NotPruned(reason)))

  private def table: Either[NotPruned, Table] = Tables.of(leaf) match {
    case Some(found) => found.left.map(NotPruned(_))
    case None => Left(NotPruned(Reason.NotSparksParquet(leaf.nodeName)))
  }

  /** Equal if both choose for the same LIMIT of an optimized plan. Adaptive execution compares plans. */
  override def equals(other: Any): Boolean = other match {
    case that: ChooseWhenRun => index eq that.index
    case _ => false
  }

  override def hashCode(): Int = System.identityHashCode(index)

  private def choose(
      table: Table,
      conjuncts: Seq[Expression],
      needed: AttributeSet,
      conf: SQLConf
  ): Either[NotPruned, LimitPlan] = {
    val scan = LimitedScan(index.wanted.limit, conjuncts, needed, table)
    val keys = index.wanted.order.map(_.first.child).toSeq
    whyNot(scan, conf).toLeft(()).flatMap { _ =>
      Using.resource(new SearchInputs(scan, session, state.facts, conf, keys)) { inputs =>
        index.wanted.searched match {
          case Some(found) => byRows(scan, inputs, found, index.wanted.likely, conf)
          case None =>
            val found = byMetadata(scan, inputs)
            val minBytes = conf.getConf(LimitPruningConf.RowsMinBytes)
            RowsPay(scan, order, inputs, found, minBytes)
              .fold(found)(_ => byRows(scan, inputs, found, LikelyRowGroups.of(found), conf))
        }
      }
    }
  }

  private def order: Seq[SortOrder] = index.wanted.order.toSeq.flatMap(_.all)

  private def byMetadata(scan: LimitedScan[Table], inputs: SearchInputs): Either[NotPruned, LimitPlan] =
    topRows(scan).fold(ChooseRows(scan, inputs))(ChooseTopRows(_, inputs))

  private def topRows(scan: LimitedScan[Table]): Option[TopRowsScan] =
    index.wanted.order.map(TopRowsScan(scan, _))

  /** The row groups in which the first rows are searched for by reading columns; none if there is no order of them. */
  private def bestFirst(
      scan: LimitedScan[Table],
      inputs: SearchInputs,
      found: Either[NotPruned, LimitPlan]
  ): Option[LimitPlan] = found match {
    case _ if index.wanted.groups.nonEmpty => None // the rows of one group do not exclude those of another
    case Right(plan) => Some(plan)
    // This search has seen too little. Other reasons exclude any search.
    case Left(NotPruned(_: Reason.KeyNotClustered, _, _, _, _)) =>
      topRows(scan).flatMap(ChooseKeysFirst(_, inputs))
    case Left(_) => None
  }

  private def byRows(
      scan: LimitedScan[Table],
      inputs: SearchInputs,
      found: Either[NotPruned, LimitPlan],
      likely: LikelyRowGroups,
      conf: SQLConf
  ): Either[NotPruned, LimitPlan] =
    new ChooseByRows(
      SparkSessions.onServer(session),
      scan,
      order,
      index.wanted.groups,
      index.planAsIs,
      inputs,
      found,
      likely,
      bestFirst(scan, inputs, found),
      index.wanted.sample,
      conf
    )()

  private def whyNot(scan: LimitedScan[Table], conf: SQLConf): Option[NotPruned] = {
    val reason =
      if (!conf.getConf(LimitPruningConf.Enabled)) Some(Reason.DisabledWhenRun)
      else if (scan.waitsForSubqueries) Some(Reason.Subquery)
      else scan.table.unsupported
        .orElse(scan.table.toleratesBadFiles) // Spark's own scan is in the plan, and needs no reserve
    reason.map(NotPruned(_, Some(scan)))
  }
}
