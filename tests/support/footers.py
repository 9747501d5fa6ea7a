"""Counts row groups by their footer statistics, as read by pyarrow: a second opinion.

Covers comparisons, prefixes, IS NULL, AND and OR on columns without NaN; anything else is
partially matching. Kept apart from the extension's evaluator, and simpler than it on purpose.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from support.oracle import order
from support.predicates import And, Compare, IsNull, Or, Predicate, StartsWith

_PARTIALLY = (True, False)


@dataclass(frozen=True)
class Counts:
    """What a report should say; `scanned` is None where the limit is not covered."""

    total: int
    matched: int
    fully_matched: int
    scanned: int | None


def counts(files: list[Path], predicate: Predicate | None, limit: int) -> Counts:
    """Classify every row group of the files, then walk the fully matching ones up to `limit`.

    Where no row group is partially matching, fewer rows will do: there are no others.
    """
    total = matched = fully = chosen = rows = 0
    for file in files:
        metadata = pq.ParquetFile(file).metadata
        for number in range(metadata.num_row_groups):
            group = metadata.row_group(number)
            total += 1
            some, every = classify(group, predicate)
            matched += some
            fully += every
            if every and rows < limit:
                chosen += 1
                rows += group.num_rows
    return Counts(total, matched, fully, chosen if rows >= limit or matched == fully else None)


def classify(group: Any, predicate: Predicate | None) -> tuple[bool, bool]:
    """Return whether some row may match, and whether every row does."""
    if group.num_rows == 0:
        return False, False
    match predicate:
        case None:
            return True, True
        case And(parts):
            states = [classify(group, part) for part in parts]
            return all(some for some, _ in states), all(every for _, every in states)
        case Or(parts):
            states = [classify(group, part) for part in parts]
            return any(some for some, _ in states), any(every for _, every in states)
        case Compare(column, op, value) if op != "<=>":
            return _compared(_statistics(group, column), op, order(value), group.num_rows)
        case StartsWith(column, prefix):
            return _prefixed(_statistics(group, column), prefix, group.num_rows)
        case IsNull(column):
            statistics = _statistics(group, column)
            if statistics is None or statistics.null_count is None:
                return _PARTIALLY
            return statistics.null_count > 0, statistics.null_count == group.num_rows
        case _:
            return _PARTIALLY


def _statistics(group: Any, column: str) -> Any:
    chunks = (group.column(number) for number in range(group.num_columns))
    return next(chunk for chunk in chunks if chunk.path_in_schema == column).statistics


def _compared(statistics: Any, op: str, value: Any, rows: int) -> tuple[bool, bool]:
    if statistics is not None and statistics.null_count == rows:
        return False, False
    if statistics is None or not statistics.has_min_max:
        return _PARTIALLY
    low, high = order(statistics.min), order(statistics.max)
    no_nulls = statistics.null_count == 0
    some, every = {
        "=": (low <= value <= high, low == value == high),
        "<>": (not low == value == high, value < low or high < value),
        "<": (low < value, high < value),
        "<=": (low <= value, high <= value),
        ">": (high > value, low > value),
        ">=": (high >= value, low >= value),
    }[op]
    return some, every and no_nulls


def _prefixed(statistics: Any, prefix: str, rows: int) -> tuple[bool, bool]:
    if statistics is not None and statistics.null_count == rows:
        return False, False
    if statistics is None or not statistics.has_min_max:
        return _PARTIALLY
    low, high, start = statistics.min, statistics.max, prefix.encode()
    outside = high.encode() < start or low.encode()[: len(start)] > start
    inside = low.startswith(prefix) and high.startswith(prefix)
    return not outside, inside and statistics.null_count == 0
