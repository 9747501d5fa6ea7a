package limitpruning.report

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.plans.logical.{Command, LogicalPlan}
import org.apache.spark.sql.execution.CommandExecutionMode

import limitpruning.conf.SparkSessions
import limitpruning.shims.{ClassicDataset, ClassicSession}

/**
 * The table functions, by which clients without access to the driver's JVM see reports: Spark Connect, JDBC, the Thrift server.
 * Arguments are constants, by position or by name. The table or query of an argument is analyzed when the call is analyzed, in
 * the session of the call, so its catalogs and access rules apply. The rows are made when the query runs.
 */
private[limitpruning] object TableFunctions {

  /** A function as `SparkSessionExtensions.injectTableFunction` takes it. */
  type Description = (FunctionIdentifier, ExpressionInfo, Seq[Expression] => LogicalPlan)

  private val table = Argument("table")
  private val predicate = Argument("predicate", Some("NULL"))
  private val limit = Argument("limit", Some("1"))
  private val maxFiles = Argument("max_files", Some("NULL"))
  private val maxQueries = Argument("max_queries", Some("NULL"))
  private val query = Argument("query")

  val All: Seq[Description] = Seq(
    described(
      "limit_pruning_history",
      "Returns one row for each of the last queries of the application with a LIMIT over Parquet that ran.",
      maxQueries
    )(call => ReportSource.Queries(call.function, call.count(maxQueries).getOrElse(Int.MaxValue))),
    described(
      "limit_pruning_totals",
      "Returns one row with sums over all queries of the application with a LIMIT over Parquet that ran."
    )(call => ReportSource.Sums(call.function)),
    described(
      "limit_pruning_report",
      "Returns one row for each LIMIT over Parquet of a query. The query is planned, but does not run.",
      query
    )(call => ReportSource.Limits(call.function, queryOf(call))),
    described(
      "limit_pruning_inspect",
      "Inspects a Parquet table for a predicate, and returns one row for each row group. No query runs.",
      table,
      predicate,
      limit,
      maxFiles
    )(call => ReportSource.RowGroups(call.function, limitOf(call), filesOf(call))),
    described(
      "limit_pruning_inspect_summary",
      "Inspects a Parquet table for a predicate, and returns one row with the results. No query runs.",
      table,
      predicate,
      limit,
      maxFiles
    )(call => ReportSource.Summary(call.function, limitOf(call), filesOf(call)))
  )

  private def described(name: String, usage: String, parameters: Argument*)(
      source: FunctionCall => ReportSource
  ): Description = {
    val signature = parameters.map(p => p.name + p.default.fold("")(" => " + _)).mkString("(", ", ", ")")
    val info = new ExpressionInfo(
      getClass.getName.stripSuffix("$"),
      null,
      name,
      s"_FUNC_$signature - $usage",
      "",
      "",
      "",
      "table_funcs",
      "",
      "",
      "built-in"
    )
    (
      FunctionIdentifier(name),
      info,
      passed => ReportRelation(source(FunctionCall(name, parameters, passed)))
    )
  }

  private def filesOf(call: FunctionCall): Int = call.count(maxFiles).getOrElse(Int.MaxValue)

  /** The LIMIT over the table that is inspected. */
  private def limitOf(call: FunctionCall): LogicalPlan = analyzed(call) { session =>
    val name = call.required(table)
    if (name.contains("/") && !name.contains("`"))
      throw new LimitPruningException(
        s"${call.function}: table is '$name'. Supported are the name of a table or view, and a format and a path as in " +
          s"parquet.`$name`."
      )
    val rows = session.table(name)
    val matching = call.text(predicate).fold(rows)(rows.where(_))
    matching.limit(call.count(limit).getOrElse(1)) match {
      case limited: ClassicDataset => limited.queryExecution.analyzed
    }
  }

  /** The query that is described. A command would run when it is described, so it is not supported. */
  private def queryOf(call: FunctionCall): LogicalPlan = analyzed(call) { session =>
    val state = session.sessionState
    def checked(plan: LogicalPlan): LogicalPlan = {
      for (command <- plan.collectFirst { case command: Command => command })
        throw new LimitPruningException(
          s"${call.function}: the query is a command (${command.nodeName}). Supported is a query: give its SELECT alone."
        )
      plan
    }
    val parsed = checked(state.sqlParser.parsePlan(call.required(query)))
    val execution = state.executePlan(parsed, CommandExecutionMode.SKIP)
    execution.assertAnalyzed()
    checked(execution.analyzed)
  }

  private def analyzed(call: FunctionCall)(
      analyze: ClassicSession => LogicalPlan
  ): LogicalPlan =
    try analyze(SparkSessions.onServer(SparkSession.active))
    catch {
      case _: StackOverflowError =>
        throw new LimitPruningException(
          s"${call.function}: its table or query is too deeply nested, or is a view that calls the function for itself. " +
            "Name the table itself."
        )
    }
}
