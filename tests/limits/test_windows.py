"""LIMITs that Spark itself makes of a filter on row_number(), in one of its last rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support.runs import ENABLED, conf, on_off
from support.sparks import needs_spark

pytestmark = pytest.mark.usefixtures("wildlife")


def windowed(function: str) -> str:
    return f"SELECT *, {function} AS n FROM tracking_data"


NUMBERED = windowed("row_number() OVER (ORDER BY s DESC, species)")
IN_GROUPS = windowed("row_number() OVER (PARTITION BY species ORDER BY s)")
NEWEST = f"SELECT max(n) FROM ({NUMBERED}) WHERE n < 3"
EXCLUDED = "spark.sql.optimizer.excludedRules"
RULES = "limitpruning.catalyst.PruneLimits,limitpruning.catalyst.PruneLateLimits"


@pytest.mark.parametrize(
    ("query", "limit"),
    [
        (f"SELECT * FROM ({NUMBERED}) WHERE n <= 3", 3),
        (f"SELECT * FROM ({NUMBERED}) WHERE n < 3", 2),
        (f"SELECT * FROM ({NUMBERED}) WHERE n = 1", 1),
        (f"SELECT species FROM ({NUMBERED} WHERE s >= 20) WHERE n <= 2 AND species <> 'x'", 2),
        (f"SELECT max(s) FROM ({NUMBERED}) WHERE n <= 3", 3),
        (
            f"SELECT count(*) FROM range(9) WHERE id < ({NEWEST})",
            2,
        ),
        (f"{NUMBERED} LIMIT 3", 3),
        pytest.param(
            "SELECT * FROM tracking_data QUALIFY row_number() OVER (ORDER BY s DESC, species) <= 3",
            3,
            marks=needs_spark("QUALIFY", (4, 2)),
        ),
    ],
)
def test_a_numbered_row_is_pruned_as_order_by_limit(
    spark: SparkSession, query: str, limit: int
) -> None:
    runs = on_off(spark, query)
    assert runs.on == runs.off
    report = runs.report.only
    assert report.covered
    assert report.limit == limit
    assert report.order_by is not None
    assert report.order_by.endswith("s DESC NULLS LAST")
    counts = report.row_groups
    assert counts.scanned is not None
    assert counts.total is not None
    assert counts.scanned < counts.total


@pytest.mark.parametrize(
    "query",
    [
        f"SELECT * FROM ({IN_GROUPS}) WHERE n = 1",
        f"SELECT * FROM ({windowed('rank() OVER (ORDER BY s)')}) WHERE n <= 3",
        f"SELECT * FROM ({NUMBERED}) WHERE n >= 3",
    ],
)
def test_other_windows_have_no_limit(spark: SparkSession, query: str) -> None:
    runs = on_off(spark, query)
    assert sorted(map(str, runs.on)) == sorted(map(str, runs.off))
    assert not runs.report.limits


def test_a_late_limit_that_is_not_pruned_has_its_own_reason(spark: SparkSession) -> None:
    runs = on_off(
        spark,
        f"SELECT * FROM ({windowed('row_number() OVER (ORDER BY s + rand(1))')}) WHERE n <= 3",
    )
    assert reason(runs.report) == "not-deterministic"


def test_disabled_is_the_reason_only_if_it_was(spark: SparkSession) -> None:
    query = f"SELECT * FROM ({NUMBERED}) WHERE n <= 3"
    for sql in (query, "SELECT * FROM tracking_data WHERE s >= 50 LIMIT 3"):
        with conf(spark, {ENABLED: "false"}):
            df = spark.sql(sql)
            df.collect()
        assert reason(limit_pruning.report(df)) == "disabled"
        with conf(spark, {EXCLUDED: RULES}):
            df = spark.sql(sql)
            df.collect()
        assert reason(limit_pruning.report(df)) == "not-seen"
        df = spark.sql(sql)
        with conf(spark, {ENABLED: "false"}):
            assert limit_pruning.report(df).only.reason is not None
        assert limit_pruning.report(spark.sql(sql)).only.reason is None


def test_the_first_rules_are_replaced_by_the_last(spark: SparkSession) -> None:
    """Without the first rule, the last one prunes all LIMITs, and no reason is untrue."""
    with conf(spark, {EXCLUDED: RULES.split(",")[0]}):
        runs = on_off(spark, "SELECT * FROM tracking_data WHERE s >= 50 LIMIT 3")
    assert runs.report.only.covered


def reason(report: limit_pruning.PruningReport) -> str | None:
    return report.only.reason.code if report.only.reason else None


def test_the_hint_holds_where_spark_prunes_partitions_and_nested_fields(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Spark's rules for both put other tables in the place of those that the hint is about."""
    spark.sql(
        f"CREATE TABLE hinted USING parquet PARTITIONED BY (p) LOCATION '{tmp_path / 'hinted'}' AS "
        "SELECT id, named_struct('a', id, 'b', id) AS s, id % 3 AS p FROM range(99)"
    )
    try:
        for hint, reason in (("/*+ NO_LIMIT_PRUNING */", "hint"), ("", None)):
            for columns in ("id", "s.a AS a"):
                number = "row_number() OVER (ORDER BY id) AS n"
                numbered = f"SELECT {hint} {columns}, {number} FROM hinted WHERE p = 1"
                limit = limit_pruning.report(
                    spark.sql(f"SELECT * FROM ({numbered}) WHERE n <= 3")
                ).only
                assert (limit.reason.code if limit.reason else None) == reason
    finally:
        spark.sql("DROP TABLE hinted")
