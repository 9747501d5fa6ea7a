package limitpruning.report

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate, BaseEvalPython, Filter, GlobalLimit, Join, LeafNode, LocalLimit, LocalRelation, LogicalPlan,
  Offset, Project, Sort, Tail, Union, Window
}
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

import limitpruning.catalyst.MatchLimit
import limitpruning.conf.SparkSessions
import limitpruning.footers.FactsCache
import limitpruning.search.{InspectFiles, InspectTable, LimitedScan, ManifestTable, Table}
import limitpruning.select.Reason
import limitpruning.tables.{Iceberg, SelectedRelation}

/** Finds the one scan below the LIMIT of a query that is inspected. */
private[report] object FindScan {

  /** Makes the table from the optimized plan of the same query, with what was chosen for the LIMIT. */
  type Found = LogicalPlan => InspectedTable

  /**
   * @param cache the application's cache of metadata
   * @return the table below the LIMIT, or a sentence that says what the query contains instead, and what to do
   */
  def apply(query: QueryExecution, session: SparkSession, cache: FactsCache): Either[String, Found] =
    // The optimizer merges LIMITs, and removes a LIMIT of at least as many rows as there are. So limits are counted before.
    if (limits(query.withCachedData) > 1)
      Left(notInspected(
        "more than one LIMIT or OFFSET (inspect adds a LIMIT)",
        "remove the others, and set the limit of inspect"
      ))
    else {
      val plan = query.optimizedPlan
      val limit = plan.collectFirst { case limit: LocalLimit => limit }
      limit.flatMap(MatchLimit.over[ManifestTable](_)(Iceberg.table(cache)))
        .map(_.map(ofManifests))
        .orElse(limit.flatMap(MatchLimit.of).map(
          _.filterOrElse(!_.waitsForSubqueries, Reason.Subquery).map(ofFiles(_, session, cache))
        )) match {
        case Some(Right(found)) => Right(found)
        case Some(Left(reason)) if !reason.isInstanceOf[Reason.OperatorBetween] => Left(notInspected(reason))
        case _ => Left(obstacle(limit.fold(plan)(_.child)))
      }
    }

  private def ofManifests(found: LimitedScan[ManifestTable]): Found = { planned =>
    val chosen = planned.collect { case leaf => Iceberg.chosen(leaf) }.flatten.headOption
    new InspectedManifests(new InspectFiles(found.conjuncts, found.table), chosen.flatMap(_.toOption))
  }

  private def ofFiles(scan: LimitedScan[Table], session: SparkSession, cache: FactsCache): Found = {
    planned =>
      val selection = planned.collectFirst { case SelectedRelation(_, index) => index.chosen.selection }
      val conf = SparkSessions.onServer(session).sessionState.conf
      new InspectedFooters(new InspectTable(scan, session, cache, conf), selection)
  }

  private def notInspected(reason: Reason): String =
    s"LIMITs over this query are not pruned (${reason.code}): ${reason.message}."

  private def limits(plan: LogicalPlan): Int = plan.collect {
    case limit: LocalLimit => limit
    case offset: Offset => offset
    case tail: Tail => tail
  }.size

  private def obstacle(plan: LogicalPlan): String = plan match {
    case Project(_, child) => obstacle(child)
    case Filter(_, child) => obstacle(child)
    case GlobalLimit(_, child) => obstacle(child)
    case empty: LocalRelation if empty.data.isEmpty =>
      "No file has to be read: the predicate is false for every row, or the table has no rows."
    case _: InMemoryRelation =>
      notInspected(
        "a cached DataFrame (InMemoryRelation)",
        "call unpersist() first, or inspect the table itself"
      )
    case _: Union => notInspected("a UNION", "inspect each of its tables on its own")
    case _: Join => notInspected("a JOIN", "inspect each of its tables on its own")
    case _: Aggregate => notInspected("an aggregation (Aggregate)", "inspect the table itself")
    case _: Sort => notInspected("an ORDER BY (Sort)", "inspect the query without it")
    case udf: BaseEvalPython =>
      notInspected(s"a Python UDF (${udf.nodeName})", "inspect the query without it")
    case _: Window => notInspected("a window function (Window)", "inspect the table itself")
    case relation: LogicalRelation => notInspected(source(relation), "inspect a Parquet table")
    case leaf: LeafNode =>
      notInspected(s"${leaf.nodeName}, which is no Parquet table", "inspect a Parquet table")
    case other => notInspected(other.nodeName, "inspect the table itself")
  }

  private def source(relation: LogicalRelation): String = relation.relation match {
    case files: HadoopFsRelation => s"a table of the format ${files.fileFormat}"
    case other => s"a table that is read by ${other.getClass.getSimpleName}"
  }

  private def notInspected(found: String, advice: String): String =
    s"The query contains $found. Supported are filters and projections over one Parquet table: $advice."
}
