"""LIMITs over Iceberg tables: each kind of predicate, each way to name a table, each reason."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from support.iceberg import tables
from support.iceberg.session import java_table
from support.iceberg.tables import hold, hold_pruned, hold_unpruned, is_pruned, reason_of
from support.runs import ENABLED, conf
from support.scan_tables import hold_frame
from support.sparks import EXPLAINS_REASONS

PROVED = [
    "id >= 900",
    "id BETWEEN 300 AND 1700 AND s IS NOT NULL",
    "NOT id < 700",
    "id + 1 > 1000",
    "i > 800",
    "s >= 's09'",
    "s LIKE 's1%'",
    "ts >= TIMESTAMP'2024-01-01 17:00:00'",
    "CAST(ts AS DATE) >= DATE'2024-01-02'",
    "tn < TIMESTAMP_NTZ'2024-01-01 17:00:00'",
    "d >= DATE'2026-01-01'",
    "year(d) = 2026",
    "f > 300.5",
    "r <= 1100",
    "c >= 1000.00",
    "b",
    "NOT b",
    "b = true",
    "x >= X'7331'",
    "n IS NULL",
    "n IS NOT NULL",
    "n > 700",
    "n <=> NULL",
    "id IN (1, 2, 3) OR id >= 1000",
    "coalesce(n, -1) < 0",
    "id >= 1000 AND m >= 0",
    "CASE WHEN id >= 1000 THEN m >= 0 ELSE false END",
]
UNPROVED = ["m = 3", "id % 2 = 0", "p.x >= 900", "s LIKE '%7'", "length(p.y) = 4"]


@pytest.fixture(scope="module")
def table(spark: SparkSession) -> str:
    """A table of eight sorted files without deleted rows."""
    return tables.write(spark)


@pytest.mark.core
@pytest.mark.parametrize("predicate", PROVED)
def test_a_provable_predicate_skips_files(spark: SparkSession, table: str, predicate: str) -> None:
    report = hold_pruned(spark, f"SELECT * FROM {table} WHERE {predicate}", 200)
    assert report.files.scanned == 1
    assert report.files.total is not None


@pytest.mark.parametrize("predicate", UNPROVED)
def test_a_predicate_that_is_not_proved_changes_nothing(
    spark: SparkSession, table: str, predicate: str
) -> None:
    query = f"SELECT * FROM {table} WHERE {predicate}"
    hold_unpruned(spark, query, 20, "not-enough-rows-in-files")


def test_a_python_udf_is_evaluated_apart(spark: SparkSession, table: str) -> None:
    spark.udf.register("is_seven", lambda number: number % 7 == 0, "boolean")
    df = hold(spark, f"SELECT id FROM {table} WHERE is_seven(id) AND id >= 500", 20)
    assert not is_pruned(df)


@pytest.mark.core
def test_without_a_predicate_as_few_files_as_possible_are_read(
    spark: SparkSession, table: str
) -> None:
    for limit, files in ((1, 1), (250, 1), (251, 2), (1000, 4), (1600, 7)):
        report = hold_pruned(spark, f"SELECT id, s FROM {table}", limit)
        assert report.files.scanned == files


def test_projections_are_computed(spark: SparkSession, table: str) -> None:
    query = f"SELECT id * 2 AS a, upper(s) AS u, p.y FROM {table} WHERE id >= 600"
    hold_pruned(spark, query, 30)
    hold_pruned(spark, f"SELECT a FROM (SELECT id + 1 AS a FROM {table}) WHERE a > 1000", 30)
    hold_pruned(spark, f"SELECT 1 AS one FROM {table} WHERE id >= 600", 30)
    hold_pruned(spark, f"SELECT ID FROM {table} WHERE Id >= 600 AND S > 's'", 30)


def test_metadata_columns_are_read(spark: SparkSession, table: str) -> None:
    query = f"SELECT id, _file, _pos, _spec_id FROM {table} WHERE id >= 600"
    hold_pruned(spark, query, 30)
    hold_unpruned(spark, f"SELECT id FROM {table} WHERE _pos >= 0", 30, "not-enough-rows-in-files")
    hold_unpruned(spark, f"SELECT id, _deleted FROM {table}", 30, "iceberg-scan")


@pytest.mark.core
@pytest.mark.parametrize(
    ("query", "limit", "reason"),
    [
        ("SELECT * FROM {} ORDER BY id + 1", 5, "key-not-column"),
        ("SELECT m, count(*) FROM {} GROUP BY m", 5, "groups-not-complete"),
        ("SELECT * FROM {} WHERE rand(3) < 0.5", 5, "not-deterministic"),
        ("SELECT * FROM {} WHERE id >= (SELECT max(id) - 9 FROM {})", 5, "subquery"),
        ("SELECT * FROM {}", 1999, "nothing-to-skip"),
        ("SELECT * FROM {} WHERE id >= 1000", 1200, "not-enough-rows-in-files"),
        ("SELECT * FROM {} WHERE id < -5", 3, "no-files"),
        ("SELECT count(*) FROM {}", 3, "iceberg-scan"),
    ],
)
def test_a_limit_that_is_not_pruned_has_a_reason(
    spark: SparkSession, table: str, query: str, limit: int, reason: str
) -> None:
    sql = query.replace("{}", table)
    with conf(spark, {"spark.sql.optimizer.optimizeOneRowRelationSubquery": "false"}):
        df = spark.sql(f"{sql} LIMIT {limit}")
        rows = df.collect()
        with conf(spark, {ENABLED: "false"}):
            plain = spark.sql(f"{sql} LIMIT {limit}").collect()
    assert len(rows) == len(plain)
    assert not is_pruned(df)
    reports = [each for each in limit_pruning.report(df) if each.reason]
    # Spark removes a LIMIT over one row.
    assert [each.reason.code for each in reports if each.reason][:1] in ([reason], [])
    assert reports or "count" in query


def test_the_budget_for_manifests_is_that_of_footers(spark: SparkSession, table: str) -> None:
    for setting, value in (("maxTime", "0"), ("maxFiles", "3")):
        with conf(spark, {f"spark.limitPruning.planning.{setting}": value}):
            hold_unpruned(spark, f"SELECT * FROM {table} WHERE m = 3", 20, "out-of-budget")


def test_each_way_to_name_a_table(spark: SparkSession, table: str) -> None:
    spark.sql(f"CREATE OR REPLACE TEMP VIEW viewed AS SELECT id + 0 AS a, id, s FROM {table}")
    hold_pruned(spark, "SELECT s FROM viewed WHERE id >= 1200", 30)
    # PySpark 4.0 returns binary values as arrays that have no hash code.
    columns = ", ".join(spark.table(table).drop("x").columns)
    condition, query = "id >= 1500", f"SELECT {columns} FROM {table} WHERE id >= 1500"
    for frame in (
        spark.table(table),
        spark.read.table(table),
        spark.read.format("iceberg").load(table),
        spark.read.format("iceberg").load(str(java_table(spark, table).location())),
        spark.read.option("split-size", "1000").table(table),
        spark.read.option("vectorization-enabled", "false").table(table),
    ):
        df = frame.where(condition).drop("x").limit(30)
        hold_frame(spark, df, query, 30)
        assert is_pruned(df)


def test_the_report_names_the_chosen_files(spark: SparkSession, table: str) -> None:
    report = hold_pruned(spark, f"SELECT * FROM {table} WHERE id >= 900", 300)
    assert report.table == table
    assert report.limit == 300
    assert "id" in (report.predicate or "")
    assert len(report.files.chosen) == report.files.scanned == 2
    paths = {row.file_path for row in spark.sql(f"SELECT file_path FROM {table}.files").collect()}
    assert set(report.files.chosen) <= paths
    assert report.bytes.total is not None
    assert report.files.total == 5  # Iceberg itself skips the others.
    assert "2 scanned" in str(report)
    assert report.time.planning_ms is not None


def explain(df: DataFrame) -> str:
    """Return what EXPLAIN shows."""
    jvm: Any = df.sparkSession._jvm
    mode: Any = jvm.org.apache.spark.sql.execution.ExplainMode.fromString("formatted")
    return str(df._jdf.queryExecution().explainString(mode))


def test_explain_is_true_for_iceberg(spark: SparkSession, table: str) -> None:
    pruned = explain(spark.sql(f"SELECT * FROM {table} WHERE id >= 900 LIMIT 3"))
    assert "LimitPruned(files=1 of 5, rows=250)" in pruned
    every = "Every LIMIT over Parquet or Apache Iceberg is pruned."
    assert (every in pruned) == EXPLAINS_REASONS
    ordered = explain(spark.sql(f"SELECT * FROM {table} ORDER BY id + 1 LIMIT 3"))
    assert ("(key-not-column)" in ordered) == EXPLAINS_REASONS
    assert "No LIMIT over Parquet" not in ordered


def test_switched_off_nothing_changes(spark: SparkSession, table: str) -> None:
    with conf(spark, {ENABLED: "false"}):
        df = spark.sql(f"SELECT * FROM {table} WHERE id >= 900 LIMIT 3")
        assert not is_pruned(df)
        assert reason_of(df) == "disabled"


def test_plain_parquet_is_pruned_beside_iceberg(spark: SparkSession, tmp_path: Any) -> None:
    path = tmp_path / "plain"
    tables.in_files(tables.rows(spark)).write.parquet(str(path))
    df = hold(spark, f"SELECT id FROM parquet.`{path}` WHERE id >= 900", 20)
    assert "LimitPrunedScan" in explain(df)


def test_an_empty_table_has_no_files(spark: SparkSession) -> None:
    name = tables.new_name()
    spark.sql(f"CREATE TABLE {name} (id BIGINT) USING iceberg")
    df = spark.sql(f"SELECT * FROM {name} LIMIT 3")
    assert df.collect() == []
    assert not is_pruned(df)
    assert {each.reason.code for each in limit_pruning.report(df) if each.reason} <= {"no-files"}
