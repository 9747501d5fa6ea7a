"""The targets on an object store, and the ratios that this run measured."""

from __future__ import annotations

from collections.abc import Sequence

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
from benchmarks.targets import Target, at_least, at_most, shown


def targets(measured: Sequence[Measured]) -> list[Target]:
    """Return the targets, and below them the ratios that are shown without a target."""

    def of(queries: Sequence[Query]) -> list[Measured]:
        return [m for m in measured if m.query in queries]

    covered, unprovable = of(ROOT_COVERED), of(ROOT_UNPROVABLE)
    everything, clustered = of(NO_PREDICATE), of(CLUSTERED_LIMITS)
    no_predicate = "plain / ours: no predicate, not at the root"
    return [
        at_most("time, ours / plain: covered, at the root", 1.05, covered, _slower),
        at_most("requests, ours - plain: covered, at the root", 4, covered, _more),
        at_most("time, ours / plain: unprovable, first time", 1.15, unprovable, _slower),
        at_most("requests, ours - plain: unprovable, first time", 8, unprovable, _more),
        at_most("time, ours / plain: unprovable, second time", 1.02, unprovable, _slower_again),
        at_least(f"bytes, {no_predicate}", 100, everything, _fewer_bytes),
        at_least(f"time, {no_predicate}", 20, everything, _faster),
        shown(f"requests, {no_predicate}", everything, _fewer_requests),
        shown("bytes, plain / ours: clustered, not at the root", clustered, _fewer_bytes),
        shown("time, plain / ours: clustered, not at the root", clustered, _faster),
        shown("bytes, plain / ours: ORDER BY ts DESC LIMIT 100", of(ORDERED), _fewer_bytes),
        shown("time, plain / ours: ORDER BY ts DESC LIMIT 100", of(ORDERED), _faster),
        shown("planning, seconds: no match in range", of(NOWHERE), lambda m: m.first.seconds),
    ]


def _slower_again(m: Measured) -> float:
    return m.second.seconds / m.plain.seconds


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
