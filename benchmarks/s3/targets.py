"""The targets on an object store, and the ratios that this run measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks.queries import Query
from benchmarks.s3.measure import (
    CLUSTERED_LIMITS,
    NO_PREDICATE,
    NOWHERE,
    ORDERED,
    ROOT_COVERED,
    ROOT_UNPROVABLE,
    Measured,
)
from benchmarks.targets import NO_GOAL, Ratio, Target


def targets(measured: Sequence[Measured]) -> list[Target]:
    """Return the targets, and below them the ratios that are shown without a target."""

    def of(
        name: str, queries: Sequence[Query], value: Callable[[Measured], float], goal: str = NO_GOAL
    ) -> Target:
        ratios = [Ratio(m.query.name, value(m)) for m in measured if m.query in queries]
        return Target(name, goal, ratios, _met(goal, [ratio.value for ratio in ratios]))

    return [
        of("time, ours / plain: covered, at the root", ROOT_COVERED, _slower, "≤ 1.05 each"),
        of("requests, ours - plain: covered, at the root", ROOT_COVERED, _more, "≤ 4 each"),
        of("time, ours / plain: unprovable, first time", ROOT_UNPROVABLE, _slower, "≤ 1.15 each"),
        of("requests, ours - plain: unprovable, first time", ROOT_UNPROVABLE, _more, "≤ 8 each"),
        of(
            "time, ours / plain: unprovable, second time",
            ROOT_UNPROVABLE,
            lambda m: m.second.seconds / m.plain.seconds,
            "≤ 1.02 each",
        ),
        of(
            "bytes, plain / ours: no predicate, not at the root",
            NO_PREDICATE,
            _fewer_bytes,
            "≥ 100 each",
        ),
        of(
            "time, plain / ours: no predicate, not at the root",
            NO_PREDICATE,
            _faster,
            "≥ 20 each",
        ),
        of("requests, plain / ours: no predicate, not at the root", NO_PREDICATE, _fewer_requests),
        of("bytes, plain / ours: clustered, not at the root", CLUSTERED_LIMITS, _fewer_bytes),
        of("time, plain / ours: clustered, not at the root", CLUSTERED_LIMITS, _faster),
        of("bytes, plain / ours: ORDER BY ts DESC LIMIT 100", ORDERED, _fewer_bytes),
        of("time, plain / ours: ORDER BY ts DESC LIMIT 100", ORDERED, _faster),
        of("planning, seconds: no match in range", NOWHERE, lambda m: m.first.seconds),
    ]


def _met(goal: str, values: Sequence[float]) -> bool | None:
    if goal == NO_GOAL or not values:
        return None
    sign, number, _ = goal.split()
    return all(
        value <= float(number) if sign == "≤" else value >= float(number) for value in values
    )


def _slower(m: Measured) -> float:
    return m.first.seconds / m.plain.seconds


def _faster(m: Measured) -> float:
    return m.plain.seconds / m.first.seconds


def _more(m: Measured) -> float:
    return m.first.requests - m.plain.requests


def _fewer_bytes(m: Measured) -> float:
    return m.plain.bytes / max(1, m.first.bytes)


def _fewer_requests(m: Measured) -> float:
    return m.plain.requests / max(1, m.first.requests)
