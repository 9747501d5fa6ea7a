"""The meaning of a predicate on one row, in plain Python: SQL's three values, Spark's order.

Nothing here is shared with the extension, and nothing looks at statistics. None is SQL's NULL.
"""

from __future__ import annotations

import math
from collections import Counter
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from support.predicates import And, Compare, Flag, In, IsNull, Not, Or, Predicate, StartsWith, Value

Row = dict[str, Any]


def read(path: Path) -> list[Row]:
    """Return every row of a Parquet file, or of a directory of them with hive-style partitions."""
    files = [path] if path.is_file() else sorted(path.rglob("*.parquet"))
    rows: list[Row] = []
    for file in files:
        partition = _partition_values(file.relative_to(path)) if path.is_dir() else {}
        rows += [row | partition for row in pq.ParquetFile(file).read().to_pylist()]
    return rows


def _partition_values(file: Path) -> Row:
    pairs = (part.partition("=") for part in file.parts[:-1])
    return {name: _partition_value(text) for name, _, text in pairs}


def _partition_value(text: str) -> Value:
    if text == "__HIVE_DEFAULT_PARTITION__":
        return None
    if text.isdigit():
        return int(text)
    return date.fromisoformat(text) if text.count("-") == 2 else text


def matching(rows: list[Row], predicate: Predicate | None) -> list[Row]:
    """Return the rows for which the predicate is true, neither false nor NULL."""
    return [row for row in rows if predicate is None or evaluate(predicate, row) is True]


def evaluate(predicate: Predicate, row: Row) -> bool | None:
    """Return what the predicate is on this row: true, false or NULL (None)."""
    match predicate:
        case Compare(column, "<=>", value):
            return order(row.get(column)) == order(value)
        case Compare(column, op, value):
            return compare(row.get(column), op, value)
        case In(column, values):
            return disjunction([compare(row.get(column), "=", value) for value in values])
        case StartsWith(column, prefix):
            text = row.get(column)
            return None if text is None else text.startswith(prefix)
        case IsNull(column):
            return row.get(column) is None
        case Flag(column):
            return row.get(column)
        case And(parts):
            return negation(disjunction([negation(evaluate(part, row)) for part in parts]))
        case Or(parts):
            return disjunction([evaluate(part, row) for part in parts])
        case Not(part):
            return negation(evaluate(part, row))


def compare(left: Value, op: str, right: Value) -> bool | None:
    """Return ``left op right``; NULL where either side is."""
    if left is None or right is None:
        return None
    a, b = order(left), order(right)
    return {
        "=": a == b,
        "<>": a != b,
        "<": a < b,
        "<=": a <= b,
        ">": a > b,
        ">=": a >= b,
    }[op]


def order(value: Value) -> tuple[int, Any]:
    """Return a key that sorts and equals as Spark does: NaN above all, text by its bytes."""
    if value is None:
        return (-1, 0)
    if isinstance(value, float) and math.isnan(value):
        return (1, 0)
    if isinstance(value, str):
        return (0, value.encode())
    if isinstance(value, datetime):
        return (0, value.replace(tzinfo=value.tzinfo or timezone.utc))
    return (0, value)


def negation(value: bool | None) -> bool | None:
    """SQL's NOT."""
    return None if value is None else not value


def disjunction(values: list[bool | None]) -> bool | None:
    """SQL's OR."""
    return True if True in values else None if None in values else False


def as_bag(rows: list[Row], columns: list[str]) -> Counter[tuple[str, ...]]:
    """Return the rows as a multiset over these columns, comparable between pyarrow and Spark."""
    return Counter(tuple(plain(row.get(column)) for column in columns) for row in rows)


def plain(value: object) -> str:
    """Return a text for a value that is the same whichever library read it."""
    if isinstance(value, bytearray | bytes):
        return bytes(value).hex()
    if isinstance(value, datetime):
        return (
            value.astimezone(timezone.utc).isoformat()
            if value.tzinfo
            else value.isoformat() + "+00:00"
        )
    return repr(value)
