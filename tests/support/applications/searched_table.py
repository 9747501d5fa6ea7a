"""A table whose metadata do not say where the rows of a predicate are, and these rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from support import tables

ROWS_OF_FILES = range(80, 32, -4)
"""Of each file. Spark reads larger files first."""
SETTINGS = {
    "spark.limitPruning.rows.minBytes": "0",
    "spark.sql.files.openCostInBytes": "1g",  # a file is a partition
}
KINDS = {"id": pa.int64(), "v": pa.int64(), "s": pa.string(), "w": pa.string()}


def row(number: int) -> dict[str, Any]:
    """Return a row: only ``id`` is sorted."""
    return {"id": number, "v": number * 7919 % 101, "s": f"name {number}", "w": f"{number} " * 50}


def write(folder: Path, sizes: Sequence[int] = ROWS_OF_FILES) -> Path:
    """Write the table, and return its last file."""
    start = 0
    for number, size in enumerate(sizes):
        rows = [row(one) for one in range(start, start + size)]
        columns = {name: [one[name] for one in rows] for name in KINDS}
        last = tables.write(folder / f"{number:02}.parquet", [columns], pa.schema(KINDS.items()))
        start += size
    return last


def matching(sizes: Sequence[int] = ROWS_OF_FILES) -> list[dict[str, Any]]:
    """Return the rows in which ``v < 15``."""
    return [one for one in map(row, range(sum(sizes))) if one["v"] < 15]


def ordered(sizes: Sequence[int] = ROWS_OF_FILES) -> list[dict[str, Any]]:
    """Return them in the order ``v, id DESC``."""
    return sorted(matching(sizes), key=lambda one: (one["v"], -one["id"]))
