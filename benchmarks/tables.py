"""Writes the tables once, in two processes, into a folder that remains between runs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from multiprocessing import get_context
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import events
from benchmarks.settings import Settings

FILES = 60
GROUPS_IN_A_FILE = 4
OTHER_FILES = 6
PARTITIONS = 12
_COMPLETE = "complete-1"  # increase the number if the tables change


@dataclass(frozen=True)
class Table:
    """A table of the benchmark.

    Attributes:
        name: Its name in queries, and of its folder.
        partitioned: Whether it has a partition column ``day``.
    """

    name: str
    partitioned: bool = False


EVENTS = Table("events")
SPARK_WRITTEN = Table("spark_written")
INT96 = Table("int96")
"""Some of the events, written by Spark with its defaults, in files with a dictionary of `ts`."""
INT96_PLAIN = Table("int96_plain")
"""Some columns of the events, written by Spark with its defaults. A row group has more values of
`ts` than a dictionary may have, so nothing shows which values these are."""
NO_PAGE_INDEX = Table("no_page_index")
PARTITIONED = Table("by_day", partitioned=True)
SMALL_FILES = Table("small_files")
SMALL_FILES_60 = Table("small_files_60")
STATUSES = Table("statuses")
EVENTS_DELTA = Table("events_delta")
"""The files of `EVENTS`, as a table of Delta Lake; `benchmarks.delta` alone needs it."""
EVENTS_ICEBERG = Table("events_iceberg")
"""The files of `EVENTS`, as a table of Apache Iceberg; `benchmarks.iceberg` alone needs it."""
TABLES = (
    EVENTS, SPARK_WRITTEN, INT96, INT96_PLAIN, NO_PAGE_INDEX, PARTITIONED, SMALL_FILES,
    SMALL_FILES_60, STATUSES,
)  # fmt: skip


@dataclass(frozen=True)
class File:
    """One file to write: row groups `first` to `first + count - 1` of a table of `groups`."""

    path: Path
    groups: int
    rows: int
    first: int
    count: int
    page_index: bool = True


def folder(settings: Settings) -> Path:
    """Return the folder of the tables of this size."""
    return settings.data / settings.name


def write_once(settings: Settings) -> None:
    """Write all tables except those of Spark, unless an earlier run has written them."""
    root = folder(settings)
    if (root / _COMPLETE).exists():
        return
    shutil.rmtree(root, ignore_errors=True)
    # One process writes adjacent files, and creates the pool of their texts only once.
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        for _ in processes.map(write, list(files(root, settings)), chunksize=8):
            pass
    (root / STATUSES.name).mkdir()
    labels = [status.title() for status in events.STATUSES]
    statuses = pa.table({"status": list(events.STATUSES), "label": labels})
    pq.write_table(statuses, root / STATUSES.name / "part-0.parquet")
    link_some_files(root / SMALL_FILES.name, root / SMALL_FILES_60.name, FILES)
    (root / _COMPLETE).touch()


def files(root: Path, settings: Settings) -> Iterator[File]:
    """Yield the files of all tables that are written here."""
    groups = FILES * GROUPS_IN_A_FILE
    rows = max(100, round(settings.gigabytes * 1e9 / groups / events.ROW_BYTES))
    small_rows = max(10, rows // 100)
    for part in range(FILES):
        yield File(
            root / EVENTS.name / _part(part),
            groups,
            rows,
            part * GROUPS_IN_A_FILE,
            GROUPS_IN_A_FILE,
        )
    groups = OTHER_FILES * GROUPS_IN_A_FILE
    for part in range(OTHER_FILES):
        path = root / NO_PAGE_INDEX.name / _part(part)
        first = part * GROUPS_IN_A_FILE
        yield File(path, groups, rows, first, GROUPS_IN_A_FILE, page_index=False)
    for part in range(PARTITIONS):
        path = root / PARTITIONED.name / f"day={day(part)}" / _part(0)
        yield File(path, 2 * PARTITIONS, rows, 2 * part, 2)
    for part in range(settings.small_files):
        path = root / SMALL_FILES.name / _part(part)
        yield File(path, settings.small_files, small_rows, part, 1)


def day(partition: int) -> str:
    """Return the first day of a partition of the table by day."""
    step = timedelta(days=events.DAYS // PARTITIONS)
    return str((events.START + partition * step).date())


def write(file: File) -> None:
    """Write one file, in a process of the pool."""
    file.path.parent.mkdir(parents=True, exist_ok=True)
    with pq.ParquetWriter(
        file.path,
        events.SCHEMA,
        use_dictionary=events.DICTIONARIES,
        write_page_index=file.page_index,
    ) as writer:
        source = _source(file.groups, file.rows)
        for index in range(file.first, file.first + file.count):
            writer.write_table(source.group(index), row_group_size=file.rows)


_SOURCES: dict[tuple[int, int], events.Events] = {}


def _source(groups: int, rows: int) -> events.Events:
    if (groups, rows) not in _SOURCES:
        _SOURCES.clear()
        _SOURCES[groups, rows] = events.Events(groups, rows)
    return _SOURCES[groups, rows]


def link_some_files(source: Path, target: Path, count: int) -> None:
    """Create a table of `count` files of another one, evenly spread, which needs no space."""
    target.mkdir(parents=True)
    paths = sorted(source.glob("*.parquet"))
    for number in range(count):
        path = paths[number * len(paths) // count]
        os.link(path, target / path.name)


def size(root: Path, table: Table) -> tuple[int, int]:
    """Return the bytes and the number of a table's files."""
    paths = (root / table.name).rglob("*.parquet")
    # The log of Delta Lake has Parquet files of its own.
    sizes = [path.stat().st_size for path in paths if path.parent.name != "_delta_log"]
    return sum(sizes), len(sizes)


def sizes(root: Path, of: Sequence[Table]) -> dict[str, dict[str, int]]:
    """Return the bytes and the number of the files of each table, by its name."""
    return {t.name: dict(zip(("bytes", "files"), size(root, t), strict=True)) for t in of}


def _part(number: int) -> str:
    return f"part-{number:05}.parquet"
