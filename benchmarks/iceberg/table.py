"""Makes the events an Iceberg table, once: `python -m benchmarks.iceberg.table`."""

from __future__ import annotations

import shutil

import pyarrow.parquet as pq

from benchmarks import engines, settings, tables
from benchmarks.engines.iceberg import NAME, iceberg_session


def main() -> None:
    """Write the rows of the Parquet table, in as many files and in row groups of the same size.

    Iceberg writes them, because imported files have no field ids and no split offsets.
    """
    root = tables.folder(settings.from_environment())
    folder = root / tables.EVENTS_ICEBERG.name
    events = root / tables.EVENTS.name
    row_group = pq.read_metadata(min(events.glob("*.parquet"))).row_group(0).total_byte_size
    session = iceberg_session(engines.ICEBERG, root)
    try:
        # One task for each file. A task writes one file, unless it is larger than this.
        largest = max(file.stat().st_size for file in events.glob("*.parquet"))
        session.conf.set("spark.sql.files.maxPartitionBytes", largest)
        session.conf.set("spark.sql.files.minPartitionNum", 1)
        session.sql(
            f"CREATE TABLE {NAME} USING iceberg TBLPROPERTIES ("
            f"'write.parquet.row-group-size-bytes' = '{row_group}', "
            f"'write.target-file-size-bytes' = '{10 * largest}') "
            f"AS SELECT * FROM parquet.`{events}`"
        )
    except BaseException:
        shutil.rmtree(folder)
        raise
    finally:
        session.stop()


if __name__ == "__main__":
    main()
