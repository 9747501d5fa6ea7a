"""An application of its own, which searches for rows while executors or files are disturbed.

Its standard input says what to do, see `Task`; it prints as JSON what came of it.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypedDict

from pyspark.sql import SparkSession

import limit_pruning
from support.applications import cluster
from support.applications.cluster_driver import TWO_SMALL_EXECUTORS
from support.applications.watched import Watched, wait
from support.runs import conf
from support.sessions import ON_LOOPBACK

EXECUTORS = len(cluster.WORKERS)
SETTINGS = {
    # A task that takes more than a second is slow, and gets a second copy.
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.multiplier": "2",
    "spark.speculation.quantile": "0.1",
    "spark.speculation.minTaskRuntime": "1s",
    "spark.speculation.efficiency.enabled": "false",
    # A file is put back after some attempts to read it.
    "spark.task.maxFailures": "10000",
}


class Query(TypedDict):
    """A query, and how it is disturbed.

    Attributes:
        sql: With ``{slow}`` where a predicate is that takes some time for each row.
        settings: Of the session.
        way: A name in `WAYS`, or `BETWEEN`, or `UNDISTURBED`.
        job: A pattern of the description of the job that is disturbed.
        done: The tasks of this job that have ended before.
        file: Moved away and back in the way ``missing``.
    """

    sql: str
    settings: dict[str, str]
    way: str
    job: str
    done: int
    file: str


class Task(TypedDict):
    """What to do.

    Attributes:
        settings: Of the application; its master is among them.
        queries: Run one after the other.
    """

    settings: dict[str, str]
    queries: dict[str, Query]


def lose(watched: Watched, query: Query) -> None:
    """Kill the executor of a task."""
    watched.signal(watched.searching(query["job"], query["done"]), signal.SIGKILL)


def stop(watched: Watched, query: Query) -> None:
    """Stop the executor of a task until another executor has run this task, too."""
    executor = watched.searching(query["job"], query["done"])
    watched.signal(executor, signal.SIGSTOP)
    try:
        wait(
            lambda: (
                watched.has_ended
                or any(
                    task["speculative"] and task["status"] == "SUCCESS"
                    for task in watched.of_group()
                )
            )
        )
    finally:
        watched.signal(executor, signal.SIGCONT)


def miss(watched: Watched, query: Query) -> None:
    """Move a file away until tasks that read it have failed."""
    watched.searching(query["job"], query["done"])
    file = Path(query["file"])
    away = file.rename(file.with_name("_away"))
    try:
        wait(lambda: any(task["status"] == "FAILED" for task in watched.of_group()))
    finally:
        away.rename(file)


WAYS: dict[str, Callable[[Watched, Query], None]] = {
    "lost": lose,
    "stopped": stop,
    "missing": miss,
}
BETWEEN = "lost before the rows are read"
UNDISTURBED = "undisturbed"


def run(spark: SparkSession, name: str, query: Query) -> dict[str, Any]:
    """Run a query while it is disturbed."""
    watched = Watched(spark, name)
    watched.locate(EXECUTORS)
    way = query["way"]
    factor = 1 if way in (BETWEEN, UNDISTURBED) else 120_000
    slow = f"length(sha2(repeat(s, {factor}), 512)) = 128"
    with conf(spark, query["settings"]), ThreadPoolExecutor(1) as pool:
        df: Any = spark.sql(query["sql"].format(slow=slow))
        execution = df._jdf.queryExecution()
        spark.sparkContext.setJobGroup(name, way)
        before = watched.executors()
        if way == BETWEEN:
            execution.toRdd()
            assert "RowsVerified" in execution.executedPlan().toString()
            for executor in before:
                watched.signal(executor, signal.SIGKILL)
        elif way != UNDISTURBED:
            disturbed = pool.submit(WAYS[way], watched, query)
        try:
            rows = [row.asDict() for row in df.collect()]
        finally:
            watched.has_ended = True
        if way in WAYS:
            disturbed.result()
        plan = str(execution.executedPlan().toString())
        (limit,) = limit_pruning.report(df)
    tasks = watched.of_group()
    return {
        "rows": rows,
        "plan": plan,
        "verified": limit.rows.verified,
        "read_first": limit.bytes.read_first,
        "read": limit.bytes.read,
        "executors_lost": len(set(before) - set(watched.executors())),
        "tasks_failed": sum(task["status"] == "FAILED" for task in tasks),
        "tasks_copied": sum(task["speculative"] for task in tasks),
    }


def main() -> None:
    """Do the task, and print the results by the names of the queries."""
    task: Task = json.load(sys.stdin)
    builder = SparkSession.builder.appName("limit-pruning-tests")
    for key, value in (ON_LOOPBACK | TWO_SMALL_EXECUTORS | SETTINGS | task["settings"]).items():
        builder = builder.config(key, value)
    spark = limit_pruning.configure(builder).getOrCreate()
    try:
        answers = {name: run(spark, name, query) for name, query in task["queries"].items()}
    finally:
        spark.stop()
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
