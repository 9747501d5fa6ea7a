"""Tables of many files, columns, row groups or partitions; files are links to a few of them."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

LINKS_PER_FILE = 20_000  # file systems allow about 65,000
ROWS = 100
# In each file, they are true for the second row group, for some rows of both, and for no row.
COVERED, UNPROVABLE, ABSENT = "id >= 50", "c < 3", "id < 0"
COLUMNS = (200, 2_000)
ROW_GROUPS = (1_000, 10_000)
PARTITIONS = (1_000, 10_000)


def many_files(folder: Path, count: int) -> Path:
    """Create a table of `count` small files with two row groups each."""
    return _linked(folder / f"files-{count}", [f"part-{n:06}.parquet" for n in range(count)])


def partitions(folder: Path, count: int) -> Path:
    """Create a table of `count` partitions in two levels, with a file in each."""
    names = [f"a={n // 100:03}/b={n % 100:02}/part.parquet" for n in range(count)]
    return _linked(folder / f"partitions-{count}", names)


def wide(folder: Path, count: int) -> Path:
    """Create a table of `count` columns, with four files of four row groups."""
    columns = {f"c{n}": [n % 7 + row for row in range(ROWS)] for n in range(count)}
    data = pa.table({"id": list(range(ROWS)), "c": [row % 7 for row in range(ROWS)], **columns})
    for number in range(4):
        path = folder / f"wide-{count}" / f"part-{number}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(data, path, row_group_size=ROWS // 4)
    return folder / f"wide-{count}"


def row_groups(folder: Path, count: int) -> Path:
    """Create a table of one file with `count` row groups of two rows; only the last ones match."""
    path = folder / f"row-groups-{count}" / "part.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = 2 * count
    ids = [number - rows + 60 for number in range(rows)]
    data = pa.table({"id": ids, "c": [number % 7 for number in range(rows)]})
    pq.write_table(data, path, row_group_size=2)
    return path.parent


def _linked(folder: Path, names: list[str]) -> Path:
    original = folder.parent / "originals"
    original.mkdir(parents=True, exist_ok=True)
    source = original
    for number, name in enumerate(names):
        if number % LINKS_PER_FILE == 0:
            source = original / f"{folder.name}-{number}.parquet"
            _write(source)
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        os.link(source, target)
    return folder


def _write(path: Path) -> None:
    values = [row % 7 for row in range(ROWS)]
    data = pa.table({"id": list(range(ROWS)), "c": values, "text": ["x" * 20] * ROWS})
    pq.write_table(data, path, row_group_size=ROWS // 2)
