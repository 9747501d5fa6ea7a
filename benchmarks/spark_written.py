"""Writes a table with Spark, with its default row groups: `python -m benchmarks.spark_written`."""

from __future__ import annotations

import shutil

from pyspark.sql import functions as F  # noqa: N812 (its usual name)

from benchmarks import engines, settings, tables
from benchmarks.engines import spark


def main() -> None:
    """Write the events again, sorted by time."""
    root = tables.folder(settings.from_environment())
    target = root / tables.SPARK_WRITTEN.name
    if target.exists():
        return
    engine = spark.start(engines.PLAIN, root)
    try:
        unfinished = root / "spark_written.unfinished"
        # Spark's default is INT96, for which timestamps have no usable statistics.
        engine.session.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
        source = engine.session.table(tables.NO_PAGE_INDEX.name)
        # Two tasks with equal shares of the table's time. A plain sort by the column would need
        # only one task, because adaptive execution merges small partitions.
        half = F.expr(f"id < (SELECT (max(id) + 1) / 2 FROM {tables.NO_PAGE_INDEX.name})")
        for part in (half, ~half):
            source.where(part).coalesce(1).sortWithinPartitions("ts").write.mode("append").parquet(
                str(unfinished)
            )
        shutil.move(unfinished, target)
    finally:
        engine.stop()


if __name__ == "__main__":
    main()
