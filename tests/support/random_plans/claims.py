"""What is right about an answer, given all rows that it may have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

Rows = Sequence[tuple[Any, ...]]
Limits = tuple[tuple[int, int], ...]


def due(limit: tuple[int, int], rows: int) -> int:
    """Return how many of so many rows a limit and an offset leave."""
    return max(0, min(limit[0], rows - limit[1]))


def rows(found: Rows, candidates: Rows, limits: Limits, _: int) -> str:
    """Some of the candidates, as many as the limit asks for."""
    return _count(found, due(limits[0], len(candidates))) or _among(found, candidates)


def every(found: Rows, candidates: Rows, _limits: Limits, _: int) -> str:
    """All candidates."""
    return _count(found, len(candidates)) or _among(found, candidates)


def some(found: Rows, candidates: Rows, limits: Limits, _: int) -> str:
    """Some of the candidates, at most as many as the limit."""
    most = due(limits[0], len(candidates))
    return _among(found, candidates) or (_count(found, most) if len(found) > most else "")


def branches(found: Rows, candidates: Rows, limits: Limits, _: int) -> str:
    """Some of the candidates of each branch, whose number is the first column."""
    for number, limit in enumerate(limits):
        parts = [[row for row in side if row[0] == number] for side in (found, candidates)]
        if problem := rows(parts[0], parts[1], (limit,), 0):
            return f"branch {number} {problem}"
    return ""


def order(found: Rows, candidates: Rows, limits: Limits, keys: int) -> str:
    """The first of the candidates, which are in order of the first columns."""
    return rows(found, candidates, limits, 0) or _keys(found, candidates, limits[0], keys)


def unordered(found: Rows, candidates: Rows, limits: Limits, keys: int) -> str:
    """The first of the candidates, in any order."""
    ranks = {
        row[:keys]: rank for rank, row in reversed(list(enumerate(map(_hashable, candidates))))
    }
    ranked = sorted(found, key=lambda row: ranks.get(_hashable(row)[:keys], -1))
    return order(ranked, candidates, limits, keys)


CLAIMS: dict[str, Callable[[Rows, Rows, Limits, int], str]] = {
    "rows": rows,
    "all": every,
    "some": some,
    "branches": branches,
    "order": order,
    "order in any order": unordered,
}


def _keys(found: Rows, candidates: Rows, limit: tuple[int, int], keys: int) -> str:
    wanted = candidates[limit[1] : limit[1] + len(found)]
    pairs = zip(found, wanted, strict=True)
    wrong = [(a[:keys], b[:keys]) for a, b in pairs if repr(a[:keys]) != repr(b[:keys])]
    return f"wrong order: keys {wrong[0][0]}, not {wrong[0][1]}" if wrong else ""


def _count(found: Rows, wanted: int) -> str:
    few = "too few" if len(found) < wanted else "too many"
    return "" if len(found) == wanted else f"{few} rows: {len(found)}, not {wanted}"


def _among(found: Rows, candidates: Rows) -> str:
    wrong = Counter(map(repr, found)) - Counter(map(repr, candidates))
    return f"wrong rows: {list(wrong)[:5]}" if wrong else ""


def _hashable(row: tuple[Any, ...]) -> tuple[str, ...]:
    return tuple(map(repr, row))
