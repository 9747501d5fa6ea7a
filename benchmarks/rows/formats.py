"""Tables of Delta Lake and Iceberg with the rows of the Parquet tables, and the two sides of each.

`python -m benchmarks.rows.formats NAME ROOT` writes those of a format that do not exist yet.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from benchmarks.engines import DELTA, DELTA_OURS, ICEBERG, ICEBERG_OURS
from benchmarks.engines import delta as delta_engine
from benchmarks.engines import iceberg as iceberg_engine
from benchmarks.pairs.tables import WEB_GROUPS, WEB_SPARK, Table, whole

COPIED = (WEB_SPARK, WEB_GROUPS)
"""The tables that each format has: those whose files are as Spark writes them."""


@dataclass(frozen=True)
class RowsFormat:
    """A table format in this benchmark.

    Attributes:
        key: Its name on the command line.
        name: Its name in results.
        engines: The format alone, and with the extension.
        results: The name of the file for the results.
        jars: Returns its JARs; downloads them once.
        version: A regular expression, whose group is the version in the name of a JAR.
        session: Starts a session, given an engine and the folder of the tables.
        source: Returns what stands for a table in `FROM`, given the folder of the tables.
        folder: Returns the folder of a table, given that of all tables.
        write: Writes a table, given a session of the format alone and the folder of the tables.
    """

    key: str
    name: str
    engines: tuple[str, str]
    results: str
    jars: Callable[[], list[Path]]
    version: str
    session: Callable[[str, Path], SparkSession]
    source: Callable[[Path, Table], str]
    folder: Callable[[Path, Table], Path]
    write: Callable[[SparkSession, Path, Table], None]


def of_engine(engine: str) -> RowsFormat | None:
    """Return the format that an engine reads; None for one that reads the Parquet tables."""
    return next((one for one in FORMATS.values() if engine in one.engines), None)


def _delta_folder(root: Path, table: Table) -> Path:
    return root / f"{table.name}_delta"


def _write_delta(session: SparkSession, root: Path, table: Table) -> None:
    """Convert links to the Parquet files, which need no space."""
    with whole(_delta_folder(root, table)) as folder:
        for file in (root / table.name).glob("*.parquet"):
            os.link(file, folder / file.name)
        session.sql(f"CONVERT TO DELTA parquet.`{folder}`")


def _warehouse(root: Path) -> Path:
    return root / "iceberg"


def _write_iceberg(session: SparkSession, root: Path, table: Table) -> None:
    """Copy the rows into as many files, with row groups of the same size."""
    files = list((root / table.name).glob("*.parquet"))
    largest = max(file.stat().st_size for file in files)
    row_group = pq.read_metadata(files[0]).row_group(0).total_byte_size
    # One task for each file. A task writes one file, unless it is larger than this.
    session.conf.set("spark.sql.files.maxPartitionBytes", largest)
    session.conf.set("spark.sql.files.minPartitionNum", 1)
    session.sql(
        f"CREATE OR REPLACE TABLE ice.db.{table.name} USING iceberg TBLPROPERTIES ("
        f"'write.parquet.row-group-size-bytes' = '{row_group}', "
        f"'write.target-file-size-bytes' = '{10 * largest}') "
        f"AS SELECT * FROM parquet.`{root / table.name}`"
    )


_ALL = (
    RowsFormat(
        key="delta",
        name="Delta Lake",
        engines=(DELTA, DELTA_OURS),
        results="delta-rows.json",
        jars=delta_engine.jars,
        version=delta_engine.VERSION,
        session=delta_engine.delta_session,
        source=lambda root, table: f"delta.`{_delta_folder(root, table)}`",
        folder=_delta_folder,
        write=_write_delta,
    ),
    RowsFormat(
        key="iceberg",
        name="Iceberg",
        engines=(ICEBERG, ICEBERG_OURS),
        results="iceberg-rows.json",
        jars=iceberg_engine.jars,
        version=iceberg_engine.VERSION,
        session=lambda name, root: iceberg_engine.iceberg_session(name, root, _warehouse(root)),
        source=lambda _, table: f"ice.db.{table.name}",
        folder=lambda root, table: _warehouse(root) / "db" / table.name,
        write=_write_iceberg,
    ),
)
FORMATS = {one.key: one for one in _ALL}


def main(name: str, root: Path) -> None:
    """Write the tables of a format that do not exist yet."""
    of = FORMATS[name]
    missing = [table for table in COPIED if not of.folder(root, table).exists()]
    if not missing:
        return
    session = of.session(of.engines[0], root)
    try:
        for table in missing:
            of.write(session, root, table)
    except BaseException:
        shutil.rmtree(of.folder(root, table), ignore_errors=True)
        raise
    finally:
        session.stop()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
