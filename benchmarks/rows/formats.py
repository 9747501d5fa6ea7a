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
        version: Returns its version; downloads its JARs once.
        session: Starts a session, given an engine and the folder of the tables.
        source: Returns what stands for a table in `FROM`, given the folder of the tables.
        folder: Returns the folder of a table, given that of all tables.
        write: Writes a table, given a session of the format alone and the folder of the tables.
    """

    key: str
    name: str
    engines: tuple[str, str]
    results: str
    version: Callable[[], str]
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
    iceberg_engine.copy(session, root / table.name, f"ice.db.{table.name}")


_ALL = (
    RowsFormat(
        key="delta",
        name="Delta Lake",
        engines=(DELTA, DELTA_OURS),
        results="delta-rows.json",
        version=delta_engine.version,
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
        version=iceberg_engine.version,
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
