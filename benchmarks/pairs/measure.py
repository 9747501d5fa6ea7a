"""Measures a kind in pairs: a run of plain Spark and a run of ours, in both orders."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from benchmarks.pairs.interval import Estimate, estimate
from benchmarks.pairs.kind import Kind
from benchmarks.pairs.literals import Literals
from benchmarks.run import WrongAnswerError


@dataclass(frozen=True)
class Run:
    """One run.

    Attributes:
        seconds: Wall time, from the text of the query to its rows.
        cpu: CPU time of the JVM in seconds: driver, executor, compiler and garbage collector.
    """

    seconds: float
    cpu: float


Runs = Callable[[], Run]
"""Runs the queries of a kind once."""


@dataclass(frozen=True)
class Pair:
    """A run of each."""

    plain: Run
    ours: Run


@dataclass(frozen=True)
class Measured:
    """A kind with its pairs.

    Attributes:
        kind: The kind.
        example: The queries of the last run.
        first: The first pair over this kind, when nothing of it was cached; it does not count.
        pairs: The pairs that count.
    """

    kind: Kind
    example: tuple[str, ...]
    first: Pair
    pairs: tuple[Pair, ...]

    @property
    def plain(self) -> float:
        """The median wall time of plain Spark, in seconds."""
        return statistics.median(pair.plain.seconds for pair in self.pairs)

    @property
    def ours(self) -> float:
        """The median wall time of ours, in seconds."""
        return statistics.median(pair.ours.seconds for pair in self.pairs)

    @property
    def time(self) -> Estimate:
        """The median of the ratios of wall time, ours / plain."""
        return estimate([pair.ours.seconds / pair.plain.seconds for pair in self.pairs])

    @property
    def cpu(self) -> Estimate:
        """The median of the ratios of CPU time, ours / plain."""
        # The bean counts in ticks of up to 10 ms, so a run may have none.
        tick = 0.001
        ratios = [max(tick, pair.ours.cpu) / max(tick, pair.plain.cpu) for pair in self.pairs]
        return estimate(ratios)


class Worker(Protocol):
    """A session that serves requests."""

    def ask(self, request: dict[str, Any], what: str) -> dict[str, Any]:
        """Return the answer to a request."""


def measure(worker: Worker, kind: Kind, literals: Literals, pairs: int) -> Measured:
    """Measure a kind; each run has literals of its own, which were never drawn before.

    Raises:
        WrongAnswerError: The extension changed the number of rows, or the values of a sort key.
        EngineError: A query failed.
    """
    plain, ours = runs(worker, kind, literals, False), runs(worker, kind, literals, True)
    first = Pair(plain(), ours())
    measured = tuple(in_turns(plain, ours, pairs))
    example = kind.draw(literals)
    compare(worker, kind, example)
    return Measured(kind, tuple(example), first, measured)


def in_turns(plain: Runs, ours: Runs, pairs: int) -> list[Pair]:
    """Run both so often; every second pair begins with ours."""
    measured = []
    for number in range(pairs):
        if number % 2:
            of_ours = ours()
            measured.append(Pair(plain(), of_ours))
        else:
            of_plain = plain()
            measured.append(Pair(of_plain, ours()))
    return measured


def runs(worker: Worker, kind: Kind, literals: Literals, enabled: bool | None) -> Runs:
    """Return what runs the queries of a kind once, with literals that were never drawn before.

    Args:
        worker: The session.
        kind: The kind.
        literals: Where its literals come from.
        enabled: Whether the extension is switched on; None leaves it as the session has it.
    """
    return lambda: Run(**worker.ask(request(kind, "run", kind.draw(literals), enabled), kind.name))


def compare(worker: Worker, kind: Kind, queries: Sequence[str]) -> None:
    """Raise WrongAnswerError unless both return equally many rows, and the same sort keys."""
    keys = {"keys": [template.key for template in kind.queries]}
    plain, ours = (
        worker.ask(request(kind, "answer", queries, enabled) | keys, kind.name)["answers"]
        for enabled in (False, True)
    )
    for sql, of_plain, of_ours in zip(queries, plain, ours, strict=True):
        if of_plain != of_ours:
            raise WrongAnswerError(f"{kind.name}: {sql}: {of_ours[:5]} instead of {of_plain[:5]}")


def request(kind: Kind, do: str, queries: Sequence[str], enabled: bool | None) -> dict[str, Any]:
    """Return a request for a worker."""
    return {
        "do": do,
        "sql": list(queries),
        "table": kind.table.name,
        "view": kind.view,
        "action": kind.action,
        "latency": kind.latency,
        "enabled": enabled,
    }
