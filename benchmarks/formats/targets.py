"""The ratios of a table format alone to the extension."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks.queries import Query
from benchmarks.run import Measured


def times_fewer_bytes(engine: str, ours: str) -> Callable[[Measured], float]:
    """Return the ratio of an engine's bytes to ours."""
    return lambda m: m.costs[engine].bytes / max(1, m.costs[ours].bytes)


def times_faster(engine: str, ours: str) -> Callable[[Measured], float]:
    """Return the ratio of an engine's time to ours."""
    return lambda m: m.costs[engine].seconds / m.costs[ours].seconds


def of(measured: Sequence[Measured], queries: Sequence[Query]) -> list[Measured]:
    """Return what was measured of these queries."""
    return [m for m in measured if m.query in queries]
