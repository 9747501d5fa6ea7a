"""The contract of the scan: every decision has a test, and this Spark has nothing undecided."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support.paths import SCALA, SCALA_TESTS, TEST_FILES
from support.runs import ENABLED, conf
from support.scan_tables import is_pruned, partitioned, plain

NOT_PRUNED = "not pruned: "
# By field, method or behaviour: who honours it, or codes of reasons why the LIMIT is "not pruned",
# or why no part of Spark needs it ("not called"); and a test that fails if this does not hold: a
# function without its "test_", or a Scala suite.
Part: TypeAlias = dict[str, tuple[str, str]]

# Constructor fields of `FileSourceScanExec`.
FILE_SOURCE_SCAN: Part = {
    "relation": (
        "SelectionRead: the relation's format reads, with its schemas and options",
        "options_of_the_relation",
    ),
    "stream": ("not pruned: streaming", "line_42_streaming_reads"),
    "output": ("LimitPrunedScanExec.output", "columns_keep_type_and_nullability"),
    "requiredSchema": (
        "SelectionRead, as FileSourceStrategy planned it",
        "nested_columns_are_pruned",
    ),
    "partitionFilters": (
        "the proof, or PlanLimitPrunedScan.withAllFilters above the scan",
        "partition_filters_stay_where_rows_are_not_proved",
    ),
    "optionalBucketSet": ("the proof, or the Filter above", "line_42_bucketed_tables"),
    "optionalNumCoalescedBuckets": (
        "LimitPrunedScanExec.outputPartitioning: it reports no buckets",
        "joins_of_bucketed_tables",
    ),
    "dataFilters": (
        "the proof, or PushedFilters and the Filter above",
        "data_filters_are_pushed_and_stay",
    ),
    "tableIdentifier": ("LimitPrunedScanExec.nodeName", "the_scan_names_the_table"),
    "disableBucketedScan": (
        "LimitPrunedScanExec: it never reads by buckets",
        "line_42_bucketed_tables",
    ),
    "markedForSingleTaskExecution": (
        "LimitPrunedScanExec.outputPartitioning: it reports what the scan reads",
        "scans_that_are_marked_for_a_single_task",
    ),
}
# Constructor fields of `LogicalRelation`.
LOGICAL_RELATION: Part = {
    "relation": (
        "SelectedRelation.replaceIn, which replaces only the file index",
        "options_of_the_relation",
    ),
    "output": ("SelectedRelation.replaceIn", "columns_keep_type_and_nullability"),
    "catalogTable": (
        "SelectedRelation.replaceIn, with statistics of the selection",
        "statistics_of_the_plan",
    ),
    "isStreaming": ("not pruned: streaming", "line_42_streaming_reads"),
    "stream": ("not pruned: streaming", "line_42_streaming_reads"),
}
# Constructor fields of `HadoopFsRelation`.
FS_RELATION: Part = {
    "location": (
        "SelectedFileIndex: the selected files, as listed while planning",
        "nothing_is_listed_when_a_query_runs",
    ),
    "partitionSchema": (
        "ListedFile: each file with the values of its partition",
        "partitions_at_one_location_keep_their_values",
    ),
    "dataSchema": (
        "SelectionRead, as FileSourceStrategy planned it",
        "a_column_of_partition_and_file",
    ),
    "bucketSpec": (
        "LimitPrunedScanExec: it reports and uses no buckets",
        "line_42_bucketed_tables",
    ),
    "fileFormat": ("not pruned: other-format", "ParquetTableSuite"),
    "options": (
        "SearchInputs and SelectionRead: for Hadoop and for Parquet",
        "options_of_the_relation",
    ),
}
# The parts that `ScanOperation` extracts from a plan.
SCAN_OPERATION: Part = {
    "projections": (
        "FileSourceStrategy, which plans them above the scan",
        "columns_keep_type_and_nullability",
    ),
    "filters that stay up": ("not pruned: not-deterministic", "filters_that_stay_above"),
    "filters that are pushed down": (
        "LimitedScan: proved, or evaluated above the scan",
        "data_filters_are_pushed_and_stay",
    ),
    "scalar subqueries in filters": (
        "ChooseWhenRunExec: chosen by their values, and evaluated above the chosen rows",
        "line_53_every_filter_is_evaluated_above_the_chosen_rows",
    ),
    "other subqueries in filters": ("not pruned: subquery", "subqueries_in_filters"),
    "relations that are not Spark's own Parquet": (
        "not pruned: other-format, other-file-index",
        "ParquetTableSuite",
    ),
}
# Methods of `FileSourceScanExec` that operators, rules, listeners or the UI call.
METHODS: Part = {
    "doExecute": (
        "LimitPrunedScanExec, which converts other rows of Spark's reader to unsafe rows",
        "line_43_modes_of_execution",
    ),
    "doExecuteColumnar": ("LimitPrunedScanExec", "line_43_modes_of_execution"),
    "supportsColumnar": ("LimitPrunedScanExec, like Spark's node", "line_43_modes_of_execution"),
    "vectorTypes": ("LimitPrunedScanExec, like Spark's node", "line_43_modes_of_execution"),
    "inputRDD": ("SelectionRead, with Spark's FileScanRDD", "input_metrics_of_tasks"),
    "inputRDDs": (
        "not called: operators call it only on nodes with generated code; no file scan has any",
        "line_43_modes_of_execution",
    ),
    "numOutputRowsKey": ("not called: the node's own code reads it", "driver_metrics"),
    "useSingleTaskExecution": (
        "not called: the node's own outputPartitioning reads it",
        "scans_that_are_marked_for_a_single_task",
    ),
    "maybeCoalesceInputRDD": (
        "not called: the node's own doExecute calls it",
        "scans_that_are_marked_for_a_single_task",
    ),
    "staticMetrics": ("not called: the node's own code reads it", "driver_metrics"),
    "outputPartitioning": ("LimitPrunedScanExec: one task, or unknown", "joins_of_bucketed_tables"),
    "outputOrdering": (
        "LimitPrunedScanExec: none, so operators that need an order sort",
        "joins_of_bucketed_tables",
    ),
    "bucketedScan": ("LimitPrunedScanExec: none", "line_42_bucketed_tables"),
    "doCanonicalize": (
        "LimitPrunedScanExec: equal only if the same rows of the same files are read",
        "line_40_exchange_and_subquery_reuse",
    ),
    "selectedPartitions": (
        "SelectedFileIndex, while planning",
        "nothing_is_listed_when_a_query_runs",
    ),
    "dynamicallySelectedPartitions": ("not pruned: filters-changed", "filters_that_come_in_later"),
    "pushedDownFilters": ("PushedFilters", "data_filters_are_pushed_and_stay"),
    "fileConstantMetadataColumns": (
        "SelectionRead, like Spark's node",
        "line_27_metadata_in_the_output",
    ),
    "metrics": ("ScanMetrics, with Spark's names for Spark's metrics", "driver_metrics"),
    "driverMetrics": ("ScanMetrics", "driver_metrics"),
    "sendDriverMetrics": ("ScanMetrics.postPlanned", "driver_metrics"),
    "metadata": ("ScanDescription", "the_scan_names_the_table"),
    "nodeName": ("LimitPrunedScanExec.nodeName", "the_scan_names_the_table"),
    "nodeNamePrefix": ("LimitPrunedScanExec.nodeName", "the_scan_names_the_table"),
    "simpleString": ("ScanDescription.line", "the_scan_names_the_table"),
    "verboseStringWithOperatorId": ("ScanDescription.block", "the_scan_names_the_table"),
    "redact": ("ScanDescription", "secrets_are_redacted"),
    "maxMetadataValueLength": ("ScanDescription", "the_scan_names_the_table"),
    "getStream": ("not pruned: streaming", "line_42_streaming_reads"),
}
# Behaviours that belong to no single field or method.
BEHAVIOURS: Part = {
    "_metadata columns": (
        "SelectionRead and FileScanRDD; not pruned if they describe splits: split-dependent",
        "line_27_metadata_in_the_output",
    ),
    "input_file_name()": ("not pruned: not-deterministic", "line_27_metadata_in_the_output"),
    "input metrics of tasks": ("FileScanRDD", "input_metrics_of_tasks"),
    "inputFiles of a DataFrame": ("SelectedFileIndex: from the table's own index", "input_files"),
    "ignoreCorruptFiles, ignoreMissingFiles": (
        "FileScanRDD, with a reserve: SelectWithReserve",
        "tolerance",
    ),
    "tolerance that is switched on after planning": (
        "SelectionRead.Strict",
        "tolerance_switched_on",
    ),
    "settings that decide how columns are read, if changed after planning": (
        "ReadSettings.changedSince: an error",
        "settings_changed_after_planning",
    ),
    "other read settings": (
        "Spark's reader, with their values when the query runs",
        "line_43_modes_of_execution",
    ),
    "files that change after planning": ("CheckUnchanged", "a_table_that_changes_after_planning"),
    "other extensions' strategies": (
        "SelectedFileIndex: any strategy gives correct rows with it",
        "OtherExtensionsSuite",
    ),
    "engines that replace Spark's operators": (
        "NativeEngines: the plan keeps Spark's scan node for them",
        "OtherExtensionsSuite",
    ),
    "names written in another case": (
        "ParquetTable: filters use the column names of the schema",
        "names_in_another_case",
    ),
    "runs of subqueries": (
        "ChooseWhenRunExec: the values are those of the filters, or Spark's own scan runs",
        "line_52_rows_are_chosen_by_the_values_that_the_filters_have",
    ),
    "partitioning and order before the rows are chosen": (
        "ChooseWhenRunExec: unknown and none, whichever scan runs",
        "ChooseWhenRunExecSuite",
    ),
    "the state of a table whose rows are chosen when the query runs": (
        "ParquetTable.decideWhenRun: listed as for Spark's own scan",
        "line_56_a_catalog_table_that_changes_before_the_query_runs",
    ),
    "plans and closures stay on the driver": (
        "LimitPrunedScanExec",
        "ClosuresSuite",
    ),
}
CONTRACT = (FILE_SOURCE_SCAN, LOGICAL_RELATION, FS_RELATION, SCAN_OPERATION, METHODS, BEHAVIOURS)

# What the compiler adds to a case class, and what all nodes of a plan have.
OF_ALL_NODES = {
    *("apply", "canEqual", "copy", "curried", "equals", "hashCode", "toString", "tupled"),
    *("productArity", "productElement", "productElementName", "productIterator", "productPrefix"),
    *("children", "mapChildren", "producedAttributes", "unapply", "withNewChildrenInternal"),
    # The session's settings, as the node reads them: of the trait SessionStateHelper.
    *("getHadoopConf", "getSparkConf", "getSqlConf", "sessionState"),
}


def items(found: Any) -> list[Any]:
    """Return what a sequence of Scala holds."""
    return [found.apply(n) for n in range(found.size())]


def public_methods(spark: SparkSession, name: str) -> set[str]:
    """List the methods of a class or trait of Spark's that are not the compiler's own."""
    loader: Any = spark._jvm.java.lang.Thread.currentThread().getContextClassLoader()  # type: ignore[union-attr]
    methods = loader.loadClass(f"org.apache.spark.sql.execution.{name}").getDeclaredMethods()
    modifier: Any = spark._jvm.java.lang.reflect.Modifier  # type: ignore[union-attr]
    public = {m.getName() for m in methods if modifier.isPublic(m.getModifiers())}
    return {method for method in public if "$" not in method}


def test_every_decision_of_the_contract_has_its_test() -> None:
    names = {test for part in CONTRACT for _, test in part.values()}
    tests = "\n".join(path.read_text() for path in TEST_FILES)
    suites = {path.stem for path in SCALA_TESTS.rglob("*Suite.scala")}
    assert len(names) > 25
    missing = {
        name
        for name in names
        if name not in suites and not re.search(rf"^def test_{name}\(", tests, re.MULTILINE)
    }
    assert not missing


def test_every_reason_of_the_contract_is_one_that_reports_give() -> None:
    codes = set(
        re.findall(r'Reason\(\s*"([a-z0-9-]+)"', (SCALA / "select/Reason.scala").read_text())
    )
    decisions = [decision for part in CONTRACT for decision, _ in part.values()]
    refused = [d.removeprefix(NOT_PRUNED) for d in decisions if d.startswith(NOT_PRUNED)]
    assert len(refused) > 5
    assert {code for found in refused for code in found.split(", ")} <= codes


@pytest.mark.usefixtures("planned_at_root")
@pytest.mark.core
def test_this_spark_has_no_field_that_nobody_has_decided_about(
    spark: SparkSession, tmp_path: Path
) -> None:
    """A field of Spark's scan that is new would keep every LIMIT from being pruned."""
    partitioned(spark, tmp_path / "t").createOrReplaceTempView("t")
    with conf(spark, {ENABLED: "false", "spark.sql.adaptive.enabled": "false"}):
        plain: Any = spark.sql("SELECT * FROM t")._jdf.queryExecution()
    scan = plain.executedPlan().collectLeaves().head()
    logical = plain.optimizedPlan().collectLeaves().head()
    tables: Any = spark._jvm.limitpruning.tables  # type: ignore[union-attr]
    contract, clauses = tables.ScanContract, tables.ScanClauses
    for part, known, decided in (
        (scan, clauses.fileSourceScan(), FILE_SOURCE_SCAN),
        (logical, clauses.logicalRelation(), LOGICAL_RELATION),
        (logical.relation(), clauses.fsRelation(), FS_RELATION),
    ):
        assert items(known) == list(decided)
        assert 4 <= part.productArity() <= known.size()  # some came with later Sparks
        assert str(contract.undecided(part, known)) == "None"
        assert "Some" in str(contract.undecided(part, known.tail()))
    df = spark.sql("SELECT * FROM t LIMIT 3")
    assert limit_pruning.report(df).only.covered


def test_this_spark_has_no_method_that_nobody_has_decided_about(spark: SparkSession) -> None:
    classes = ["FileSourceScanExec", "FileSourceScanLike", "DataSourceScanExec"]
    methods = set().union(*(public_methods(spark, name) for name in classes))
    assert len(methods) > 30
    assert not methods.difference(OF_ALL_NODES, *CONTRACT)


SINGLE = "spark.sql.optimizer.singleTaskExecution"
# Queries over a LIMIT of several files and tasks; each has one answer, whichever rows are taken.
OVER_A_LIMIT = {
    "aggregation": "SELECT count(*), count(DISTINCT id) FROM (SELECT id FROM t LIMIT 120)",
    "groups": "SELECT sum(n) FROM (SELECT p, count(*) n FROM (SELECT * FROM t LIMIT 120)"
    " GROUP BY p)",
    "sort": "SELECT id FROM (SELECT id FROM t LIMIT 300) ORDER BY id DESC",
    "window": "SELECT max(r), count(*) FROM (SELECT row_number() OVER (ORDER BY id) r"
    " FROM (SELECT id FROM t LIMIT 120))",
    "limit": "SELECT count(*) FROM (SELECT * FROM (SELECT id FROM t LIMIT 120) LIMIT 70 OFFSET 20)",
    "top": "SELECT id FROM t ORDER BY id DESC LIMIT 5",
    "top, aggregated": "SELECT sum(id) FROM (SELECT id FROM t ORDER BY id LIMIT 105)",
    "filter": "SELECT count(*) FROM (SELECT id FROM t WHERE id % 3 = 0 LIMIT 120)",
}


@pytest.mark.parametrize("task_size", ["128m", "400"])
@pytest.mark.parametrize("query", OVER_A_LIMIT.values(), ids=OVER_A_LIMIT.keys())
def test_scans_that_are_marked_for_a_single_task(
    spark: SparkSession, tmp_path: Path, query: str, task_size: str
) -> None:
    """Since Spark 4.3 the optimizer can mark a scan, for operators above not to shuffle."""
    partitioned(spark, tmp_path / "t", rows=300).createOrReplaceTempView("t")
    parts = ["aggregation", "expand", "limitOffset", "sort", "window"]
    marks = {f"{SINGLE}.{part}": "true" for part in ["enabled", *parts]}
    marks |= {f"{SINGLE}.{key}": "0" for key in ["minNumFiles", "minNumBytes"]}
    marks |= {f"{SINGLE}.maxNumFiles": "1000"}
    tasks = {"spark.sql.files.maxPartitionBytes": task_size, "spark.sql.files.openCostInBytes": "0"}
    with conf(spark, marks | tasks):
        df = spark.sql(query)
        assert is_pruned(df) or "id % 3" in query
        assert [tuple(row) for row in df.collect()] == plain(spark, query)
