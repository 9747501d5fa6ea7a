package limitpruning.catalyst

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression}
import org.apache.spark.sql.catalyst.planning.ScanOperation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan}
import org.apache.spark.sql.execution.datasources.v2.{BatchScanExec, DataSourceV2Strategy}

import limitpruning.conf.SparkSessions
import limitpruning.shims.Strategy
import limitpruning.tables.{Iceberg, UndecidedScan}

/**
 * Plans the scan of a table of data source V2 whose rows are chosen when the query runs: as Spark plans it, with a node above
 * the scan that chooses. If the filters are not those for which rows are to be chosen, only Spark's own nodes are planned.
 */
final case class PlanUndecidedFiles(session: SparkSession, state: PlanningState) extends Strategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case ScanOperation(_, filtersAbove, filters, Undecided(scan)) =>
      val restored = plan.transformDown(Function.unlift(Iceberg.restored))
      val planned = new DataSourceV2Strategy(SparkSessions.onServer(session))(restored)
      if (filtersAbove.isEmpty && areAsWanted(filters, scan)) planned.map(chooseWhenRun(_, scan))
      else planned
    case _ => Nil
  }

  private def areAsWanted(filters: Seq[Expression], scan: UndecidedScan): Boolean = {
    def normalized(conjuncts: Seq[Expression]) = conjuncts.map(_.canonicalized).toSet
    normalized(filters) == normalized(scan.wanted.rows.conjuncts)
  }

  private def chooseWhenRun(planned: SparkPlan, scan: UndecidedScan): SparkPlan = {
    val wanted = scan.wanted.rows
    val withChoice = planned.transformUp {
      case batch: BatchScanExec if (batch.scan eq scan.original) && batch.runtimeFilters.isEmpty =>
        val choose = new ChooseFilesWhenRun(session, state, scan.wanted)
        val keys = wanted.order.toSeq.flatMap(_.all)
        ChooseFilesWhenRunExec(wanted.conjuncts, wanted.limit, keys, wanted.groups, Some(choose), batch)
    }
    val unsafe = withChoice match {
      // Spark may remove it later, because it changes nothing but the format of rows and the order of columns.
      case ProjectExec(columns, below)
          if columns.forall(_.isInstanceOf[Attribute]) && AttributeSet(columns) == below.outputSet =>
        ToUnsafeRowsExec(columns.map(_.toAttribute), below)
      case other => other
    }
    if (wanted.isRoot && wanted.order.isEmpty) TakeFirstRowsExec(wanted.limit, unsafe) else unsafe
  }

  private object Undecided {
    def unapply(plan: LogicalPlan): Option[UndecidedScan] = Iceberg.undecided(plan)
  }
}
