"""The queries over the Iceberg table."""

from __future__ import annotations

from benchmarks.queries import (
    CLUSTERED,
    COLLECT,
    LATEST,
    NONE,
    PLAN,
    PREFIX,
    TO_PANDAS,
    UNPROVABLE,
    WRITE,
    Query,
)
from benchmarks.tables import EVENTS

NO_LIMIT = (Query(EVENTS, CLUSTERED, None, COLLECT),)
"""Both do the same work, so the ratio shows the noise of the machine."""
PLANNED = tuple(Query(EVENTS, predicate, 100, PLAN) for predicate in (NONE, CLUSTERED, UNPROVABLE))
AT_THE_ROOT = tuple(
    Query(EVENTS, predicate, 100, COLLECT) for predicate in (UNPROVABLE, NONE, CLUSTERED)
)
"""Iceberg begins with one task. It stops if this task returns enough rows."""
_NOT_AT_THE_ROOT = ((TO_PANDAS, 100), (WRITE, 100), (WRITE, 10_000))
NO_PREDICATE = tuple(Query(EVENTS, NONE, limit, action) for action, limit in _NOT_AT_THE_ROOT)
CLUSTERED_LIMITS = tuple(
    Query(EVENTS, CLUSTERED, limit, action) for action, limit in _NOT_AT_THE_ROOT
)
PREFIXES = (Query(EVENTS, PREFIX, 1_000, WRITE),)
ORDERED = (Query(EVENTS, NONE, 100, COLLECT, LATEST),)


def queries() -> list[Query]:
    """Return all queries; first those in which both sessions do the same work."""
    return [
        *NO_LIMIT, *AT_THE_ROOT, *PLANNED, *NO_PREDICATE, *CLUSTERED_LIMITS, *PREFIXES, *ORDERED,
    ]  # fmt: skip
