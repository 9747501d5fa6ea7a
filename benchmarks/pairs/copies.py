"""Copies tables with other programs, in a process of its own: `python -m benchmarks.pairs.copies`.

The arguments are the folder of the tables, and the names of those to write.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow.parquet as pq

from benchmarks.engines import spark
from benchmarks.pairs import tables, web
from benchmarks.pairs.tables import Table

_SPARK_FILES, _INT96_FILES = 6, 4
_GROUPS_IN_A_FILE, _PAGES_IN_A_GROUP = 20, 20
"""Of the table of many row groups; a row group of `WEB_SPARK` has as many pages."""


def main(root: Path, names: list[str]) -> None:
    """Write these tables; their sources exist."""
    for table, write in _WRITERS.items():
        if table.name in names:
            with tables.whole(root / table.name) as folder:
                write(root, folder)


def _spark(root: Path, folder: Path) -> None:
    _with_spark(root, tables.WEB, folder, _SPARK_FILES, "TIMESTAMP_MICROS")


def _groups(root: Path, folder: Path) -> None:
    first = next((root / tables.WEB.name).glob("*.parquet"))
    rows = pq.read_metadata(first).num_rows // _GROUPS_IN_A_FILE
    options = {
        "parquet.block.row.count.limit": str(rows),
        "parquet.page.row.count.limit": str(rows // _PAGES_IN_A_GROUP),
    }
    _with_spark(root, tables.WEB, folder, web.FILES, "TIMESTAMP_MICROS", options)


def _int96(root: Path, folder: Path) -> None:
    _with_spark(root, tables.NARROW, folder, _INT96_FILES, "INT96")


def _with_spark(
    root: Path,
    source: Table,
    folder: Path,
    files: int,
    timestamps: str,
    options: Mapping[str, str] | None = None,
) -> None:
    """Copy with Spark's defaults, except for options of the writer.

    Each file has the rows of files that follow each other.
    """
    settings = {
        "spark.driver.memory": "4g",
        "spark.sql.parquet.outputTimestampType": timestamps,
    }
    session = spark.open_session("copy", root, has_extension=False, settings=settings)
    try:
        paths = sorted((root / source.name).glob("*.parquet"))
        share = len(paths) // files
        for number in range(files):
            part = [str(path) for path in paths[number * share : (number + 1) * share]]
            rows = session.read.parquet(*part).coalesce(1).sortWithinPartitions("id")
            rows.write.options(**(options or {})).mode("append").parquet(str(folder))
    finally:
        session.stop()


def _duckdb(root: Path, folder: Path) -> None:
    import duckdb

    files = ", ".join(f"'{path}'" for path in _a_third(root))
    duckdb.sql(
        f"COPY (SELECT * FROM read_parquet([{files}]) ORDER BY id) "
        f"TO '{folder / 'part-0.parquet'}' (FORMAT parquet)"
    )


def _polars(root: Path, folder: Path) -> None:
    import polars

    polars.read_parquet(_a_third(root)).write_parquet(folder / "part-0.parquet")


def _a_third(root: Path) -> list[Path]:
    return sorted((root / tables.WEB.name).glob("*.parquet"))[: web.FILES // 3]


_WRITERS: dict[Table, Callable[[Path, Path], None]] = {
    tables.WEB_SPARK: _spark,
    tables.WEB_GROUPS: _groups,
    tables.WEB_DUCKDB: _duckdb,
    tables.WEB_POLARS: _polars,
    tables.INT96: _int96,
}

if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
