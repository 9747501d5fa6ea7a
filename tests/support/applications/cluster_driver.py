"""An application of its own, as tests need one: runs queries, prints as JSON what came of them.

Its standard input says what to do; see `Task`.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypedDict

from pyspark.sql import SparkSession

import limit_pruning
from support.jvm import SMALL_JVM
from support.leaks import open_files, threads
from support.runs import ENABLED, conf
from support.sessions import ON_LOOPBACK

PATIENCE = 90  # seconds, on a machine that is busy with other things
PATIENT = {
    "spark.limitPruning.planning.maxTime": "60s",  # the first query waits for classes to load
}
TWO_SMALL_EXECUTORS = PATIENT | {
    "spark.executor.memory": "512m",
    "spark.executor.cores": "1",
    "spark.executor.extraJavaOptions": SMALL_JVM,
    "spark.scheduler.minRegisteredResourcesRatio": "1.0",
    "spark.scheduler.maxRegisteredResourcesWaitingTime": f"{PATIENCE}s",
}


class Query(TypedDict):
    """A query, and the settings of the session for it."""

    sql: str
    settings: dict[str, str]


class Task(TypedDict):
    """What to do.

    Attributes:
        settings: Of the application; its master is among them.
        queries: Run one after the other, with the extension and without.
        data: Where the files are that must not stay open.
        lose: Queries in which ``held_up`` is called: the executor that runs the first such call is
            killed while it does. With a file that must not exist yet for each of them.
    """

    settings: dict[str, str]
    queries: dict[str, Query]
    data: str
    lose: dict[str, tuple[Query, str]]


def run(spark: SparkSession, query: Query) -> dict[str, Any]:
    """Run the query with the extension on and off."""
    with conf(spark, query["settings"]):
        pruned = spark.sql(query["sql"])
        on = [row.asDict() for row in pruned.collect()]
        report = limit_pruning.report(pruned)
        with conf(spark, {ENABLED: "false"}):
            off = [row.asDict() for row in spark.sql(query["sql"]).collect()]
    return {"on": on, "off": off, "limits": [limit_fields(limit) for limit in report]}


def limit_fields(limit: limit_pruning.LimitReport) -> dict[str, Any]:
    """Return what the tests ask of a report."""
    reason = limit.reason and limit.reason.code
    return {"covered": limit.covered, "reason": reason, "rows_cut": limit.rows.cut}


def held_up(latch: Path) -> Callable[[int, str], int]:
    """Return a function whose very first call, in any process, does not return for a long time."""
    name, patience = str(latch), PATIENCE

    def call(number: int, _text: str) -> int:
        import os
        import time

        try:
            marker = os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        except FileExistsError:
            return number
        os.write(marker, f"{os.getpid()}\n".encode())
        os.close(marker)
        time.sleep(patience)
        return number

    return call


def lose(spark: SparkSession, query: Query, latch: Path) -> dict[str, Any]:
    """Run the query, and kill the executor whose task is held up in it."""
    spark.udf.register("held_up", held_up(latch), "bigint")
    context: Any = spark.sparkContext
    killed: list[int] = []

    def kill() -> None:
        worker = context._jvm.java.lang.ProcessHandle.of(first_line(latch)).get()
        executor = worker.parent().get().parent().get()  # the worker's parent is PySpark's daemon
        command = executor.info().commandLine().get()
        assert "CoarseGrainedExecutorBackend" in command, command
        assert worker.isAlive()  # and held up, so that the task has not ended
        executor.destroyForcibly()
        killed.append(executor.pid())

    with conf(spark, query["settings"]):
        df: Any = spark.sql(query["sql"])
        context.setJobGroup(str(latch), "an executor is lost")
        killer = threading.Thread(target=kill)
        killer.start()
        rows = [row.asDict() for row in df.collect()]
        killer.join()
        plan = str(df._jdf.queryExecution().executedPlan().toString())
        report = limit_pruning.report(df)
    tracker = context.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(str(latch))]
    stages = [tracker.getStageInfo(stage) for job in jobs for stage in job.stageIds]
    return {
        "on": rows,
        "killed": killed,
        "failed_tasks": sum(stage.numFailedTasks for stage in stages if stage),
        "plan": plan,
        "limits": [limit_fields(limit) for limit in report],
    }


def first_line(file: Path) -> int:
    """Wait for the file to have a line, and return its number."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if file.exists() and (text := file.read_text()).endswith("\n"):
            return int(text)
        time.sleep(0.05)
    raise TimeoutError(f"nothing was held up: no {file}")


def main() -> None:
    """Do the task, and print the results by the names of the queries."""
    task: Task = json.load(sys.stdin)
    builder = SparkSession.builder.appName("limit-pruning-tests")
    for key, value in (ON_LOOPBACK | TWO_SMALL_EXECUTORS | task["settings"]).items():
        builder = builder.config(key, value)
    spark = limit_pruning.configure(builder).getOrCreate()
    try:
        limit_pruning.verify(spark)
        answers = {name: run(spark, query) for name, query in task["queries"].items()}
        for name, (query, latch) in task["lose"].items():
            answers[name] = lose(spark, query, Path(latch))
        jvm = spark.sparkContext._jvm  # which outlives the session
    finally:
        spark.stop()
    left = {"threads": threads(jvm), "files": open_files(jvm, Path(task["data"]))}
    json.dump({"answers": answers, "left": left}, sys.stdout)


if __name__ == "__main__":
    main()
