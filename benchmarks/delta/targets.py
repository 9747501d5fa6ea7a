"""The targets over a Delta table, and the ratios that this run measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks.delta.queries import (
    CLUSTERED_LIMITS,
    NO_LIMIT,
    NO_PREDICATE,
    NOTHING_TO_GAIN,
    ORDERED,
    PREFIXES,
)
from benchmarks.engines import DELTA, DELTA_OURS, DELTA_READS_ALL
from benchmarks.queries import Query
from benchmarks.run import Measured
from benchmarks.targets import Target, at_least, at_most, shown


def targets(measured: Sequence[Measured]) -> list[Target]:
    """Return the targets, and below them the ratios that are shown without a target."""

    def of(queries: Sequence[Query]) -> list[Measured]:
        return [m for m in measured if m.query in queries]

    written = of(NO_PREDICATE)
    all_files = f"{DELTA_READS_ALL} / ours: no predicate, toPandas or write"
    as_it_is = f"{DELTA} / ours"
    return [
        at_least(f"bytes, {all_files}", 100, written, times_fewer_bytes(DELTA_READS_ALL)),
        at_least(f"time, {all_files}", 10, written, times_faster(DELTA_READS_ALL)),
        at_least(
            f"bytes, {as_it_is}: clustered, toPandas or write",
            50,
            of(CLUSTERED_LIMITS),
            times_fewer_bytes(),
        ),
        at_least(
            f"bytes, {as_it_is}: ORDER BY ts DESC LIMIT 100", 200, of(ORDERED), times_fewer_bytes()
        ),
        at_most(f"time, ours / {DELTA}: nothing to gain", 1.03, of(NOTHING_TO_GAIN), times_slower),
        shown(f"bytes, {as_it_is}: no predicate, toPandas or write", written, times_fewer_bytes()),
        shown(f"time, {as_it_is}: no predicate, toPandas or write", written, times_faster()),
        shown(
            f"time, {as_it_is}: clustered, toPandas or write", of(CLUSTERED_LIMITS), times_faster()
        ),
        shown(f"bytes, {as_it_is}: prefix, toPandas or write", of(PREFIXES), times_fewer_bytes()),
        shown(f"time, {as_it_is}: prefix, toPandas or write", of(PREFIXES), times_faster()),
        shown(f"time, {as_it_is}: ORDER BY ts DESC LIMIT 100", of(ORDERED), times_faster()),
        shown(f"time, ours / {DELTA}: no LIMIT (noise)", of(NO_LIMIT), times_slower),
    ]


def times_fewer_bytes(engine: str = DELTA) -> Callable[[Measured], float]:
    """Return the ratio of an engine's bytes to ours."""
    return lambda m: m.costs[engine].bytes / max(1, m.costs[DELTA_OURS].bytes)


def times_faster(engine: str = DELTA) -> Callable[[Measured], float]:
    """Return the ratio of an engine's time to ours."""
    return lambda m: m.costs[engine].seconds / m.costs[DELTA_OURS].seconds


def times_slower(m: Measured) -> float:
    """Return the ratio of our time to that of Delta alone."""
    return 1 / times_faster()(m)
