"""The targets over an Iceberg table, and the ratios that this run measured."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.engines import ICEBERG, ICEBERG_OURS
from benchmarks.formats.targets import of, times_faster, times_fewer_bytes
from benchmarks.iceberg.queries import (
    AT_THE_ROOT,
    CLUSTERED_LIMITS,
    NO_LIMIT,
    NO_PREDICATE,
    ORDERED,
    PLANNED,
    PREFIXES,
)
from benchmarks.run import Measured
from benchmarks.targets import Target, at_least, at_most, shown

_ORDER = "ORDER BY ts DESC LIMIT 100"


def targets(measured: Sequence[Measured]) -> list[Target]:
    """Return the targets, and below them the ratios that are shown without a target."""
    fewer_bytes = times_fewer_bytes(ICEBERG, ICEBERG_OURS)
    faster, slower = times_faster(ICEBERG, ICEBERG_OURS), times_faster(ICEBERG_OURS, ICEBERG)
    alone, reverse = f"{ICEBERG} / ours", f"ours / {ICEBERG}"
    written, clustered = of(measured, NO_PREDICATE), of(measured, CLUSTERED_LIMITS)
    ordered, prefixes = of(measured, ORDERED), of(measured, PREFIXES)
    not_at_root = "not at the root"
    return [
        at_least(f"bytes, {alone}: no predicate, {not_at_root}", 50, written, fewer_bytes),
        at_least(f"bytes, {alone}: clustered, {not_at_root}", 20, clustered, fewer_bytes),
        at_least(f"bytes, {alone}: {_ORDER}", 100, ordered, fewer_bytes),
        at_most(f"time, {reverse}: planning, at the root", 1.1, of(measured, PLANNED), slower),
        shown(f"bytes, {alone}: prefix, {not_at_root}", prefixes, fewer_bytes),
        shown(f"time, {alone}: no predicate, {not_at_root}", written, faster),
        shown(f"time, {alone}: clustered, {not_at_root}", clustered, faster),
        shown(f"time, {alone}: prefix, {not_at_root}", prefixes, faster),
        shown(f"time, {alone}: {_ORDER}", ordered, faster),
        shown(f"time, {reverse}: LIMIT 100 at the root", of(measured, AT_THE_ROOT), slower),
        shown(f"time, {reverse}: no LIMIT (noise)", of(measured, NO_LIMIT), slower),
    ]
