"""What a JVM wrote about the suites that it ran (`WriteEvents.scala`)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Outcome:
    """How a test ended: `passed`, `failed` or `canceled`, and why."""

    how: str
    message: str = ""

    @property
    def passed(self) -> bool:
        """Whether it ran to its end and all it asserts is true."""
        return self.how == "passed"


@dataclass
class SuiteRun:
    """One suite in one JVM; `ended` is `completed`, `aborted`, or empty if the JVM ended first."""

    ended: str = ""
    message: str = ""
    seconds: float = 0.0
    tests: dict[str, Outcome] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def passed(self) -> int:
        """Tests that passed."""
        return sum(outcome.passed for outcome in self.tests.values())

    @property
    def all_passed(self) -> bool:
        """Whether it came to its end and every test passed."""
        return self.ended == "completed" and self.passed == len(self.tests)

    def add(self, event: dict[str, Any]) -> None:
        """Add what an event tells."""
        if "test" in event:
            self.tests[event["test"]] = Outcome(event["outcome"], event["message"])
        elif "ended" in event:
            self.ended, self.message = event["ended"], event["message"]
            self.seconds = event["millis"] / 1000
            self.counts = Counter(event["counts"])


Runs = dict[str, SuiteRun]


def read(lines: Iterable[str]) -> Runs:
    """Read events, by the class name of the suite."""
    runs: Runs = {}
    for line in lines:
        event = json.loads(line)
        runs.setdefault(event["suite"], SuiteRun()).add(event)
    return runs


def read_file(path: Path) -> Runs:
    """Read events; none where the JVM did not come to its first suite."""
    return read(path.read_text("utf-8").splitlines()) if path.exists() else {}
