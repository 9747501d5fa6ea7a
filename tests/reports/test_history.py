"""The last queries of an application, and what was done for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime, timedelta, timezone
from pathlib import Path
from threading import Thread

import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support.tables import Table

QUERY = "SELECT * FROM tracking_data WHERE species LIKE 'Alpine%' AND s >= 50 LIMIT"


@pytest.fixture
def described(spark: SparkSession) -> Iterator[str]:
    """What Spark's UI calls queries meanwhile."""
    spark.sparkContext.setJobDescription("the query of this test")
    yield "the query of this test"
    spark.sparkContext.setLocalProperty("spark.job.description", None)  # type: ignore[arg-type]


def last(spark: SparkSession) -> limit_pruning.QueryReport:
    return limit_pruning.history(spark)[-1]


def test_a_query_that_has_run_is_the_last(
    spark: SparkSession, wildlife: Table, described: str
) -> None:
    before = datetime.now(timezone.utc) - timedelta(seconds=1)
    df = spark.sql(f"{QUERY} 3")
    assert len(df.collect()) == 3
    query = last(spark)
    assert query.description == described
    assert query.started is not None
    assert before < query.started <= query.ended <= datetime.now(timezone.utc)
    assert not query.failed
    whole = limit_pruning.report(df).only
    kept = query.report.only
    assert (kept.covered, kept.rows.read, kept.row_groups.read) == (True, 3, 1)
    assert (kept.bytes.read, kept.bytes.total) == (whole.bytes.read, whole.bytes.total)
    assert kept.row_groups.details == ()
    assert len(whole.row_groups.details) == len(wildlife.rows) / 3


@pytest.mark.usefixtures("wildlife")
@pytest.mark.parametrize("action", ["show", "toPandas", "write"])
def test_it_does_not_matter_how_a_query_is_run(
    spark: SparkSession, tmp_path: Path, action: str
) -> None:
    df = spark.sql(f"{QUERY} 3")
    count = limit_pruning.totals(spark).queries
    if action == "write":
        df.write.parquet(str(tmp_path / "written"))
    else:
        getattr(df, action)()
    assert limit_pruning.totals(spark).queries == count + 1
    assert last(spark).report.only.rows.read == 3


def test_nor_in_which_session_and_thread(spark: SparkSession, wildlife: Table) -> None:
    other = spark.newSession()
    wildlife.register(other)
    thread = Thread(target=lambda: other.sql(f"{QUERY} 2").collect())
    thread.start()
    thread.join()
    assert last(spark).report.only.limit == 2


@pytest.mark.usefixtures("wildlife")
def test_what_did_not_run_is_not_counted(spark: SparkSession) -> None:
    before = limit_pruning.totals(spark)
    df = spark.sql(f"{QUERY} 3")
    limit_pruning.report(df)
    assert limit_pruning.totals(spark).queries == before.queries


def test_totals_add_up(spark: SparkSession, wildlife: Table) -> None:
    before = limit_pruning.totals(spark)
    spark.sql(f"{QUERY} 3").collect()  # covered
    spark.sql(f"{QUERY} 4").collect()  # not covered
    spark.sql("SELECT DISTINCT s FROM tracking_data ORDER BY s LIMIT 2").collect()  # not pruned
    after = limit_pruning.totals(spark)
    gained = {name: value - asdict(before)[name] for name, value in asdict(after).items()}
    assert gained.pop("planning_ms") >= 0
    assert gained.pop("bytes_total") == 2 * wildlife.files[0].stat().st_size
    assert gained.pop("bytes_read") > 0
    assert gained == {
        "queries": 3,
        "limits": 3,
        "limits_covered": 1,
        "limits_not_covered": 1,
        "limits_not_pruned": 1,
        "row_groups_total": 8,
        "row_groups_read": 4,
        "row_groups_skipped": 0,
        "planning_failures": 0,
    }


@pytest.mark.usefixtures("wildlife")
def test_history_is_bounded(spark: SparkSession) -> None:
    for _ in range(3):
        spark.sql(f"{QUERY} 1").collect()
    kept = limit_pruning.history(spark)
    assert 3 <= len(kept) <= int(str(spark.conf.get("spark.limitPruning.history.maxQueries")))
    assert [query.report.only.limit for query in kept[-3:]] == [1, 1, 1]
    assert kept[-3].ended <= kept[-2].ended <= kept[-1].ended
