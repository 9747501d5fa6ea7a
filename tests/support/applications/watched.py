"""What Spark's driver knows about a query that runs: its jobs, their tasks, and the executors."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from pyspark.sql import SparkSession

from support.applications.cluster_driver import PATIENCE

A = TypeVar("A")

SEARCH = "rows of "
"""In the description of each job that searches for rows."""


class Watched:
    """A query with its jobs, and the executors of its application."""

    def __init__(self, spark: SparkSession, group: str) -> None:
        """Watch the query whose jobs are in a group."""
        self.group = group
        self.has_ended = False
        self._context: Any = spark.sparkContext
        self._tracker: Any = self._context.statusTracker()
        self._store: Any = self._context._jsc.sc().statusStore()
        self._processes: dict[str, int] = {}

    def locate(self, executors: int) -> None:
        """Wait until so many executors are there, and find their processes, which takes a while."""
        wait(lambda: len(self.executors()) == executors)
        commands = self._commands()
        self._processes = {one: self._process_of(one, commands) for one in self.executors()}

    def searching(self, of: str, after: int) -> str:
        """Wait for a task of the query's job, after another executor's; return its executor.

        Args:
            of: A pattern of the job's description.
            after: So many of its tasks have ended.
        """

        def found() -> str:
            assert not self.has_ended, f"no task of '{of}' was seen"
            for job in self._tracker.getActiveJobsIds():
                described = str(self._store.job(job).description().getOrElse(None))
                if not re.search(of, described):
                    continue
                tasks = [task for stage in self.stages([job]) for task in self.tasks(stage)]
                done = [task["executor"] for task in tasks if task["status"] == "SUCCESS"]
                for task in tasks:
                    # One that has no task done has to get what tasks share, also from others.
                    others = set(done) - {task["executor"]}
                    if task["status"] == "RUNNING" and others and len(done) >= after:
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
                "index": int(task.index()),
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

    def searches(self) -> list[int]:
        """Return the number of tasks of each job that searched for rows, in order."""
        jobs = map(self._store.job, sorted(self._tracker.getJobIdsForGroup(self.group)))
        described = [(str(job.description().getOrElse(None)), int(job.numTasks())) for job in jobs]
        return [tasks for description, tasks in described if SEARCH in description]

    def input_bytes(self) -> int:
        """Return what tasks of the query's job group have read."""
        stages = self.stages(self._tracker.getJobIdsForGroup(self.group))
        return sum(int(self._store.lastStageAttempt(stage).inputBytes()) for stage in stages)

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
