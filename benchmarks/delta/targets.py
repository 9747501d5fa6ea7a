"""The targets over a Delta table, and the ratios that this run measured."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.delta.queries import (
    CLUSTERED_LIMITS,
    NO_LIMIT,
    NO_PREDICATE,
    NOTHING_TO_GAIN,
    ORDERED,
    PREFIXES,
)
from benchmarks.engines import DELTA, DELTA_OURS, DELTA_READS_ALL
from benchmarks.formats.targets import of, times_faster, times_fewer_bytes
from benchmarks.run import Measured
from benchmarks.targets import Target, at_least, at_most, shown


def targets(measured: Sequence[Measured]) -> list[Target]:
    """Return the targets, and below them the ratios that are shown without a target."""
    written, ordered = of(measured, NO_PREDICATE), of(measured, ORDERED)
    clustered, prefixes = of(measured, CLUSTERED_LIMITS), of(measured, PREFIXES)
    fewer_bytes, faster = times_fewer_bytes(DELTA, DELTA_OURS), times_faster(DELTA, DELTA_OURS)
    slower = times_faster(DELTA_OURS, DELTA)
    of_all_files = times_fewer_bytes(DELTA_READS_ALL, DELTA_OURS)
    faster_than_all_files = times_faster(DELTA_READS_ALL, DELTA_OURS)
    all_files = f"{DELTA_READS_ALL} / ours: no predicate, toPandas or write"
    as_it_is = f"{DELTA} / ours"
    return [
        at_least(f"bytes, {all_files}", 100, written, of_all_files),
        at_least(f"time, {all_files}", 10, written, faster_than_all_files),
        at_least(
            f"bytes, {as_it_is}: clustered, toPandas or write",
            50,
            clustered,
            fewer_bytes,
        ),
        at_least(f"bytes, {as_it_is}: ORDER BY ts DESC LIMIT 100", 200, ordered, fewer_bytes),
        at_most(
            f"time, ours / {DELTA}: nothing to gain", 1.03, of(measured, NOTHING_TO_GAIN), slower
        ),
        shown(f"bytes, {as_it_is}: no predicate, toPandas or write", written, fewer_bytes),
        shown(f"time, {as_it_is}: no predicate, toPandas or write", written, faster),
        shown(f"time, {as_it_is}: clustered, toPandas or write", clustered, faster),
        shown(f"bytes, {as_it_is}: prefix, toPandas or write", prefixes, fewer_bytes),
        shown(f"time, {as_it_is}: prefix, toPandas or write", prefixes, faster),
        shown(f"time, {as_it_is}: ORDER BY ts DESC LIMIT 100", ordered, faster),
        shown(f"time, ours / {DELTA}: no LIMIT (noise)", of(measured, NO_LIMIT), slower),
    ]
