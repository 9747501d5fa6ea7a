"""Has Spark write a table, with its default row groups: `python -m benchmarks.spark_written`."""

from __future__ import annotations

import shutil

from pyspark.sql import functions as F  # noqa: N812 (its usual name)

from benchmarks import engines, settings, tables
from benchmarks.engines import spark


def main() -> None:
    """Write the events once more, in the order of their time."""
    root = tables.folder(settings.from_environment())
    target = root / tables.SPARK_WRITTEN.name
    if target.exists():
        return
    engine = spark.start(engines.PLAIN, root)
    try:
        unfinished = root / "spark_written.unfinished"
        # As INT96, which is Spark's default, timestamps have no statistics that anybody could use.
        engine.session.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
        source = engine.session.table(tables.NO_PAGE_INDEX.name)
        # Two tasks, which share the table's time evenly; a sort by the column alone would make
        # one, as adaptive execution joins small partitions.
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
