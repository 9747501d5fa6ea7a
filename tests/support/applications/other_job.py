"""Another job of an application, whose tasks hold cores until a file says that they may end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from support.applications.cluster_driver import PATIENCE
from support.applications.watched import Watched, wait


class OtherJob:
    """A job in a scheduler pool of its own, in the block."""

    def __init__(self, spark: SparkSession, tasks: int, folder: Path) -> None:
        """Prepare a job of so many tasks; the folder must be empty."""
        self._context: Any = spark.sparkContext
        self._numbers = range(tasks)
        self._folder = folder
        self._watched = Watched(spark, str(folder))
        self._pool = ThreadPoolExecutor(1)

    def __enter__(self) -> OtherJob:
        """Start the job, and wait until all tasks run."""
        self._folder.mkdir()
        self._job = self._pool.submit(self._run)
        wait(lambda: len(self.running()) == len(self._numbers))
        return self

    def __exit__(self, *_: object) -> None:
        """Let all tasks end."""
        self.release(self._numbers)
        self._job.result()
        self._pool.shutdown()

    def running(self) -> dict[int, str]:
        """Return the executors of the tasks that run, by the tasks' numbers."""
        tasks = [task for task in self._watched.of_group() if task["status"] == "RUNNING"]
        return {task["index"]: task["executor"] for task in tasks}

    def release(self, tasks: Iterable[int]) -> None:
        """Let some tasks end."""
        for number in tasks:
            (self._folder / str(number)).touch()

    def _run(self) -> None:
        self._context.setJobGroup(str(self._folder), "holds cores")
        self._context.setLocalProperty("spark.scheduler.pool", "other")
        numbers = self._context.parallelize(self._numbers, len(self._numbers))
        numbers.foreach(hold(self._folder))


def hold(folder: Path) -> Callable[[int], None]:
    """Return a function that ends when its number is the name of a file."""
    name, patience = str(folder), PATIENCE

    def call(number: int) -> None:
        import pathlib
        import time

        deadline = time.monotonic() + patience
        while not pathlib.Path(name, str(number)).exists():
            if time.monotonic() > deadline:
                raise TimeoutError(number)
            time.sleep(0.05)

    return call
