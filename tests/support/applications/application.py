"""An application in a process of its own, for tests that need another classpath than the suite's.

Unlike `cluster_driver.py`, it is told what to do step by step: files can change in between.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.applications.cluster import LOOPBACK
from support.applications.cluster_driver import PATIENT
from support.processes import environment, program
from support.sessions import ON_LOOPBACK

DRIVER = "support.applications.application_driver"
SETTINGS = (
    ON_LOOPBACK
    | PATIENT
    | {
        "spark.master": "local[2]",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.limitPruning.failOnError": "true",
    }
)


@dataclass(frozen=True)
class Answer:
    """What came of a query: rows and the reports of its LIMITs, or an error."""

    rows: list[dict[str, Any]]
    limits: list[dict[str, Any]]
    error: str | None

    @property
    def limit(self) -> dict[str, Any]:
        """The report of the one LIMIT of a query that did not fail."""
        assert self.error is None, self.error
        (limit,) = self.limits
        return limit


class Application:
    """The way to an application's process."""

    def __init__(self, process: subprocess.Popen[str], settings: dict[str, str]) -> None:
        """Start the session, and wait until it is there."""
        self.process = process
        self._ask(settings)

    def plan(self, sql: str) -> int:
        """Plan a query, do not run it, and return its number."""
        return int(self._ask(["plan", sql]))

    def run(self, number: int) -> Answer:
        """Run what was planned."""
        found = self._ask(["run", number])
        return Answer(found.get("rows", []), found.get("limits", []), found.get("error"))

    def sql(self, sql: str) -> Answer:
        """Plan and run a query or a command."""
        return self.run(self.plan(sql))

    def rows(self, sql: str) -> list[dict[str, Any]]:
        """Return the rows of a query that must not fail."""
        answer = self.sql(sql)
        assert answer.error is None, answer.error
        return answer.rows

    def times(self, path: str) -> list[int]:
        """Return the time of a file as Hadoop's listing gives it, and as its status does."""
        listed, status = self._ask(["times", path])
        return [listed, status]

    @contextmanager
    def conf(self, settings: dict[str, str]) -> Iterator[None]:
        """Set these for the block and restore what was there before."""
        before = {name: self._ask(["set", name, value]) for name, value in settings.items()}
        try:
            yield
        finally:
            for name, value in before.items():
                self._ask(["set", name, value])

    def _ask(self, command: Any) -> Any:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, "the application has ended: see its log"
        return json.loads(line)


@contextmanager
def running(settings: dict[str, str], folder: Path) -> Iterator[Application]:
    """Keep an application for the block, with its log in `folder`."""
    with (folder / "application.log").open("wb") as errors:
        process = subprocess.Popen(
            program(DRIVER),
            cwd=folder,
            env=environment(**LOOPBACK, PYSPARK_PYTHON=sys.executable),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    with process:
        assert process.stdin
        try:
            yield Application(process, SETTINGS | settings)
        finally:
            process.stdin.close()
            process.wait(60)
