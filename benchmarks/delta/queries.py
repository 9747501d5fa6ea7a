"""The queries over the Delta table, and which engines run each of them."""

from __future__ import annotations

from benchmarks.engines import DELTA, DELTA_ENGINES, DELTA_OURS
from benchmarks.queries import (
    CLUSTERED,
    COLLECT,
    CREATE_TABLE,
    LATEST,
    NONE,
    PREFIX,
    TO_PANDAS,
    UNPROVABLE,
    WRITE,
    Query,
)
from benchmarks.tables import EVENTS

NOTHING_TO_GAIN = (
    Query(EVENTS, UNPROVABLE, 100, COLLECT),
    Query(EVENTS, UNPROVABLE, 1_000, COLLECT),
    Query(EVENTS, NONE, 1, COLLECT),
)
"""Metadata proves nothing, or Spark itself stops after the first row."""
NO_LIMIT = (Query(EVENTS, CLUSTERED, None, COLLECT),)
"""Both do the same work, so the ratio shows the noise of the machine."""
NO_PREDICATE = tuple(
    Query(EVENTS, NONE, limit, action)
    for action in (TO_PANDAS, WRITE, CREATE_TABLE)
    for limit in (100, 10_000)
)
CLUSTERED_LIMITS = tuple(
    Query(EVENTS, CLUSTERED, limit, action)
    for action in (TO_PANDAS, WRITE, CREATE_TABLE)
    for limit in (100, 10_000)
)
PREFIXES = tuple(Query(EVENTS, PREFIX, 1_000, action) for action in (TO_PANDAS, WRITE))
ORDERED = tuple(Query(EVENTS, NONE, 100, action, LATEST) for action in (COLLECT, TO_PANDAS))


def queries() -> list[Query]:
    """Return all queries; first those with nothing to gain, when the JVMs have done the same."""
    return [*NOTHING_TO_GAIN, *NO_LIMIT, *NO_PREDICATE, *ORDERED, *CLUSTERED_LIMITS, *PREFIXES]


def engines_of(query: Query) -> tuple[str, ...]:
    """Return the engines that run a query: Delta pushes a LIMIT down if it has no predicate.

    Before these queries, Delta without push-down runs the same ones as the others: its JVM would
    otherwise be colder, which would be a gain for the extension.
    """
    all_run = (*NOTHING_TO_GAIN, *NO_LIMIT, *NO_PREDICATE)
    return DELTA_ENGINES if query in all_run else (DELTA, DELTA_OURS)
