"""The client of a worker: starts it, sends requests, ends it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.queries import Query
from benchmarks.settings import ROOT


class EngineError(Exception):
    """An engine failed in a query, or ended."""


@dataclass(frozen=True)
class Run:
    """The cost of one run of a query; None if the engine has no such number.

    Attributes:
        seconds: Wall time until the rows arrived.
        bytes: Bytes that the engine's process read in this time.
        rows: Rows of the result, or the count in it.
        jobs: Spark jobs.
        tasks: Spark tasks.
    """

    seconds: float
    bytes: int
    rows: int
    jobs: int | None
    tasks: int | None


class EngineProcess:
    """One engine's process; its messages are written to a log next to the tables."""

    def __init__(self, name: str, data: Path, worker: str = "benchmarks.worker") -> None:
        """Start the process without waiting for it to be ready.

        Args:
            name: The name of the engine.
            data: The folder of the tables.
            worker: The module that serves the requests.
        """
        self.name = name
        self.version = ""
        file_name = name.replace(" ", "")
        scratch = data / "scratch" / file_name
        scratch.mkdir(parents=True, exist_ok=True)
        self._log = scratch / "log.txt"
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", worker, name, str(data), str(scratch)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=ROOT,
            )

    def wait_until_ready(self) -> None:
        """Wait until the engine has started."""
        self.version = str(self._receive("its start")["version"])

    def run(self, query: Query) -> Run:
        """Run a query once."""
        return Run(**self.ask({"run": asdict(query)}, query.name))

    def decoded(self, query: Query) -> dict[str, int | None]:
        """Return the row groups and rows that the query's scans decoded."""
        return self.ask({"decoded": asdict(query)}, query.name)

    def check(self, query: Query) -> list[list[str]]:
        """Return the rows of the query's `check`, as text."""
        rows: list[list[str]] = self.ask({"check": asdict(query)}, query.name)["rows"]
        return rows

    def count(self, source: str) -> int:
        """Return the number of matching rows (DuckDB's process only)."""
        return int(self.ask({"count": source}, source)["count"])

    def ask(self, request: dict[str, Any], what: str) -> dict[str, Any]:
        """Send a request and return the answer; `what` names it in errors.

        Raises:
            EngineError: The engine failed, or ended.
        """
        if self._process.stdin is None:
            raise EngineError(f"{self.name} has no input")
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise EngineError(f"{self.name} ended before {what}; see {self._log}") from error
        return self._receive(what)

    def stop(self) -> None:
        """End the process and wait until it has ended."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _receive(self, what: str) -> dict[str, Any]:
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            raise EngineError(f"{self.name} ended at {what}; see {self._log}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise EngineError(f"{self.name} failed at {what}:\n{answer['error']}")
        return answer
