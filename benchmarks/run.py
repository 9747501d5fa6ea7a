"""Runs every query on every engine in turns, so that a disturbance affects all engines."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from benchmarks.engines import OURS
from benchmarks.process import EngineProcess, Run
from benchmarks.queries import Query

_ENOUGH_RUNS = 3


class WrongAnswerError(Exception):
    """An engine returned wrong rows, or a wrong number of them."""


@dataclass(frozen=True)
class Cost:
    """The cost of a query on an engine.

    Attributes:
        first_seconds: Wall time of the first run, with nothing of the query cached in the process.
        first_bytes: Bytes read in the first run.
        seconds: Median wall time of the measured runs.
        all_seconds: The wall time of each run.
        bytes: Median of the bytes read.
        rows: Rows of the result.
        jobs: Spark jobs of the last run; None for other engines.
        tasks: Spark tasks of the last run; None for other engines.
        row_groups: Row groups decoded; None if the engine does not report them.
        rows_decoded: Rows that the scan returned; None if the engine does not report them.
    """

    first_seconds: float
    first_bytes: int
    seconds: float
    all_seconds: list[float]
    bytes: int
    rows: int
    jobs: int | None
    tasks: int | None
    row_groups: int | None
    rows_decoded: int | None


@dataclass(frozen=True)
class Measured:
    """A query and its cost by engine."""

    query: Query
    costs: dict[str, Cost]

    @property
    def covered(self) -> bool:
        """Whether the extension covered the LIMIT: only then it counts row groups."""
        return self.costs[OURS].row_groups is not None


def run_all(
    engines_of: Callable[[Query], Sequence[EngineProcess]],
    counter: EngineProcess,
    queries: Sequence[Query],
    runs: int,
    minutes: float,
) -> list[Measured]:
    """Measure every query; each has an equal share of the remaining time.

    Args:
        engines_of: Returns the engines that run a query.
        counter: DuckDB's process, which counts the matching rows, or their groups.
        queries: The queries, in the order of their runs.
        runs: Maximum of measured runs of a query.
        minutes: Time for all queries.

    Raises:
        WrongAnswerError: The engines disagree about a number of rows, or about the `check` of a
            query.
    """
    matches: dict[str, int] = {}
    deadline = time.monotonic() + 60 * minutes
    measured = []
    for number, query in enumerate(queries):
        if query.counted not in matches:
            matches[query.counted] = counter.count(query.counted)
        expected = query.expected_rows(matches[query.counted])
        share = max(0.0, deadline - time.monotonic()) / (len(queries) - number)
        engines = engines_of(query)
        measured.append(run_one(engines, query, expected, runs, share))
        compare(engines, query)
        progress(measured[-1])
    return measured


def run_one(
    engines: Sequence[EngineProcess], query: Query, expected: int, runs: int, share: float
) -> Measured:
    """Run once, for the first run, then measure up to `runs` rounds within `share` seconds.

    In each round, most predicates have literals of their own; footers and the forms of predicates
    are remembered. At least three rounds are measured, or one if three would take more than twice
    the share.
    """
    started = time.monotonic()
    by_engine: dict[str, list[Run]] = {engine.name: [] for engine in engines}
    for number in range(runs + 1):
        # The order is reversed each round, so that no engine always follows the slowest one.
        for engine in engines if number % 2 == 0 else tuple(reversed(engines)):
            run = engine.run(replace(query, run=number))
            if run.rows != expected:
                raise WrongAnswerError(
                    f"{engine.name} returned {run.rows} rows instead of {expected}: {query.name}"
                )
            by_engine[engine.name].append(run)
        spent = time.monotonic() - started
        if (number >= _ENOUGH_RUNS and spent > share) or (number >= 1 and spent > 2 * share):
            break
    costs = {engine.name: cost(engine, query, by_engine[engine.name]) for engine in engines}
    return Measured(query, costs)


def compare(engines: Sequence[EngineProcess], query: Query) -> None:
    """Raise WrongAnswerError unless all engines return the same rows for the query's `check`."""
    answers = {engine.name: engine.check(query) for engine in engines}
    of_first = answers[engines[0].name]
    is_limit = query.limit is not None and query.order is None
    if any(rows != of_first for rows in answers.values()) or (is_limit and of_first != [["0"]]):
        short = {name: rows[:3] for name, rows in answers.items()}
        raise WrongAnswerError(f"{query.name}: {query.check}: {short}")


def progress(measured: Measured) -> None:
    """Print the measured costs to the error stream."""
    costs = (
        f"{name} {cost.seconds * 1e3:.0f} ms {cost.bytes / 1e6:.1f} MB"
        for name, cost in measured.costs.items()
    )
    print(f"{measured.query.name}: {', '.join(costs)}", file=sys.stderr, flush=True)


def cost(engine: EngineProcess, query: Query, runs: Sequence[Run]) -> Cost:
    """Summarize the runs, of which the first is apart; the engine reports what it decoded."""
    decoded = engine.decoded(query)
    first, *measured = runs
    last = measured[-1]
    return Cost(
        first_seconds=round(first.seconds, 4),
        first_bytes=first.bytes,
        seconds=statistics.median(run.seconds for run in measured),
        all_seconds=[round(run.seconds, 4) for run in measured],
        bytes=int(statistics.median(run.bytes for run in measured)),
        rows=last.rows,
        jobs=last.jobs,
        tasks=last.tasks,
        row_groups=decoded["row_groups"],
        rows_decoded=decoded["rows"],
    )
