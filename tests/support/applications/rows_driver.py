"""An application of its own, which searches for rows while executors or files are disturbed.

Its standard input says what to do, see `Task`; it prints as JSON what came of it.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypedDict, TypeVar

from pyspark.sql import SparkSession

import limit_pruning
from support.applications import cluster
from support.applications.cluster_driver import PATIENCE, TWO_SMALL_EXECUTORS
from support.runs import conf
from support.sessions import ON_LOOPBACK

A = TypeVar("A")

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


class Watched:
    """A query with its jobs, and the executors of its application."""

    def __init__(self, spark: SparkSession, group: str) -> None:
        """Watch the query whose jobs are in a group; wait until all executors are there."""
        self.group = group
        self.has_ended = False
        self._context: Any = spark.sparkContext
        self._tracker: Any = self._context.statusTracker()
        self._store: Any = self._context._jsc.sc().statusStore()
        # Before the query runs, because this takes a while.
        wait(lambda: len(self.executors()) == EXECUTORS)
        commands = self._commands()
        self._processes = {one: self._process_of(one, commands) for one in self.executors()}

    def searching(self, query: Query) -> str:
        """Wait for a task of the query's job, after another executor's; return its executor."""

        def found() -> str:
            assert not self.has_ended, f"no task of '{query['job']}' was seen"
            for job in self._tracker.getActiveJobsIds():
                described = str(self._store.job(job).description().getOrElse(None))
                if not re.search(query["job"], described):
                    continue
                tasks = [task for stage in self.stages([job]) for task in self.tasks(stage)]
                done = [task["executor"] for task in tasks if task["status"] == "SUCCESS"]
                for task in tasks:
                    # One that has no task done has to get what tasks share, also from others.
                    others = set(done) - {task["executor"]}
                    if task["status"] == "RUNNING" and others and len(done) >= query["done"]:
                        return str(task["executor"])
            return ""

        return wait(found)

    def stages(self, jobs: Iterable[int]) -> list[int]:
        """Return the stages of jobs that have been submitted."""
        every = {stage for job in jobs for stage in self._tracker.getJobInfo(job).stageIds}
        return [stage for stage in sorted(every) if self._tracker.getStageInfo(stage)]

    def tasks(self, stage: int) -> list[dict[str, Any]]:
        """Return the tasks of all attempts of a stage."""
        last = int(self._store.lastStageAttempt(stage).attemptId())
        return [
            {
                "status": str(task.status()),
                "executor": str(task.executorId()),
                "speculative": bool(task.speculative()),
            }
            for attempt in range(last + 1)
            for task in sequence(self._store.taskList(stage, attempt, 10_000))
        ]

    def of_group(self) -> list[dict[str, Any]]:
        """Return the tasks of the query's job group."""
        jobs = self._tracker.getJobIdsForGroup(self.group)
        return [task for stage in self.stages(jobs) for task in self.tasks(stage)]

    def executors(self) -> list[str]:
        """Return the executors that are alive."""
        every = sequence(self._store.executorList(True))
        return [str(one.id()) for one in every if str(one.id()) != "driver"]

    def signal(self, executor: str, number: signal.Signals) -> None:
        """Send a signal to the process of an executor."""
        os.kill(self._processes[executor], number)

    def _commands(self) -> list[tuple[int, str]]:
        handles = self._context._jvm.java.lang.ProcessHandle.allProcesses().toArray()
        return [(one.pid(), one.info().commandLine().orElse("")) for one in handles]

    def _process_of(self, executor: str, commands: list[tuple[int, str]]) -> int:
        port = self._context.getConf().get("spark.driver.port")
        # No other driver on this machine has the port.
        marks = ("CoarseGrainedExecutorBackend", f":{port} ", f"--executor-id {executor} ")
        (pid,) = (pid for pid, command in commands if all(mark in command for mark in marks))
        return pid


def sequence(of: Any) -> list[Any]:
    """Return the elements of a Scala sequence."""
    return [of.apply(number) for number in range(of.size())]


def wait(until: Callable[[], A]) -> A:
    """Wait for a result that is not false, and return it."""
    deadline = time.monotonic() + PATIENCE
    while not (result := until()):
        if time.monotonic() > deadline:
            raise TimeoutError(until)
        time.sleep(0.03)
    return result


def lose(watched: Watched, query: Query) -> None:
    """Kill the executor of a task."""
    watched.signal(watched.searching(query), signal.SIGKILL)


def stop(watched: Watched, query: Query) -> None:
    """Stop the executor of a task until another executor has run this task, too."""
    executor = watched.searching(query)
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
    watched.searching(query)
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
