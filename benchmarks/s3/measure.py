"""Measures queries with and without the extension, in turns."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.queries import (
    CLUSTERED,
    COLLECT,
    LATEST,
    NO_MATCH_IN_RANGE,
    NONE,
    PREFIX,
    TO_PANDAS,
    UNPROVABLE,
    WRITE,
    Asked,
    Query,
)
from benchmarks.run import WrongAnswerError
from benchmarks.s3.session import Run, StoreSpark
from benchmarks.tables import EVENTS

ROOT_COVERED = tuple(
    Query(EVENTS, predicate, 100, COLLECT) for predicate in (NONE, CLUSTERED, PREFIX)
)
"""Spark itself begins with one task on one file here."""
ROOT_UNPROVABLE = tuple(Query(EVENTS, UNPROVABLE, limit, COLLECT) for limit in (100, 1_000))
NOWHERE = (Query(EVENTS, NO_MATCH_IN_RANGE, 100, COLLECT),)
"""It is only planned: both read every file, which takes minutes."""
NO_PREDICATE = tuple(
    Query(EVENTS, NONE, limit, action) for action in (TO_PANDAS, WRITE) for limit in (100, 10_000)
)
CLUSTERED_LIMITS = tuple(Query(EVENTS, CLUSTERED, 100, action) for action in (TO_PANDAS, WRITE))
ORDERED = (Query(EVENTS, NONE, 100, COLLECT, LATEST),)
QUERIES = (
    *ROOT_UNPROVABLE, *NOWHERE, *ROOT_COVERED, *NO_PREDICATE, *CLUSTERED_LIMITS, *ORDERED,
)  # fmt: skip


@dataclass(frozen=True)
class Measured:
    """A query and the medians of its runs.

    Attributes:
        query: The query.
        plain: Without the extension.
        first: With the extension, and no footer of the table cached.
        second: The next run of the same query.
        runs: How often each was run.
    """

    query: Asked
    plain: Run
    first: Run
    second: Run
    runs: int


def measure(spark: StoreSpark, runs: int, minutes: float) -> list[Measured]:
    """Measure all queries; each has an equal share of the remaining time.

    Raises:
        WrongAnswerError: The extension changed an answer.
    """
    deadline = time.monotonic() + 60 * minutes
    measured = []
    for number, query in enumerate(QUERIES):
        share = max(0.0, deadline - time.monotonic()) / (len(QUERIES) - number)
        measured.append(_measure(spark, query, runs, share))
        progress(measured[-1])
    return measured


def _measure(spark: StoreSpark, query: Query, runs: int, share: float) -> Measured:
    run = spark.plan if query in NOWHERE else spark.run
    started = time.monotonic()
    rounds: list[tuple[Run, Run, Run]] = []
    run(query, False)  # so that both have run a query of this form before
    run(query, True)
    while len(rounds) < runs and (len(rounds) < 3 or time.monotonic() < started + share):
        plain = run(query, False)
        spark.forget()
        rounds.append((plain, run(query, True), run(query, True)))
    if query not in NOWHERE:
        _compare(spark, query, [one for each in rounds for one in each])
    plain, first, second = (median(of) for of in zip(*rounds, strict=True))
    return Measured(query, plain, first, second, len(rounds))


def _compare(spark: StoreSpark, query: Query, runs: Sequence[Run]) -> None:
    wrong = {run.rows for run in runs} - {query.limit}
    if wrong:
        raise WrongAnswerError(f"{wrong} rows instead of {query.limit}: {query.name}")
    rows = spark.check(query, enabled=True)
    expected = spark.check(query, enabled=False) if query.order else [[0]]
    if rows != expected:
        raise WrongAnswerError(f"{query.name}: {query.check}: {rows[:3]}, not {expected[:3]}")


def median(runs: Sequence[Run]) -> Run:
    """Return the run with the median time."""
    middle = statistics.median_low(run.seconds for run in runs)
    return next(run for run in runs if run.seconds == middle)


def progress(measured: Measured) -> None:
    """Print a line."""
    sides = (
        f"{name} {run.seconds * 1e3:.0f} ms, {run.requests} requests, {run.bytes / 1e6:.1f} MB"
        for name, run in (
            ("plain", measured.plain),
            ("first", measured.first),
            ("second", measured.second),
        )
    )
    print(f"{measured.query.name}: {'; '.join(sides)}", file=sys.stderr, flush=True)
