"""An application of its own, which searches for rows while the number of free cores changes.

Its standard input says what to do, see `Task`; it prints as JSON what came of it.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypedDict

from pyspark.sql import SparkSession

import limit_pruning
from support.applications import cluster, searched_table
from support.applications.cluster_driver import PATIENCE, TWO_SMALL_EXECUTORS
from support.applications.other_job import OtherJob
from support.applications.watched import Watched, wait
from support.runs import conf
from support.sessions import ON_LOOPBACK

EXECUTORS = len(cluster.WORKERS)
CORES = 4
"""Of each executor."""
DYNAMIC_ALLOCATION = {
    "spark.dynamicAllocation.enabled": "true",
    "spark.dynamicAllocation.shuffleTracking.enabled": "true",
    "spark.dynamicAllocation.shuffleTracking.timeout": "1s",
    "spark.dynamicAllocation.executorIdleTimeout": "1s",
    "spark.dynamicAllocation.minExecutors": "0",
    "spark.standalone.executorRemoveDelayOnDisconnection": "100ms",
}


class Query(TypedDict):
    """A query, and how many cores are free.

    Attributes:
        sql: With ``{table}``.
        table: The folder of the table, which no other query reads.
        settings: Of the session, beside those of the table.
        way: A name in `WAYS`.
    """

    sql: str
    table: str
    settings: dict[str, str]
    way: str


class Task(TypedDict):
    """What to do.

    Attributes:
        settings: Of the application; its master is among them.
        queries: Run one after the other.
        folder: Empty.
    """

    settings: dict[str, str]
    queries: dict[str, Query]
    folder: str


class Run:
    """A query that can be run once."""

    def __init__(self, spark: SparkSession, name: str, query: Query, folder: Path) -> None:
        """Prepare it, without a Spark job."""
        self.watched = Watched(spark, name)
        self.df: Any = spark.sql(query["sql"].format(table=view(spark, query["table"])))
        self.others = 0
        self._spark = spark
        self._folder = folder
        self._pool = ThreadPoolExecutor(1)

    def other(self, tasks: int) -> AbstractContextManager[OtherJob]:
        """Return another job."""
        return OtherJob(self._spark, tasks, self._folder)

    def rows(self) -> list[dict[str, Any]]:
        """Run the query."""
        self.name_jobs()
        return [row.asDict() for row in self.df.collect()]

    def name_jobs(self) -> None:
        """Let the jobs of this thread be the query's."""
        self._spark.sparkContext.setJobGroup(self.watched.group, "searches for rows")

    def begin(self) -> Future[list[dict[str, Any]]]:
        """Run the query in another thread, and wait until it searches for rows."""
        rows = self._pool.submit(self.rows)
        wait(lambda: rows.done() or self.watched.searches())
        return rows


def view(spark: SparkSession, folder: str) -> str:
    """Return the name of a view of a table; Spark would read its schema in a job."""
    schema = "id BIGINT, v BIGINT, s STRING, w STRING"
    spark.read.schema(schema).parquet(folder).createOrReplaceTempView("searched")
    return "searched"


def undisturbed(run: Run) -> list[dict[str, Any]]:
    """Run the query on all cores."""
    return run.rows()


def half(run: Run) -> list[dict[str, Any]]:
    """Run the query while another job holds half of the cores."""
    with run.other(EXECUTORS * CORES // 2) as other:
        rows = run.rows()
        run.others = len(other.running())
    return rows


def one(run: Run) -> list[dict[str, Any]]:
    """Run the query while another job holds all cores, and all but one once the query waits."""
    with run.other(EXECUTORS * CORES) as other:
        began = run.begin()
        assert not run.watched.of_group(), "all cores are held"
        other.release([0])
        rows = began.result(PATIENCE)
        run.others = len(other.running())
    return rows


def none(run: Run) -> list[dict[str, Any]]:
    """Run the query when all executors have gone."""
    wait(lambda: not run.watched.executors())
    return run.rows()


def going(run: Run) -> list[dict[str, Any]]:
    """Run the query, and let an executor go before the first job has ended."""
    with run.other(EXECUTORS * CORES) as other:
        on = other.running()
        (stays, goes) = sorted(set(on.values()))
        run.watched.locate(EXECUTORS)
        other.release([task for task, executor in on.items() if executor == stays][1:])
        wait(lambda: len(other.running()) == 1 + CORES)
        run.watched.signal(stays, signal.SIGSTOP)
        try:
            began = run.begin()
            # The other executor has no core for it.
            wait(run.watched.of_group)
            other.release(task for task, executor in on.items() if executor == goes)
            wait(lambda: len(other.running()) == 1)
            # Spark's allocation may keep an executor without tasks for long.
            run.watched.signal(goes, signal.SIGKILL)
            wait(lambda: goes not in run.watched.executors())
        finally:
            run.watched.signal(stays, signal.SIGCONT)
        rows = began.result(PATIENCE)
        run.others = len(other.running())
    return rows


def gone(run: Run) -> list[dict[str, Any]]:
    """Let all executors go when the search has ended, before its rows are read."""
    run.name_jobs()
    execution = run.df._jdf.queryExecution()
    execution.toRdd()
    assert "RowsVerified" in execution.executedPlan().toString()
    wait(lambda: not run.watched.executors())
    return run.rows()


WAYS: dict[str, Callable[[Run], list[dict[str, Any]]]] = {
    way.__name__: way for way in (undisturbed, half, one, none, going, gone)
}


def answer(spark: SparkSession, name: str, query: Query, folder: Path) -> dict[str, Any]:
    """Run a query, and return what came of it."""
    with conf(spark, searched_table.SETTINGS | query["settings"]):
        run = Run(spark, name, query, folder)
        rows = WAYS[query["way"]](run)
        report = limit_pruning.report(run.df)
    return {
        "rows": rows,
        "verified": [limit.rows.verified for limit in report],
        "read_first": [limit.bytes.read_first for limit in report],
        "read": [limit.bytes.read for limit in report],
        "searches": run.watched.searches(),
        "input": run.watched.input_bytes(),
        "others": run.others,
    }


def main() -> None:
    """Do the task, and print the results by the names of the queries."""
    task: Task = json.load(sys.stdin)
    builder = SparkSession.builder.appName("limit-pruning-tests")
    own = {"spark.executor.cores": str(CORES)}
    for key, value in (ON_LOOPBACK | TWO_SMALL_EXECUTORS | own | task["settings"]).items():
        builder = builder.config(key, value)
    spark = limit_pruning.configure(builder).getOrCreate()
    try:
        folder = Path(task["folder"])
        answers = {
            name: answer(spark, name, query, folder / str(number))
            for number, (name, query) in enumerate(task["queries"].items())
        }
    finally:
        spark.stop()
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
