"""The targets of the extension, and the ratios that this run measured."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from benchmarks import tables
from benchmarks.engines import DATAFUSION, OURS, PLAIN
from benchmarks.queries import (
    CLUSTERED,
    COLLECT,
    COUNT,
    DAY,
    LATEST,
    NO_MATCH_IN_RANGE,
    NONE,
    RANDOM,
    SUBQUERIES,
    TO_PANDAS,
    UNPROVABLE,
    USER,
    WRITE,
    Asked,
    Query,
)
from benchmarks.run import Measured

NO_GOAL = "none"
_TOLERANCE = 0.05
"""For queries without LIMIT, in which both Sparks do the same work."""


class OfQuery(Protocol):
    """The measured costs of a query, in any benchmark."""

    @property
    def query(self) -> Asked:
        """The query."""


M = TypeVar("M", bound=OfQuery)


@dataclass(frozen=True)
class Ratio:
    """A ratio measured at one query."""

    query: str
    value: float


@dataclass(frozen=True)
class Target:
    """One line of the targets.

    Attributes:
        name: The ratio, and the queries for which it is measured.
        goal: The goal in words.
        ratios: One for each of these queries.
        met: Whether every ratio reaches the goal; None if there is none.
    """

    name: str
    goal: str
    ratios: list[Ratio]
    met: bool | None

    @property
    def geometric_mean(self) -> float | None:
        """The geometric mean; None if a value is not positive, as a difference may be."""
        values = [ratio.value for ratio in self.ratios]
        return statistics.geometric_mean(values) if values and min(values) > 0 else None


def targets(measured: Sequence[Measured]) -> list[Target]:
    """Return the targets with the ratios of this run."""
    no_predicate = _select(measured, NONE, (TO_PANDAS, WRITE))
    clustered = _select(measured, CLUSTERED, (TO_PANDAS, WRITE))
    latest = _latest(measured)
    int96, subqueries, groups = _int96(measured), _subqueries(measured), _groups(measured)
    return [
        at_least("bytes, plain / ours: no predicate, toPandas or write", 100, no_predicate, _bytes),
        at_least("time, plain / ours: no predicate, toPandas or write", 15, no_predicate, _time),
        at_least("bytes, plain / ours: clustered, toPandas or write", 50, clustered, _bytes),
        _versus_datafusion(measured),
        _growth(measured),
        at_least("bytes, plain / ours: ORDER BY ts DESC LIMIT 100", 200, latest, _bytes),
        at_least("time, plain / ours: ORDER BY ts DESC LIMIT 100", 25, latest, _time),
        at_least("bytes, plain / ours: INT96 with dictionaries", 1, int96, _bytes),
        at_least("time, plain / ours: INT96 with dictionaries", 1, int96, _time),
        at_least("bytes, plain / ours: scalar subquery", 3, subqueries, _bytes),
        at_least("time, plain / ours: scalar subquery", 1, subqueries, _time),
        at_least("bytes, plain / ours: DISTINCT or GROUP BY, LIMIT", 3, groups, _bytes),
        at_least("time, plain / ours: DISTINCT or GROUP BY, LIMIT", 1, groups, _time),
        _below("time, ours / plain: collect that one task answers", 1.05, _one_task(measured)),
        at_most("time, ours / plain: nothing to gain", 1.03, _nothing_to_gain(measured), _slower),
        at_most("nothing to gain, ours - plain, ms", 2, _nothing_to_gain(measured), _more_ms),
        _unlimited(measured),
    ]


def _select(measured: Sequence[Measured], predicate: str, actions: Sequence[str]) -> list[Measured]:
    return [
        m
        for m in measured
        if m.query.table == tables.EVENTS
        and m.query.predicate == predicate
        and m.query.action in actions
        and m.query.limit is not None
        and m.query.order is None
        and m.query.keys is None
    ]


def _bytes(m: Measured) -> float:
    return m.costs[PLAIN].bytes / max(1, m.costs[OURS].bytes)


def _time(m: Measured) -> float:
    return m.costs[PLAIN].seconds / m.costs[OURS].seconds


def _slower(m: Measured) -> float:
    return 1 / _time(m)


def _more_ms(m: Measured) -> float:
    return 1000 * (m.costs[OURS].seconds - m.costs[PLAIN].seconds)


def at_least(name: str, goal: float, measured: Sequence[M], value: Callable[[M], float]) -> Target:
    """Return a target that is met if the value of each query is `goal` or more."""
    ratios = [Ratio(m.query.name, value(m)) for m in measured]
    return Target(name, f"≥ {goal:g} each", ratios, _all(r.value >= goal for r in ratios))


def at_most(name: str, goal: float, measured: Sequence[M], value: Callable[[M], float]) -> Target:
    """Return a target that is met if the value of each query is `goal` or less."""
    ratios = [Ratio(m.query.name, value(m)) for m in measured]
    return Target(name, f"≤ {goal:g} each", ratios, _all(r.value <= goal for r in ratios))


def shown(name: str, measured: Sequence[M], value: Callable[[M], float]) -> Target:
    """Return ratios that have no goal, so that they are neither met nor missed."""
    return Target(name, NO_GOAL, [Ratio(m.query.name, value(m)) for m in measured], None)


def _below(name: str, goal: float, measured: Sequence[Measured]) -> Target:
    ratios = [Ratio(m.query.name, _slower(m)) for m in measured]
    return Target(name, f"< {goal:g} each", ratios, _all(r.value < goal for r in ratios))


def _versus_datafusion(measured: Sequence[Measured]) -> Target:
    """Compare all covered queries with a LIMIT of rows and no ORDER BY over the table of 60 files.

    DataFusion counts all rows of a table without a scan, so such counts are left out.
    """
    ratios = [
        Ratio(m.query.name, m.costs[OURS].bytes / max(1, m.costs[DATAFUSION].bytes))
        for m in measured
        if m.query.table == tables.EVENTS
        and m.covered
        and m.query.limit is not None
        and m.query.order is None
        and m.query.keys is None
        and m.query.predicate not in SUBQUERIES
        and (m.query.predicate, m.query.action) != (NONE, COUNT)
    ]
    mean = math.exp(statistics.fmean(math.log(r.value) for r in ratios)) if ratios else 0.0
    met = _all([*(r.value < 0.6 for r in ratios), mean < 0.35]) if ratios else None
    name = "bytes, ours / DataFusion: covered"
    return Target(name, "< 0.6 each, geometric mean < 0.35", ratios, met)


def _growth(measured: Sequence[Measured]) -> Target:
    few = {
        (m.query.predicate, m.query.limit, m.query.action, m.query.order): m
        for m in measured
        if m.query.table == tables.SMALL_FILES_60
    }
    ratios = []
    for m in measured:
        key = (m.query.predicate, m.query.limit, m.query.action, m.query.order)
        if m.query.table == tables.SMALL_FILES and key in few and m.covered:
            base = few[key]
            if base.covered:
                value = m.costs[OURS].seconds / base.costs[OURS].seconds
                ratios.append(Ratio(m.query.name, value))
    met = _all(r.value <= 1.1 for r in ratios)
    return Target("time, ours: 2,000 files / 60 files, covered", "≤ 1.1 each", ratios, met)


def _one_task(measured: Sequence[Measured]) -> list[Measured]:
    return [m for m in _select(measured, NONE, (COLLECT,)) if m.costs[PLAIN].tasks == 1]


def _nothing_to_gain(measured: Sequence[Measured]) -> list[Measured]:
    nothing = (UNPROVABLE, NO_MATCH_IN_RANGE)
    return [
        m
        for m in measured
        if m.query.order == RANDOM
        or m.query.table == tables.INT96_PLAIN
        or _groups_save_nothing(m.query)
        or (m.query.predicate in nothing and m.query.limit is not None and m.query.order is None)
    ]


def _latest(measured: Sequence[Measured]) -> list[Measured]:
    return [
        m
        for m in measured
        if (m.query.table, m.query.predicate, m.query.limit, m.query.order)
        == (tables.EVENTS, NONE, 100, LATEST)
    ]


def _int96(measured: Sequence[Measured]) -> list[Measured]:
    return [m for m in measured if m.query.table == tables.INT96]


def _subqueries(measured: Sequence[Measured]) -> list[Measured]:
    return [m for m in measured if m.query.predicate in SUBQUERIES]


def _groups(measured: Sequence[Measured]) -> list[Measured]:
    return [m for m in measured if m.query.keys and not _groups_save_nothing(m.query)]


def _groups_save_nothing(query: Query) -> bool:
    """Whether no keys are proved, or plain Spark reads no column of any file, either."""
    return query.keys in (USER, DAY) and query.functions is None


def _unlimited(measured: Sequence[Measured]) -> Target:
    unlimited = [m for m in measured if m.query.limit is None]
    ratios = [Ratio(m.query.name, _slower(m)) for m in unlimited]
    met = _all(abs(r.value - 1) <= _TOLERANCE for r in ratios)
    return Target("time, ours / plain: no LIMIT", f"1.00 ± {_TOLERANCE:.2f} each", ratios, met)


def _all(conditions: Iterable[bool]) -> bool | None:
    results = list(conditions)
    return all(results) if results else None
