"""Rewrites Parquet files behind Spark's back, so that some of what can be seen of them stays."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from support.random_plans.specs import Spec

Rewrite = Callable[[pa.Table], pa.Table]


def other_ids(rows: pa.Table) -> pa.Table:
    """Return the rows with other ids."""
    return _with(rows, "id", lambda number: number + 10_000)


def more_rows(rows: pa.Table) -> pa.Table:
    """Return the rows with other ids, and one of them once more."""
    moved = other_ids(rows)
    return pa.concat_tables([moved, moved.slice(0, 1)])


def reversed_rows(rows: pa.Table) -> pa.Table:
    """Return the rows in the opposite order: statistics of the row group stay as they are."""
    return rows.take(list(range(rows.num_rows - 1, -1, -1)))


def other_words(rows: pa.Table) -> pa.Table:
    """Return the rows with other words between the first and the last: bounds and lengths stay."""
    words = sorted({word for word in rows["s"].to_pylist() if word is not None})
    middle = set(words[1:-1])
    return _with(rows, "s", lambda word: _next(word, words[-1]) if word in middle else word)


def rewrite(file: Path, how: Rewrite, spec: Spec, keeps_time: bool) -> None:
    """Rewrite each row group of a file, in the way in which the file was written."""
    before = file.stat()
    source = pq.ParquetFile(file)
    groups = [how(source.read_row_group(number)) for number in range(source.num_row_groups)]
    options = spec.options
    with pq.ParquetWriter(file, source.schema_arrow, **options) as writer:
        for group in groups:
            writer.write_table(group)
    moment = before.st_mtime_ns + (0 if keeps_time else 5_000_000_000)
    os.utime(file, ns=(before.st_atime_ns, moment))
    without_checksum(file)


def without_checksum(file: Path) -> None:
    """Remove the checksum that Spark's writer leaves beside a file on local storage."""
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)


def _with(rows: pa.Table, column: str, change: Callable[[Any], Any]) -> pa.Table:
    field = rows.schema.field(column)
    values = [None if value is None else change(value) for value in rows[column].to_pylist()]
    return rows.set_column(rows.schema.get_field_index(column), field, pa.array(values, field.type))


def _next(word: str, last: str) -> str:
    other = word[:-1] + chr(ord(word[-1]) + 1)
    return other if other < last else word
