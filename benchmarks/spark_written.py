"""Writes tables with Spark, with its default row groups: `python -m benchmarks.spark_written`."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 (its usual name)

from benchmarks import engines, settings, tables
from benchmarks.engines import spark
from benchmarks.tables import Table

_INT96_FILES = 24
_INT96_SHARE = 4  # every fourth event
_INT96_PLAIN_FILES = 4


def main() -> None:
    """Write the tables that do not exist yet."""
    root = tables.folder(settings.from_environment())
    missing = [table for table in _WRITERS if not (root / table.name).exists()]
    if not missing:
        return
    engine = spark.start(engines.PLAIN, root)
    try:
        for table in missing:
            unfinished = root / f"{table.name}.unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            _WRITERS[table](engine.session, unfinished)
            shutil.move(unfinished, root / table.name)
    finally:
        engine.stop()


def _with_statistics(session: SparkSession, folder: Path) -> None:
    """Write the events again, sorted by time."""
    # Two tasks with equal shares of the table's time. A plain sort by the column would need
    # only one task, because adaptive execution merges small partitions.
    half = F.expr(f"id < (SELECT (max(id) + 1) / 2 FROM {tables.NO_PAGE_INDEX.name})")
    # Spark's default is INT96, for which timestamps have no usable statistics.
    session.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    try:
        for part in (half, ~half):
            source = session.table(tables.NO_PAGE_INDEX.name).where(part)
            source.coalesce(1).sortWithinPartitions("ts").write.mode("append").parquet(str(folder))
    finally:
        session.conf.unset("spark.sql.parquet.outputTimestampType")


def _int96(session: SparkSession, folder: Path) -> None:
    """Write some of the events, sorted by time, with the default type of timestamps."""
    source = session.table(tables.NO_PAGE_INDEX.name).where(f"id % {_INT96_SHARE} = 0")
    parts = source.repartitionByRange(_INT96_FILES, "id").sortWithinPartitions("id")
    parts.write.parquet(str(folder))


def _int96_plain(session: SparkSession, folder: Path) -> None:
    """Write a few columns of all events, so that a row group has many of them."""
    source = session.table(tables.NO_PAGE_INDEX.name).select("id", "ts", "user_id", "status")
    parts = source.repartitionByRange(_INT96_PLAIN_FILES, "id").sortWithinPartitions("id")
    parts.write.parquet(str(folder))


_WRITERS: dict[Table, Callable[[SparkSession, Path], None]] = {
    tables.SPARK_WRITTEN: _with_statistics,
    tables.INT96: _int96,
    tables.INT96_PLAIN: _int96_plain,
}

if __name__ == "__main__":
    main()
