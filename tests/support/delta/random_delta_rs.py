"""Random Delta tables that delta-rs writes, and that delta-rs and Spark change in turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import deltalake
import pyarrow as pa
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from support import random_histories
from support.delta import random_changes
from support.delta.history import History
from support.random_histories import Draw
from support.sparks import to_arrow

Change = Callable[[SparkSession, History, Draw], None]
UTC = pa.timestamp("us", "UTC")  # delta-rs takes no other time zone


def create(spark: SparkSession, path: Path, draw: Draw) -> History:
    """Create a table with its first rows, and change it a few times."""
    return _create(spark, path, draw, CHANGES)


def create_ancient(spark: SparkSession, path: Path, draw: Draw) -> History:
    """Create a table of dates and timestamps on both sides of the Gregorian calendar's first day.

    Files of delta-rs name no calendar, so Spark's reader rebases them if a setting tells it to.
    Spark does not change the table: it would write files again, and name the calendar.
    """
    return _create(spark, path, draw, [append, delete], is_ancient=True)


def _create(
    spark: SparkSession,
    path: Path,
    draw: Draw,
    changes: Sequence[Change],
    is_ancient: bool = False,
) -> History:
    history = History.at(path, "none", vectors=False, partitioned=draw(st.booleans()))
    history.is_ancient = is_ancient
    append(spark, history, draw)
    for change in draw(st.lists(st.sampled_from(changes), min_size=2, max_size=4)):
        change(spark, history, draw)
    return history


def append(spark: SparkSession, history: History, draw: Draw) -> None:
    """Append rows, in files and row groups of a random size."""
    sql = random_histories.rows(history, draw)
    file_size = draw(st.sampled_from([None, 4000]))
    groups = draw(st.sampled_from([100_000, 50]))
    truncated = draw(st.sampled_from([None, 8]))
    history.statements.append(f"-- append by delta-rs ({file_size}, {groups}, {truncated}): {sql}")
    rows = to_arrow(spark.sql(sql))
    at = rows.schema.get_field_index("ts")
    deltalake.write_deltalake(
        str(history.path),
        rows.set_column(at, "ts", rows["ts"].cast(UTC)),
        mode="append",
        partition_by=["p"] if history.partitioned else None,
        target_file_size=file_size,
        writer_properties=deltalake.WriterProperties(
            max_row_group_size=groups, statistics_truncate_length=truncated
        ),
    )


def delete(_: SparkSession, history: History, draw: Draw) -> None:
    """Delete some rows, which writes files again."""
    where = f"id % {draw(st.sampled_from([2, 10, 97]))} = 1"
    history.statements.append(f"-- delete by delta-rs: {where}")
    deltalake.DeltaTable(str(history.path)).delete(where)


CHANGES: list[Change] = [
    append,
    append,
    delete,
    random_histories.append,
    random_changes.delete,
    random_changes.update,
    random_changes.merge,
    random_changes.optimize,
    random_changes.restore,
]
