"""The tables: what each contains, and who writes it; those of pyarrow are written here."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.pairs import web
from benchmarks.pairs.web import CITIES, DAYS, PATHS, TITLES, USERS

__all__ = ["CITIES", "DAYS", "PATHS", "TITLES", "USERS"]

PYARROW, SPARK, DUCKDB, POLARS = "pyarrow", "Spark", "DuckDB", "Polars"
FULL_ROWS = 100_000
"""The rows of a row group in a complete run, for which `about` gives sizes."""
INT96_START = 1_704_067_200  # 2024-01-01 in seconds
_UNLIMITED = 1 << 30
ONE_PAGE = {"data_page_size": _UNLIMITED, "max_rows_per_page": _UNLIMITED}
"""A column chunk has one page, as older versions of pyarrow write it, beside its dictionary."""
SMALL_PAGES = {"data_page_size": 8 * 1024, "write_batch_size": 256}


@dataclass(frozen=True)
class Table:
    """A table of the benchmark.

    Attributes:
        name: Its name in queries, and of its folder.
        writer: The program that writes its files.
        about: What it contains in a complete run.
    """

    name: str
    writer: str
    about: str


WEB = Table(
    "web",
    PYARROW,
    "12 files of 2 row groups of 100,000 rows and 100 columns, sorted by id; a column chunk has "
    "one page, or two where its dictionary is full",
)
WEB_PAGES = Table("web_pages", PYARROW, "the first third of web, with pages of 8 KB")
WEB_SPARK = Table("web_spark", SPARK, "web in 6 files, in the order of id")
WEB_GROUPS = Table(
    "web_groups",
    SPARK,
    "web in 12 files of 20 row groups of 10,000 rows, each column chunk with pages of 500 rows",
)
WEB_DUCKDB = Table("web_duckdb", DUCKDB, "the first third of web, in one file")
WEB_POLARS = Table("web_polars", POLARS, "the first third of web, in one file")
NARROW = Table("narrow", PYARROW, "8 files of 2 row groups of 100,000 rows and 5 columns")
FILES = Table("files", PYARROW, "2,000 files of 500 rows and the columns of narrow")
ROW_GROUPS = Table(
    "row_groups",
    PYARROW,
    "2 files of 10,000 row groups of 10 rows; every second row group may have small ids",
)
WIDE = Table("wide", PYARROW, "4 files of 4 row groups of 25 rows and 2,000 columns")
DICTIONARIES = Table(
    "dictionaries",
    PYARROW,
    "8 files of 200 row groups of 500 rows; a and b have 32 values in each row group",
)
ALTERNATING = Table(
    "alternating",
    PYARROW,
    "4 files of 200 row groups of 2,000 rows; g is below 500 in every second row group",
)
RUNS = Table(
    "runs",
    PYARROW,
    "2 files of 60 row groups of 50,000 rows; g is below 500 in every second row group",
)
INT96 = Table("int96", SPARK, "the rows of narrow in 4 files, with INT96 timestamps")


@dataclass(frozen=True)
class Size:
    """The size of the tables.

    Attributes:
        rows: The rows of a row group of `WEB` and `NARROW`.
    """

    rows: int

    def scaled(self, count: int) -> int:
        """Return this count of a complete run for this size, and at least four."""
        return max(4, round(count * self.rows / FULL_ROWS))


def write_missing(root: Path, size: Size, tables: Iterable[Table]) -> None:
    """Write those tables of pyarrow that do not exist yet."""
    for table in tables:
        if table.writer == PYARROW and not (root / table.name).exists():
            with whole(root / table.name) as folder:
                _WRITERS[table](folder, size)


@contextmanager
def whole(folder: Path) -> Iterator[Path]:
    """Yield a folder to write a table into; it gets its name once everything is written."""
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    yield unfinished
    unfinished.rename(folder)


def sources(table: Table) -> tuple[Table, ...]:
    """Return the tables whose rows are copied into this one."""
    if table is INT96:
        return (NARROW,)
    return () if table.writer == PYARROW else (WEB,)


def _web(folder: Path, size: Size) -> None:
    _write(folder, web.groups(size.rows, web.FILES), web.GROUPS_IN_A_FILE, **ONE_PAGE)


def _web_pages(folder: Path, size: Size) -> None:
    groups = web.groups(size.rows, web.FILES // 3)
    _write(folder, groups, web.GROUPS_IN_A_FILE, **SMALL_PAGES)


def _narrow(folder: Path, size: Size) -> None:
    _write(folder, (_narrow_rows(n, size.rows) for n in range(16)), 2)


def _narrow_rows(number: int, rows: int) -> pa.Table:
    random = np.random.default_rng((web.SEED, 1, number))
    ids = np.arange(number * rows, (number + 1) * rows)
    cities = pa.array(random.integers(0, CITIES, rows))
    seconds = INT96_START + ids * 11 * 86_400 // (16 * rows)  # eleven days, in the order of ids
    return pa.table(
        {
            "id": ids,
            "ts": pa.array(seconds * 1_000_000).cast(web.TIMESTAMP),
            "user_id": random.integers(0, USERS, rows),
            "status": np.where(random.random(rows) < 0.02, 500, 200).astype(np.int32),
            "city": web.numbered("city ", cities, 5),
        }
    )


def _files(folder: Path, size: Size) -> None:
    """Write a few files; the others are links to them, which need no space."""
    count, different = size.scaled(2_000), 4
    _write(folder, (_narrow_rows(n, 500) for n in range(different)), 1)
    for number in range(different, count):
        os.link(folder / _part(number % different), folder / _part(number))


def _row_groups(folder: Path, size: Size) -> None:
    count, rows = size.scaled(10_000), 10

    def group(number: int) -> pa.Table:
        random = np.random.default_rng((web.SEED, 2, number))
        ids = random.integers(0, 10**9, rows) + 10**9 * (number % 2)
        return pa.table({"id": ids, "c": random.integers(0, 7, rows)})

    _write(folder, (group(n) for n in range(2 * count)), count)


def _wide(folder: Path, size: Size) -> None:
    count, rows = size.scaled(2_000) + 10, 25

    def group(number: int) -> pa.Table:
        ids = np.arange(number * rows, (number + 1) * rows)
        return pa.table({"id": ids} | {f"c{n}": (ids + n) % 7 for n in range(count)})

    _write(folder, (group(n) for n in range(16)), 4)


def _dictionaries(folder: Path, size: Size) -> None:
    groups, rows = size.scaled(200), 500

    def group(number: int) -> pa.Table:
        random = np.random.default_rng((web.SEED, 3, number))
        ids = np.arange(number * rows, (number + 1) * rows)
        return pa.table({"id": ids} | {name: random.integers(0, 32, rows) for name in "ab"})

    _write(folder, (group(n) for n in range(8 * groups)), groups)


def _alternating(folder: Path, size: Size) -> None:
    groups, rows = size.scaled(200), 2_000
    ids = (np.arange(number * rows, (number + 1) * rows) for number in range(4 * groups))
    _write(folder, _with_g(ids), groups)


def _runs(folder: Path, size: Size) -> None:
    groups, rows = 60, size.scaled(50_000)
    random = np.random.default_rng((web.SEED, 4))
    ids = random.permutation(2 * groups * rows).reshape(2 * groups, rows)
    _write(folder, _with_g(ids), groups)


def _with_g(groups: Iterable[Any]) -> Iterator[pa.Table]:
    """Yield row groups with these ids, and a `g` that is below 500 in every second one."""
    for number, ids in enumerate(groups):
        random = np.random.default_rng((web.SEED, 5, number))
        yield pa.table({"id": ids, "g": random.integers(0, 500, len(ids)) + 500 * (number % 2)})


def _write(folder: Path, groups: Iterable[pa.Table], in_a_file: int, **options: Any) -> None:
    """Write each table as a row group; all have the same schema."""
    writer = None
    for number, group in enumerate(groups):
        if number % in_a_file == 0:
            if writer:
                writer.close()
            path = folder / _part(number // in_a_file)
            writer = pq.ParquetWriter(path, group.schema, write_page_index=True, **options)
        assert writer
        writer.write_table(group, row_group_size=len(group))
    if writer:
        writer.close()


def _part(number: int) -> str:
    return f"part-{number:05}.parquet"


_WRITERS: dict[Table, Callable[[Path, Size], None]] = {
    WEB: _web,
    WEB_PAGES: _web_pages,
    NARROW: _narrow,
    FILES: _files,
    ROW_GROUPS: _row_groups,
    WIDE: _wide,
    DICTIONARIES: _dictionaries,
    ALTERNATING: _alternating,
    RUNS: _runs,
}
