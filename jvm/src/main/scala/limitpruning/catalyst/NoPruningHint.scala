package limitpruning.catalyst

import org.apache.spark.sql.catalyst.plans.logical.{AnalysisHelper, LogicalPlan, UnresolvedHint}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.UNRESOLVED_HINT

import limitpruning.parquet.ColumnNames
import limitpruning.select.Reason

/**
 * The hint NO_LIMIT_PRUNING: no LIMIT over a table inside the SELECT with the hint is pruned. Resolves the hint, together with
 * Spark's own hints. Spark warns of a hint with parameters, and ignores it.
 */
object NoPruningHint extends Rule[LogicalPlan] {

  /** The name of the hint. Letter case does not matter. */
  val Name = "NO_LIMIT_PRUNING"

  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveOperatorsUpWithPruning(_.containsPattern(UNRESOLVED_HINT)) {
      case UnresolvedHint(name, Seq(), child) if ColumnNames.areSame(name, Name, caseSensitive = false) =>
        AnalysisHelper.allowInvokingTransformsInAnalyzer(UnprunedTables.marked(child, Reason.Hint))
    }
}
