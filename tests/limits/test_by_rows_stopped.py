"""A query that searches for rows can be cancelled, and runs again; and several can run at once."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from support.runs import conf
from support.scan_tables import physical, plain

ROWS = 8_000
SLOW = "length(sha2(repeat(s, 2000000), 512)) = 128"
"""Hundredths of a second of work for each row: a job must not end before it is cancelled."""
GROUP = "stopped by its user"
TAG = "stopped"


@pytest.fixture(scope="module")
def folder(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write four files of several row groups."""
    path = tmp_path_factory.mktemp("stopped") / "t"
    rows = spark.range(0, ROWS, 1, 4).selectExpr(
        "id", "hash(id) AS h", "concat('name ', id) AS s", "repeat(concat('w', id), 20) AS w"
    )
    rows.write.option("parquet.block.size", "65536").parquet(str(path))
    return path


@pytest.fixture(autouse=True)
def always(spark: SparkSession) -> Iterator[None]:
    """Search by rows wherever it is possible: the tables are small."""
    with conf(spark, {"spark.limitPruning.rows.minBytes": "0"}):
        yield


def by_group(spark: SparkSession) -> None:
    """Cancel as a server with one group for each statement does."""
    spark.sparkContext.cancelJobGroup(GROUP)


def by_tag(spark: SparkSession) -> None:
    """Cancel what has a tag."""
    spark.sparkContext.cancelJobsWithTag(TAG)


def all_jobs(spark: SparkSession) -> None:
    """Cancel everything."""
    spark.sparkContext.cancelAllJobs()


def active(spark: SparkSession) -> list[int]:
    """Return the jobs that are running."""
    return list(spark.sparkContext.statusTracker().getActiveJobsIds())


def described(spark: SparkSession, job: int) -> str:
    """Return what the UI says about a job."""
    store = spark.sparkContext._jsc.sc().statusStore()
    return str(store.job(job).description().getOrElse(None))


def wait(until: Callable[[], bool]) -> None:
    """Wait for a state that is sure to come."""
    for _ in range(3000):
        if until():
            return
        time.sleep(0.01)
    raise AssertionError(until)


QUERIES = {
    "LIMIT": "SELECT * FROM t WHERE h % 1000 = 1 AND {slow} LIMIT 50",
    "ORDER BY": "SELECT * FROM t WHERE h % 7 = 1 AND {slow} ORDER BY h LIMIT 5",
    "below": "SELECT count(*) FROM (SELECT * FROM t WHERE h % 1000 = 1 AND {slow} LIMIT 50)",
}


@pytest.mark.parametrize("cancel", [by_group, by_tag, all_jobs])
@pytest.mark.parametrize(
    "query",
    [
        pytest.param(sql, id=name, marks=pytest.mark.core if name == "LIMIT" else ())
        for name, sql in QUERIES.items()
    ],
)
def test_cancelled_while_rows_are_searched(
    spark: SparkSession, folder: Path, query: str, cancel: Callable[[SparkSession], None]
) -> None:
    spark.read.parquet(str(folder)).createOrReplaceTempView("t")
    context = spark.sparkContext
    df = spark.sql(query.format(slow=SLOW))
    errors: list[Exception] = []

    def run() -> None:
        context.setJobGroup(GROUP, "a slow query", interruptOnCancel=True)
        context.addJobTag(TAG)
        try:
            df.collect()
        except (Py4JJavaError, PySparkException) as error:
            errors.append(error)
        finally:
            context.removeJobTag(TAG)

    runner = threading.Thread(target=run)
    runner.start()
    wait(lambda: bool(active(spark)))
    jobs = active(spark)
    searches = [described(spark, job) for job in jobs]
    cancel(spark)
    runner.join(20)
    assert not runner.is_alive(), "the query goes on"
    assert len(errors) == 1
    assert "cancelled" in str(errors[0])
    assert all(text.startswith("limit pruning: ") for text in searches), searches
    wait(lambda: not active(spark))
    assert max(context.statusTracker().getJobIdsForGroup(GROUP)) == max(jobs), "no other job"
    quick = spark.sql(query.format(slow="length(s) > 0"))
    assert len(quick.collect()) > 0
    assert "RowsVerified" in physical(quick)


def test_the_same_query_and_others_at_once(spark: SparkSession, folder: Path) -> None:
    query = f"SELECT id, w FROM parquet.`{folder}` WHERE h % 50 = 1"
    allowed = Counter(map(tuple, plain(spark, query)))
    same = spark.sql(f"{query} LIMIT 20")

    def ask(number: int) -> DataFrame:
        df = same if number % 2 else spark.sql(f"{query} LIMIT {number + 1}")
        rows = Counter(map(tuple, df.collect()))
        assert rows <= allowed
        assert rows.total() == (20 if number % 2 else min(number + 1, allowed.total()))
        return df

    with ThreadPoolExecutor(8) as pool:
        for df in pool.map(ask, range(32)):
            assert "RowsVerified" in physical(df)
