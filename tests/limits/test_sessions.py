"""Sessions of one application, and what Spark keeps or uses twice: a LIMIT stays where it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from support.runs import ENABLED, VECTORIZED, as_dicts, conf, hold_sql, in_threads
from support.sparks import needs_spark
from support.tables import Table, numbers

WHERE = "FROM sightings WHERE s >= 4"
MATCHING = 200
LIMITED = f"(SELECT id {WHERE} LIMIT 7)"
ADAPTIVE = "spark.sql.adaptive.enabled"
EXPLAIN_REASONS = "spark.limitPruning.explainReasons"
TITLE = "== Extended Information (Limit Pruning) =="
# Settings of a session, and why its LIMIT is left alone, if it is.
SESSIONS: list[tuple[dict[str, str], str | None]] = [
    ({}, None),
    ({ENABLED: "false"}, "disabled"),
    ({VECTORIZED: "false"}, None),
    ({ADAPTIVE: "false", "spark.sql.codegen.wholeStage": "false"}, None),
    ({"spark.limitPruning.planning.maxFiles": "1"}, "out-of-budget"),
    ({"spark.sql.files.ignoreMissingFiles": "true"}, None),
    ({"spark.limitPruning.trustedWritersOnly": "true"}, None),
]


@pytest.fixture(params=["true", "false"], ids=["adaptive", "not adaptive"])
def adaptive(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[bool]:
    """With adaptive execution and without."""
    with conf(spark, {ADAPTIVE: request.param}):
        yield request.param == "true"


def executed(df: DataFrame) -> str:
    """Run the query, and return the plan that was executed in the end."""
    df.collect()
    untyped: Any = df
    text = str(untyped._jdf.queryExecution().executedPlan().toString())
    return text.split("== Initial Plan ==")[0]


def test_sessions_of_one_application_have_settings_of_their_own(
    spark: SparkSession, sightings: Table
) -> None:
    def run(made: tuple[SparkSession, str | None]) -> None:
        session, reason = made
        frame = session.read.parquet(str(sightings.path)).where("s >= 4")
        for limit in (70, 130, 190):
            df = frame.limit(limit)
            rows = as_dicts(df)
            assert len(rows) == limit
            assert all(4 <= row["s"] == row["id"] // 10 for row in rows)
            found = limit_pruning.report(df).only
            assert (found.reason and found.reason.code) == reason

    made = []
    for settings, reason in SESSIONS:
        session = spark.newSession()
        for key, value in settings.items():
            session.conf.set(key, value)
        made.append((session, reason))
    in_threads(run, made * 2)


def test_a_cloned_session_starts_with_the_same_settings_and_goes_its_own_way(
    spark: SparkSession, sightings: Table
) -> None:
    query = f"SELECT id {WHERE} LIMIT 70"
    parent: Any = spark.newSession()
    parent.conf.set("spark.limitPruning.planning.maxFiles", "1")
    clone = SparkSession(parent.sparkContext, parent._jsparkSession.cloneSession())
    for session in (parent, clone):
        session.read.parquet(str(sightings.path)).createOrReplaceTempView("sightings")
        limit_pruning.verify(session)
        left_alone = limit_pruning.report(session.sql(query)).only.reason
        assert left_alone
        assert left_alone.code == "out-of-budget"
    clone.conf.unset("spark.limitPruning.planning.maxFiles")
    assert limit_pruning.report(clone.sql(query)).only.covered
    assert not limit_pruning.report(parent.sql(query)).only.covered
    for session in (parent, clone):
        assert len({row.id for row in session.sql(query).collect()}) == 70


@needs_spark("place for reasons in EXPLAIN")
def test_a_cloned_session_has_its_own_switch_for_reasons_in_explain(
    spark: SparkSession, sightings: Table
) -> None:
    def explained(session: SparkSession) -> str:
        df = session.read.parquet(str(sightings.path)).where("s % 2 = 0").limit(7)
        untyped: Any = df
        return str(untyped._jdf.queryExecution().explainString(explain_mode))

    gateway: Any = spark.sparkContext._jvm
    explain_mode = gateway.org.apache.spark.sql.execution.ExplainMode.fromString("simple")
    parent: Any = spark.newSession()
    assert TITLE in explained(parent)
    clone = SparkSession(parent.sparkContext, parent._jsparkSession.cloneSession())
    assert TITLE in explained(clone)
    clone.conf.set(EXPLAIN_REASONS, "false")
    assert TITLE not in explained(clone)
    assert TITLE in explained(parent)


@pytest.mark.usefixtures("sightings")
@pytest.mark.parametrize(
    ("other", "rows", "is_reused"),
    [
        (f"SELECT id {WHERE}", MATCHING, False),
        ("SELECT id FROM sightings LIMIT 7", 7, False),
        ("SELECT id FROM sightings WHERE s >= 5 LIMIT 7", 7, False),
        # The same rows are proved for both.
        (f"SELECT id {WHERE} AND day IS NOT NULL LIMIT 7", 7, True),
    ],
)
def test_line_40_only_the_same_rows_are_read_once_for_two_joins(
    spark: SparkSession, adaptive: bool, other: str, rows: int, is_reused: bool
) -> None:
    df = spark.sql(
        "SELECT /*+ BROADCAST(a), BROADCAST(b) */ count(a.id) AS a, count(b.id) AS b "
        f"FROM sightings x LEFT JOIN {LIMITED} a ON x.id = a.id "
        f"LEFT JOIN ({other}) b ON x.id = b.id"
    )
    plan = executed(df)
    assert "LimitPrunedScan" in plan
    assert ("ReusedExchange" in plan) == is_reused
    assert as_dicts(df) == [{"a": 7, "b": rows}]
    assert ("isFinalPlan=true" in plan) == adaptive


@pytest.mark.usefixtures("sightings")
@pytest.mark.parametrize(("limit", "is_reused"), [(7, True), (8, False)])
def test_line_40_a_repeated_limit_is_read_once_for_two_joins(
    spark: SparkSession, adaptive: bool, limit: int, is_reused: bool
) -> None:
    df = spark.sql(
        "SELECT /*+ BROADCAST(a), BROADCAST(b) */ count(a.id) AS a, count(b.id) AS b "
        f"FROM sightings x LEFT JOIN {LIMITED} a ON x.id = a.id "
        f"LEFT JOIN (SELECT id {WHERE} LIMIT {limit}) b ON x.id = b.id"
    )
    plan = executed(df)
    assert "LimitPrunedScan" not in plan
    assert ("ReusedExchange" in plan) == is_reused
    assert as_dicts(df) == [{"a": 7, "b": limit}]
    assert ("isFinalPlan=true" in plan) == adaptive


@pytest.mark.usefixtures("sightings")
def test_line_40_a_subquery_is_run_once_for_the_same_limit_only(
    spark: SparkSession, adaptive: bool
) -> None:
    count = f"(SELECT count(*) FROM {LIMITED})"
    all_rows = f"(SELECT count(*) {WHERE})"
    more = f"(SELECT count(*) FROM (SELECT id {WHERE} AND day IS NOT NULL LIMIT 8))"
    df = spark.sql(f"SELECT {count} AS a, {count} + 1 AS b, {all_rows} AS c, {more} AS d")
    plan = executed(df)
    assert as_dicts(df) == [{"a": 7, "b": 8, "c": MATCHING, "d": 8}]
    assert "LimitPrunedScan" in plan
    assert "ReusedSubquery" in plan
    filtered = f"SELECT count(*) AS n {WHERE} AND id IN {LIMITED} AND {all_rows} = {MATCHING}"
    assert as_dicts(spark.sql(filtered)) == [{"n": 7}]
    assert re.search("AdaptiveSparkPlan|isFinalPlan", plan) or not adaptive


@pytest.mark.usefixtures("sightings")
@pytest.mark.parametrize(
    "level",
    [
        StorageLevel.MEMORY_ONLY,
        StorageLevel.DISK_ONLY,
        StorageLevel.MEMORY_AND_DISK_DESER,
        StorageLevel.MEMORY_AND_DISK_2,
    ],
    ids=str,
)
def test_line_40_a_kept_limit_is_those_rows_and_no_other_query(
    spark: SparkSession, adaptive: bool, level: StorageLevel
) -> None:
    query = f"SELECT id, s {WHERE}"
    few = spark.sql(f"{query} LIMIT 30").persist(level)
    try:
        kept = {row.id for row in few.collect()}
        assert len(kept) == 30
        assert "InMemoryTableScan" in executed(few)
        assert {row.id for row in few.collect()} == kept
        assert {row.id for row in few.limit(50).collect()} == kept
        assert {row.id for row in few.where("s >= 5").limit(10).collect()} < kept
        assert few.limit(10).count() == 10
        # The rows that are kept stand for this LIMIT alone.
        hold_sql(spark, query, 20, 30, 31)
        assert spark.sql(query).count() == MATCHING
        assert few.union(spark.sql(query)).count() == MATCHING + 30
    finally:
        few.unpersist(blocking=True)
    assert spark.conf.get(ADAPTIVE) == str(adaptive).lower()


def test_line_40_a_kept_limit_is_read_anew_once_its_files_are_refreshed(
    spark: SparkSession, tmp_path: Path
) -> None:
    def query() -> DataFrame:
        return spark.read.parquet(str(tmp_path)).where("c <> 0").limit(70)

    file = numbers(tmp_path / "0.parquet")
    few = query().persist()
    try:
        before = sorted(row.c for row in few.collect())
        assert before == list(range(1, 71))
        numbers(file, sign=-1, rows=400)
        assert sorted(row.c for row in few.collect()) == before, "what is kept needs no file"
        assert sorted(row.c for row in query().collect()) == before
        spark.catalog.refreshByPath(str(tmp_path))
        assert "InMemoryTableScan" in executed(query())
        assert sorted(row.c for row in query().collect()) == list(range(-70, 0))
    finally:
        few.unpersist(blocking=True)


@pytest.mark.usefixtures("sightings")
def test_line_40_a_kept_table_with_a_limit_in_sql(spark: SparkSession) -> None:
    spark.sql(f"CACHE TABLE kept AS SELECT * {WHERE} LIMIT 30")
    try:
        assert spark.table("kept").count() == 30
        hold_sql(spark, "SELECT id, s FROM kept WHERE s >= 5", 9)
        hold_sql(spark, "SELECT id, s FROM sightings WHERE s >= 4", 31)
    finally:
        spark.sql("UNCACHE TABLE kept")
        spark.catalog.dropTempView("kept")
