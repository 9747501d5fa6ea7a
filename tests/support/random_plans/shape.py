"""A shape of queries with a LIMIT, and how many rows are due."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Limits = tuple[tuple[int, int], ...]
EVERY = 1_000_000


def first(n: int, _m: int, _o: int) -> Limits:
    """LIMIT n."""
    return ((n, 0),)


def less(n: int, m: int, _o: int) -> Limits:
    """LIMIT n within LIMIT m, or the other way."""
    return ((min(n, m), 0),)


def one(_n: int, _m: int, _o: int) -> Limits:
    """LIMIT 1."""
    return ((1, 0),)


def behind(n: int, _m: int, o: int) -> Limits:
    """LIMIT n OFFSET o."""
    return ((n, o),)


def behind_all(_n: int, _m: int, o: int) -> Limits:
    """OFFSET o."""
    return ((EVERY, o),)


def behind_less(n: int, m: int, o: int) -> Limits:
    """LIMIT n OFFSET o, and then LIMIT m."""
    return ((min(n, m), o),)


def both(n: int, m: int, _o: int) -> Limits:
    """A branch with LIMIT n, and one with LIMIT m."""
    return ((n, 0), (m, 0))


def same(n: int, _m: int, _o: int) -> Limits:
    """Two branches with LIMIT n."""
    return ((n, 0), (n, 0))


@dataclass(frozen=True)
class Shape:
    """A query with LIMIT, and one for the rows that its answer may have.

    Attributes:
        sql: The query, as a template.
        candidates: The query without LIMIT.
        limits: How many rows are due, behind how many.
        claim: What is right about the answer; a key of `claims.CLAIMS`.
        metadata: Whether the table must be named itself, for its hidden columns.
        needs: 'id' or 'key' if it, or it beside partition columns, must be unique; 'partition' if
            the table must be partitioned.
    """

    sql: str
    candidates: str
    limits: Callable[[int, int, int], Limits] = first
    claim: str = "rows"
    metadata: bool = False
    needs: str = ""
