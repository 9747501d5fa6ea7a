"""Where every row of a table is decided, those that match are the answer, however few they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support.predicates import Compare, Predicate
from support.runs import check, on_off
from support.tables import Table

NOBODY = Compare("s", "<", 0)
NOTHING = "SELECT * FROM tracking_data WHERE s < 0 LIMIT 5"


@pytest.mark.parametrize(
    ("predicate", "rows", "scanned"),
    [(NOBODY, 0, 0), (None, 12, 4)],
)
@pytest.mark.usefixtures("planned_at_root")
def test_a_limit_beyond_all_rows_that_match(
    spark: SparkSession, wildlife: Table, predicate: Predicate | None, rows: int, scanned: int
) -> None:
    report = check(spark, wildlife, predicate, 100)
    assert report.covered
    assert (report.rows.to_read, report.row_groups.scanned) == (rows, scanned)


def test_one_row_group_that_is_not_decided_is_enough_to_leave_it_to_spark(
    spark: SparkSession, wildlife: Table
) -> None:
    report = check(spark, wildlife, Compare("s", ">=", 50), 100)
    assert report.reason is not None
    assert report.reason.code == "not-enough-rows"


@pytest.mark.usefixtures("wildlife")
def test_nothing_is_read_and_nothing_is_run_for_it(spark: SparkSession) -> None:
    df = spark.sql(NOTHING)
    assert df.collect() == []
    frame: Any = df.toPandas()
    assert list(frame.columns) == ["species", "s"]
    assert df.count() == 0
    report = limit_pruning.report(df).only
    assert report.covered
    assert (report.bytes.to_read, report.files.scanned) == (0, 0)


@pytest.mark.usefixtures("wildlife")
@pytest.mark.parametrize(
    "query",
    [
        f"SELECT count(*) FROM ({NOTHING})",
        f"SELECT max(s) FROM ({NOTHING})",
        f"SELECT 1 WHERE EXISTS ({NOTHING})",
        f"SELECT t.s FROM tracking_data t LEFT JOIN ({NOTHING}) u ON t.s = u.s",
        f"({NOTHING}) UNION ALL (SELECT * FROM tracking_data LIMIT 100)",
        "SELECT * FROM tracking_data WHERE s < 0 LIMIT 5 OFFSET 2",
    ],
)
def test_shapes_over_no_row(spark: SparkSession, query: str) -> None:
    runs = on_off(spark, query)
    assert runs.on == runs.off


@pytest.mark.usefixtures("wildlife")
def test_writing_no_row_keeps_the_schema(spark: SparkSession, tmp_path: Path) -> None:
    for adaptive in ("true", "false"):
        out = str(tmp_path / adaptive)
        spark.sql(NOTHING).write.option("adaptive", adaptive).parquet(out)
        written = spark.read.parquet(out)
        assert written.schema == spark.sql(NOTHING).schema
        assert written.count() == 0
