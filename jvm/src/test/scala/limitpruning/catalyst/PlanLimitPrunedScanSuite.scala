package limitpruning.catalyst

import org.apache.spark.sql.catalyst.expressions.{GreaterThan, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.execution.{FileSourceScanExec, FilterExec, ProjectExec, SparkPlan}
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.scan.LimitPrunedScanExec
import limitpruning.tables.SelectedRelation
import limitpruning.testing.{SparkSuite, Wildlife}

class PlanLimitPrunedScanSuite extends AnyFunSuite with SparkSuite {
  private lazy val state = limitpruning.report.SharedState.of(spark)
  private lazy val wildlife = tableOf("wildlife", "a.parquet" -> Wildlife.fixture)

  private def names(plan: SparkPlan): Seq[String] = plan.collect {
    case scan: LimitPrunedScanExec => s"pruned ${scan.output.map(_.name).mkString(",")}"
    case scan: FileSourceScanExec => s"plain ${scan.relation.location.getClass.getSimpleName}"
    case _: FilterExec => "filter"
    case _: ProjectExec => "project"
  }

  /** The plan below the LIMIT of the query, after the rule. */
  private def belowLimit(query: String): LogicalPlan = {
    val rule = PruneLimits(spark, state)
    rule(limitsOf(wildlife.where(Wildlife.predicate).selectExpr(query).limit(3)).head).children.head
  }

  test("the plan has neither the filter nor the columns that only the filter needs") {
    val Seq(plan) = PlanLimitPrunedScan(spark, state)(belowLimit("species")): @unchecked
    assert(names(plan) == Seq("pruned species"))
  }

  test("the plan keeps projections that compute values") {
    val Seq(plan) = PlanLimitPrunedScan(spark, state)(belowLimit("upper(species) AS u")): @unchecked
    assert(names(plan) == Seq("project", "pruned species"))
  }

  test("line 41: if a filter is added, the plan reads the whole table and has all filters") {
    val below = belowLimit("species")
    val s = below.collectFirst { case SelectedRelation(logical, _) =>
      logical.output.find(_.name == "s").get
    }.get
    val added = below.transformUp { case filter: Filter =>
      Filter(GreaterThan(s, Literal(90L)), filter)
    }
    val Seq(plan) = PlanLimitPrunedScan(spark, state)(added): @unchecked
    assert(names(plan).filter(_.startsWith("plain")) == Seq("plain InMemoryFileIndex"))
    assert(names(plan).contains("filter"))
    assert(plan.exists { case f: FilterExec => f.condition.sql.contains("90"); case _ => false })
  }

  test("line 41: if a filter is removed, the plan also reads the whole table") {
    val removed = belowLimit("species").transformDown { case filter: Filter => filter.child }
    val Seq(plan) = PlanLimitPrunedScan(spark, state)(removed): @unchecked
    assert(names(plan).contains("plain InMemoryFileIndex"))
  }

  test("does not plan relations without a selection") {
    assert(PlanLimitPrunedScan(spark, state)(withoutPruning(optimized(wildlife))) == Nil)
    assert(PlanLimitPrunedScan(spark, state)(withoutPruning(optimized(Wildlife.query(wildlife)))) == Nil)
  }
}
