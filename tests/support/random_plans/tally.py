"""Counts what random plans came across, and keeps what failed."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field

KEEP_GOING = bool(os.environ.get("RANDOM_PLANS_KEEP_GOING"))


@dataclass(frozen=True)
class Failure:
    """A query with a wrong answer.

    Attributes:
        number: The number of the query in this run.
        kind: What failures are counted by.
        text: All that is needed to see it again.
    """

    number: int
    kind: tuple[str, ...]
    problem: str
    text: str


@dataclass
class Tally:
    """Counts by name, and the failures, in the order of their queries."""

    counts: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)

    def start(self, queries: int) -> int:
        """Count queries, and return the number of the first of them."""
        first = self.counts["queries"] + 1
        self.counts["queries"] += queries
        return first

    def add(self, dimension: str, value: str, covered: int) -> None:
        """Count a query under the value that it has in a dimension."""
        self.counts[f"{dimension}: {value}"] += 1
        self.counts[f"{dimension}: {value}, covered"] += covered > 0

    def share(self, name: str) -> float:
        """Return the share of all queries that were counted under a name."""
        return self.counts[name] / max(1, self.counts["queries"])

    def fail(self, failure: Failure) -> None:
        """Raise the failure, or keep it and go on."""
        print(f"at query {failure.number}: {', '.join(failure.kind)}", flush=True)
        if not KEEP_GOING:
            raise AssertionError(failure.text)
        self.failures.append(failure)

    def __str__(self) -> str:
        """Return a line for each count, and for each kind of failure."""
        kinds: dict[tuple[str, ...], list[Failure]] = {}
        for failure in sorted(self.failures, key=lambda failure: failure.number):
            kinds.setdefault(failure.kind, []).append(failure)
        lines = [f"{name}: {count}" for name, count in sorted(self.counts.items())]
        for kind, same in kinds.items():
            lines.append(f"{len(same)} failures, first query {same[0].number}: {', '.join(kind)}")
            lines.append(f"    {same[0].problem[:300]}")
        return "\n".join(lines)
