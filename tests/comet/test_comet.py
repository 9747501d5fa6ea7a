"""LIMITs that Apache DataFusion Comet runs: the rows of plain Spark, from the selected files."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from support import tables
from support.comet.session import ENABLED as COMET
from support.runs import ENABLED, conf, planned
from support.sessions import OURS_FIRST

FILE_SCAN = "spark.limitPruning.fileScan"
PLAIN = {COMET: "false", ENABLED: "false"}
WHOLE_FILES = "whole files are read: Apache DataFusion Comet replaces Spark's scan"
FILES, GROUPS, ROWS = 4, 3, 50

# Each with the files that are selected.
SELECTED = {
    "SELECT * FROM t WHERE k >= 200 LIMIT 7": 1,
    "SELECT * FROM t WHERE k BETWEEN 150 AND 299 LIMIT 120": 1,
    "SELECT id FROM t WHERE k >= 200 ORDER BY k DESC, s LIMIT 5": 1,
    "SELECT * FROM t ORDER BY id DESC LIMIT 60": 1,
    "SELECT * FROM t WHERE k < 400 ORDER BY id DESC LIMIT 3": 1,
    "SELECT * FROM t WHERE k >= 100 LIMIT 5 OFFSET 320": 3,
    "SELECT max(id) FROM t": 1,
    "SELECT min(id), max(id) FROM t": 2,
    "SELECT min(id) FROM t WHERE k >= 300": 1,
    "SELECT k, s FROM t LIMIT 20": 1,
    "SELECT DISTINCT k FROM t WHERE k >= 450 LIMIT 2": 1,
    "SELECT count(*) FROM (SELECT * FROM t WHERE k >= 200 LIMIT 40)": 1,
    "SELECT * FROM (SELECT * FROM t WHERE k >= 200 LIMIT 7) JOIN t USING (id)": 1,
    "SELECT id FROM t WHERE id IN (SELECT id FROM t WHERE k >= 500 LIMIT 4)": 1,
}
# The LIMIT waits for a value, or its rows would be found by reading columns.
UNDECIDED = [
    "SELECT * FROM t WHERE k = (SELECT max(k) FROM t) LIMIT 3",
    "SELECT * FROM t WHERE s LIKE '%7' LIMIT 8",
    "SELECT id, s FROM t ORDER BY s, id LIMIT 4",
]


@pytest.fixture(autouse=True)
def folder(spark: SparkSession, tmp_path: Path) -> Path:
    """A table ``t`` of files and row groups that are sorted by ``id`` and by ``k``."""
    schema = pa.schema([("id", pa.int64()), ("k", pa.int32()), ("s", pa.string())])
    for file in range(FILES):
        groups = []
        for group in range(GROUPS):
            start = (file * GROUPS + group) * ROWS
            ids = range(start, start + ROWS)
            groups.append(
                {
                    "id": list(ids),
                    "k": list(ids),
                    "s": [f"s{number * 37 % 100:02}" for number in ids],
                }
            )
        tables.write(tmp_path / f"{file}.parquet", groups, schema)
    spark.read.parquet(str(tmp_path)).createOrReplaceTempView("t")
    return tmp_path


def plan_of(df: DataFrame) -> str:
    return str(df._jdf.queryExecution().executedPlan().toString())


def hold(spark: SparkSession, query: str) -> DataFrame:
    """Run a query, and hold its rows to those of plain Spark, with and without the LIMIT."""
    df = spark.sql(query)
    found = [repr(row) for row in df.collect()]
    with conf(spark, PLAIN):
        plain = [repr(row) for row in spark.sql(query).collect()]
        every = re.sub(r" LIMIT \d+( OFFSET \d+)?", "", query)
        allowed = [repr(row) for row in spark.sql(every).collect()]
    assert len(found) == len(plain)
    if "ORDER BY" in query or "(*)" in query:
        assert found == plain
    else:
        assert not Counter(found) - Counter(allowed)
    return df


@pytest.mark.parametrize("query", SELECTED)
def test_comet_reads_the_selected_files(spark: SparkSession, query: str) -> None:
    df = hold(spark, query)
    report = limit_pruning.report(df)
    limit = report.only
    assert "CometNativeScan" in plan_of(df)
    assert "SelectedFileIndex" in plan_of(df)
    assert "LimitPrunedScan" not in plan_of(df)
    assert limit.covered
    assert limit.files.scanned == SELECTED[query]
    is_part = limit.row_groups.scanned != GROUPS * SELECTED[query]
    assert (limit.rows.to_read is None) == is_part
    assert limit.bytes.to_read is None
    assert limit.pages.not_skipped_reason == WHOLE_FILES
    assert (WHOLE_FILES in str(report)) == is_part
    assert ("limit_pruned_row_groups" not in str(report)) == is_part


def test_other_files_are_not_opened(spark: SparkSession, folder: Path) -> None:
    first = planned(spark.sql("SELECT id FROM t WHERE k BETWEEN 150 AND 299 LIMIT 120"))
    last = planned(spark.sql("SELECT id FROM t ORDER BY id DESC LIMIT 3"))
    for file in (0, 2):
        (folder / f"{file}.parquet").unlink()
    assert {row.id for row in first.collect()} <= set(range(150, 300))
    assert [row.id for row in last.collect()] == [599, 598, 597]


@OURS_FIRST
@pytest.mark.parametrize("query", UNDECIDED)
@pytest.mark.parametrize("file_scan", ["auto", "never"])
def test_comet_reads_the_table_if_nothing_is_selected(
    spark: SparkSession, query: str, file_scan: str
) -> None:
    with conf(spark, {FILE_SCAN: file_scan, "spark.limitPruning.rows.minBytes": "0"}):
        df = hold(spark, query)
        plan = plan_of(df)
        assert "CometNativeScan" in plan
        assert "ChooseWhenRun" not in plan
        assert any(limit.reason for limit in limit_pruning.report(df))


@pytest.mark.parametrize("query", SELECTED)
def test_the_extensions_scan_below_operators_of_comet(spark: SparkSession, query: str) -> None:
    with conf(spark, {FILE_SCAN: "never"}):
        df = hold(spark, query)
        limit = limit_pruning.report(df).only
        assert "LimitPrunedScan" in plan_of(df)
        assert "SelectedFileIndex" not in plan_of(df)
        assert limit.covered
        assert limit.rows.to_read is not None
        assert limit.pages.not_skipped_reason is None


@OURS_FIRST
@pytest.mark.parametrize("off", [COMET, "spark.comet.exec.enabled", "spark.comet.scan.enabled"])
def test_comet_that_is_turned_off_replaces_no_scan(spark: SparkSession, off: str) -> None:
    with conf(spark, {off: "false", "spark.limitPruning.rows.minBytes": "0"}):
        for query in (*list(SELECTED)[:3], *UNDECIDED):
            df = hold(spark, query)
            assert "CometNativeScan" not in plan_of(df), query
            assert "SelectedFileIndex" not in plan_of(df), query
            reasons = [limit.pages.not_skipped_reason for limit in limit_pruning.report(df)]
            assert reasons
            assert not any(reasons), query
