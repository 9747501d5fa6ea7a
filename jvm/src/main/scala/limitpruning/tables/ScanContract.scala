package limitpruning.tables
import limitpruning.shims.SparkShims
import limitpruning.tables.ScanContract.{Clause, HonouredBy, NotCalled, NotPruned}

/**
 * The contract of a scan that replaces Spark's `FileSourceScanExec`. It lists every constructor field of that node and
 * of what the node reads, and every behaviour that other code relies on. Each entry names the code that honours it, or
 * the reason why such a LIMIT is not pruned. If this Spark has a field that is not listed, no LIMIT is pruned.
 */
object ScanContract {

  sealed abstract class Decision(val sentence: String)

  final case class HonouredBy(who: String) extends Decision(s"honoured by $who")

  /** @param codes codes of [[limitpruning.select.Reason]] */
  final case class NotPruned(codes: Seq[String]) extends Decision(s"not pruned: ${codes.mkString(", ")}")

  final case class NotCalled(why: String) extends Decision(s"no part of Spark needs it: $why")

  /**
   * @param what the field, method or behaviour
   * @param test a test that fails if the decision does not hold: a function in `tests/`, or a Scala suite
   */
  final case class Clause(what: String, decision: Decision, test: String)

  def all: Seq[Clause] = {
    import ScanClauses._
    fileSourceScan ++ logicalRelation ++ fsRelation ++ scanOperation ++ methods ++ behaviours
  }

  /** The first field of `part` that `clauses` do not list; none if all are listed. */
  def undecided(part: Product, clauses: Seq[Clause]): Option[String] =
    SparkShims.elementNames(part)
      .find(field => !clauses.exists(_.what == field))
      .map(field => s"${part.productPrefix}.$field")
}

/** The entries of the [[ScanContract]]. */
private[limitpruning] object ScanClauses {

  /** Constructor fields of `FileSourceScanExec`. */
  val fileSourceScan: Seq[Clause] = Seq(
    honoured(
      "relation",
      "SelectionRead: the relation's format reads, with its schemas and options"
    )("options_of_the_relation"),
    notPruned("stream", "streaming")("line_42_streaming_reads"),
    honoured("output", "LimitPrunedScanExec.output")("columns_keep_type_and_nullability"),
    honoured(
      "requiredSchema",
      "SelectionRead, as FileSourceStrategy planned it"
    )("nested_columns_are_pruned"),
    honoured("partitionFilters", "the proof, or PlanLimitPrunedScan.withAllFilters above the scan")(
      "partition_filters_stay_where_rows_are_not_proved"
    ),
    honoured("optionalBucketSet", "the proof, or the Filter above")("line_42_bucketed_tables"),
    honoured("optionalNumCoalescedBuckets", "LimitPrunedScanExec.outputPartitioning: it reports no buckets")(
      "joins_of_bucketed_tables"
    ),
    honoured(
      "dataFilters",
      "the proof, or PushedFilters and the Filter above"
    )("data_filters_are_pushed_and_stay"),
    honoured("tableIdentifier", "LimitPrunedScanExec.nodeName")("the_scan_names_the_table"),
    honoured(
      "disableBucketedScan",
      "LimitPrunedScanExec: it never reads by buckets"
    )("line_42_bucketed_tables"),
    // Since Spark 4.3, FileSourceStrategy sets it if the optimizer marked the query as small. It is only a hint:
    // operators above use the node's outputPartitioning.
    honoured(
      "markedForSingleTaskExecution",
      "LimitPrunedScanExec.outputPartitioning: it reports what the scan reads"
    )(
      "scans_that_are_marked_for_a_single_task"
    )
  )

  /** Constructor fields of `LogicalRelation`. */
  val logicalRelation: Seq[Clause] = Seq(
    honoured(
      "relation",
      "SelectedRelation.replaceIn, which replaces only the file index"
    )("options_of_the_relation"),
    honoured("output", "SelectedRelation.replaceIn")("columns_keep_type_and_nullability"),
    honoured(
      "catalogTable",
      "SelectedRelation.replaceIn, with statistics of the selection"
    )("statistics_of_the_plan"),
    notPruned("isStreaming", "streaming")("line_42_streaming_reads"),
    notPruned("stream", "streaming")("line_42_streaming_reads")
  )

  /** Constructor fields of `HadoopFsRelation`. */
  val fsRelation: Seq[Clause] = Seq(
    honoured("location", "SelectedFileIndex: the selected files, as listed while planning")(
      "nothing_is_listed_when_a_query_runs"
    ),
    honoured("partitionSchema", "ListedFile: each file with the values of its partition")(
      "partitions_at_one_location_keep_their_values"
    ),
    honoured(
      "dataSchema",
      "SelectionRead, as FileSourceStrategy planned it"
    )("a_column_of_partition_and_file"),
    honoured("bucketSpec", "LimitPrunedScanExec: it reports and uses no buckets")("line_42_bucketed_tables"),
    notPruned("fileFormat", "other-format")("ParquetTableSuite"),
    honoured(
      "options",
      "SearchInputs and SelectionRead: for Hadoop and for Parquet"
    )("options_of_the_relation")
  )

  /** The parts that `ScanOperation` extracts from a plan. */
  val scanOperation: Seq[Clause] = Seq(
    honoured(
      "projections",
      "FileSourceStrategy, which plans them above the scan"
    )("columns_keep_type_and_nullability"),
    notPruned("filters that stay up", "not-deterministic")("filters_that_stay_above"),
    honoured("filters that are pushed down", "LimitedScan: proved, or evaluated above the scan")(
      "data_filters_are_pushed_and_stay"
    ),
    honoured(
      "scalar subqueries in filters",
      "ChooseWhenRunExec: chosen by their values, and evaluated above the chosen rows"
    )("line_53_every_filter_is_evaluated_above_the_chosen_rows"),
    notPruned("other subqueries in filters", "subquery")("subqueries_in_filters"),
    notPruned("relations that are not Spark's own Parquet", "other-format", "other-file-index")(
      "ParquetTableSuite"
    )
  )

  /** Methods of `FileSourceScanExec` that operators, rules, listeners or the UI call. */
  val methods: Seq[Clause] = Seq(
    honoured(
      "doExecute",
      "LimitPrunedScanExec, which converts other rows of Spark's reader to unsafe rows"
    )("line_43_modes_of_execution"),
    honoured("doExecuteColumnar", "LimitPrunedScanExec")("line_43_modes_of_execution"),
    honoured("supportsColumnar", "LimitPrunedScanExec, like Spark's node")("line_43_modes_of_execution"),
    honoured("vectorTypes", "LimitPrunedScanExec, like Spark's node")("line_43_modes_of_execution"),
    honoured("inputRDD", "SelectionRead, with Spark's FileScanRDD")("input_metrics_of_tasks"),
    notCalled("inputRDDs", "operators call it only on nodes with generated code; no file scan has any")(
      "line_43_modes_of_execution"
    ),
    notCalled("numOutputRowsKey", "the node's own code reads it")("driver_metrics"),
    notCalled("useSingleTaskExecution", "the node's own outputPartitioning reads it")(
      "scans_that_are_marked_for_a_single_task"
    ),
    notCalled("maybeCoalesceInputRDD", "the node's own doExecute calls it")(
      "scans_that_are_marked_for_a_single_task"
    ),
    notCalled("staticMetrics", "the node's own code reads it")("driver_metrics"),
    honoured("outputPartitioning", "LimitPrunedScanExec: one task, or unknown")("joins_of_bucketed_tables"),
    honoured(
      "outputOrdering",
      "LimitPrunedScanExec: none, so operators that need an order sort"
    )("joins_of_bucketed_tables"),
    honoured("bucketedScan", "LimitPrunedScanExec: none")("line_42_bucketed_tables"),
    honoured("doCanonicalize", "LimitPrunedScanExec: equal only if the same rows of the same files are read")(
      "line_40_exchange_and_subquery_reuse"
    ),
    honoured(
      "selectedPartitions",
      "SelectedFileIndex, while planning"
    )("nothing_is_listed_when_a_query_runs"),
    notPruned("dynamicallySelectedPartitions", "filters-changed")("filters_that_come_in_later"),
    honoured("pushedDownFilters", "PushedFilters")("data_filters_are_pushed_and_stay"),
    honoured(
      "fileConstantMetadataColumns",
      "SelectionRead, like Spark's node"
    )("line_27_metadata_in_the_output"),
    honoured("metrics", "ScanMetrics, with Spark's names for Spark's metrics")("driver_metrics"),
    honoured("driverMetrics", "ScanMetrics")("driver_metrics"),
    honoured("sendDriverMetrics", "ScanMetrics.postPlanned")("driver_metrics"),
    honoured("metadata", "ScanDescription")("the_scan_names_the_table"),
    honoured("nodeName", "LimitPrunedScanExec.nodeName")("the_scan_names_the_table"),
    honoured("nodeNamePrefix", "LimitPrunedScanExec.nodeName")("the_scan_names_the_table"),
    honoured("simpleString", "ScanDescription.line")("the_scan_names_the_table"),
    honoured("verboseStringWithOperatorId", "ScanDescription.block")("the_scan_names_the_table"),
    honoured("redact", "ScanDescription")("secrets_are_redacted"),
    honoured("maxMetadataValueLength", "ScanDescription")("the_scan_names_the_table"),
    notPruned("getStream", "streaming")("line_42_streaming_reads")
  )

  /** Behaviours that belong to no single field or method. */
  val behaviours: Seq[Clause] = Seq(
    honoured(
      "_metadata columns",
      "SelectionRead and FileScanRDD; not pruned if they describe splits: split-dependent"
    )(
      "line_27_metadata_in_the_output"
    ),
    notPruned("input_file_name()", "not-deterministic")("line_27_metadata_in_the_output"),
    honoured("input metrics of tasks", "FileScanRDD")("input_metrics_of_tasks"),
    honoured("inputFiles of a DataFrame", "SelectedFileIndex: from the table's own index")("input_files"),
    honoured("ignoreCorruptFiles, ignoreMissingFiles", "FileScanRDD, with a reserve: SelectWithReserve")(
      "tolerance"
    ),
    honoured("tolerance that is switched on after planning", "SelectionRead.Strict")("tolerance_switched_on"),
    honoured(
      "settings that decide how columns are read, if changed after planning",
      "ReadSettings.changedSince: an error"
    )(
      "settings_changed_after_planning"
    ),
    honoured(
      "other read settings",
      "Spark's reader, with their values when the query runs"
    )("line_43_modes_of_execution"),
    honoured("files that change after planning", "CheckUnchanged")("a_table_that_changes_after_planning"),
    honoured("other extensions' strategies", "SelectedFileIndex: any strategy gives correct rows with it")(
      "OtherExtensionsSuite"
    ),
    honoured(
      "engines that replace Spark's operators",
      "NativeEngines: the plan keeps Spark's scan node for them"
    )(
      "OtherExtensionsSuite"
    ),
    honoured("names written in another case", "ParquetTable: filters use the column names of the schema")(
      "names_in_another_case"
    ),
    honoured(
      "runs of subqueries",
      "ChooseWhenRunExec: the values are those of the filters, or Spark's own scan runs"
    )("line_52_rows_are_chosen_by_the_values_that_the_filters_have"),
    honoured(
      "partitioning and order before the rows are chosen",
      "ChooseWhenRunExec: unknown and none, whichever scan runs"
    )("ChooseWhenRunExecSuite"),
    honoured(
      "the state of a table whose rows are chosen when the query runs",
      "ParquetTable.decideWhenRun: listed as for Spark's own scan"
    )("line_56_a_catalog_table_that_changes_before_the_query_runs"),
    honoured("plans and closures stay on the driver", "LimitPrunedScanExec")("ClosuresSuite")
  )

  private def honoured(what: String, who: String)(test: String): Clause =
    Clause(what, HonouredBy(who), named(test))

  private def notPruned(what: String, codes: String*)(test: String): Clause =
    Clause(what, NotPruned(codes), named(test))

  private def notCalled(what: String, why: String)(test: String): Clause =
    Clause(what, NotCalled(why), named(test))

  private def named(test: String): String = if (test.endsWith("Suite")) test else s"test_$test"
}
