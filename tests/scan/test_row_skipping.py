"""Rows from anywhere in pages, in every encoding and type, are the file's own rows."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support.encoded_files import (
    BYTE_STREAMS,
    KINDS,
    LARGE_PAGES,
    ROWS,
    ROWS_OF_PAGE,
    SMALL_PAGES,
    WITHOUT_BYTE_STREAMS,
    Cell,
    by_pyarrow,
    by_spark,
    cells,
    in_files,
    key,
)
from support.runs import ENABLED, ROW_BY_ROW, VECTORIZED, conf

pytestmark = pytest.mark.usefixtures("planned_at_root")

# All columns and many more rows: minutes.
ALL = os.environ.get("ROW_SKIPPING") == "all"
DATA = Path(__file__).parents[1] / "data" / "encodings"
BATCH = "spark.sql.parquet.columnarReaderBatchSize"
# Any row group, however small, is read by pages, and planning takes the time that it needs.
ANY_PAGES = {
    "spark.limitPruning.pages.minBytes": "0",
    "spark.limitPruning.planning.maxTime": "1h",
}
JSON = "to_json(struct(*), map('ignoreNullFields', 'false'))"


@dataclass(frozen=True)
class Rows:
    """Some rows of a file, the predicate that only they match, and how many of them are read."""

    predicate: str
    matching: frozenset[int]
    limit: int


def between(*ranges: tuple[int, int], limit: int | None = None) -> Rows:
    """Select ranges of rows: the first row (inclusive), the last row (exclusive)."""
    predicate = " OR ".join(f"(key >= '{key(a)}' AND key < '{key(b)}')" for a, b in ranges)
    matching = frozenset(i for a, b in ranges for i in range(a, b))
    return Rows(predicate, matching, limit or len(matching))


END = ROWS_OF_PAGE
IN_SMALL_PAGES = [
    between((1, 2)),
    between((END - 1, END)),
    between((END, END + 1)),
    between((0, END + 1)),
    between((END + 1, ROWS)),
    between((0, 64), (65, ROWS)),
    between((37, 38), (150, 250), (333, 334), (ROWS - 2, ROWS)),
    between(*((page - 1, page + 1) for page in range(END, ROWS, END))),
    Rows("odd >= '00001'", frozenset(range(1, ROWS, 2)), ROWS // 2),
    Rows("odd < '00001'", frozenset(range(0, ROWS, 2)), ROWS // 2),
]
"""Rows at, before and behind ends of pages and batches; one row, all but one, every second."""
IN_LARGE_PAGES = [
    between((0, ROWS), limit=ROWS // 2 + 1),
    between((60, 170), limit=1),
    between((60, 170), (300, 410), limit=50),
    between((199, ROWS), limit=3),
]
"""The key's pages have about 50 rows. Those that match begin and end inside other pages."""


def drawn_rows(many: int) -> list[Rows]:
    """Draw rows in up to 12 ranges."""
    drawn = random.Random(7)
    places = [sorted(drawn.sample(range(ROWS + 1), 2 * drawn.randint(1, 12))) for _ in range(many)]
    return [between(*zip(at[::2], at[1::2], strict=True)) for at in places]


def wrong_values(
    spark: SparkSession, path: Path, rows: Sequence[Rows], settings: dict[str, str]
) -> Counter[str]:
    """Compare the rows that are read with the file's own rows, and count what differs by column."""
    wrong: Counter[str] = Counter()
    spark.read.parquet(str(path)).createOrReplaceTempView("encoded")
    with conf(spark, ROW_BY_ROW):
        plain = spark.sql(f"SELECT key, {JSON} AS row FROM encoded").collect()
    own = {int(row.key[:5]): row.row for row in plain}
    assert len(own) == ROWS
    for chosen in rows:
        query = f"SELECT * FROM encoded WHERE {chosen.predicate} LIMIT {chosen.limit}"
        with conf(spark, {**ANY_PAGES, **settings}):
            pruned = spark.sql(f"SELECT key, {JSON} AS row FROM ({query})")
            report = limit_pruning.report(pruned).only
            assert report.covered, report.reason
            assert report.rows.to_read == chosen.limit, report
            try:
                read = pruned.collect()
            except Exception as error:  # noqa: BLE001 -- other rows are read all the same
                wrong[f"fails: {str(error)[:300]}"] += 1
                continue
        found = {int(row.key[:5]): row.row for row in read}
        if len(found) != chosen.limit or not found.keys() <= chosen.matching:
            wrong[f"rows of {chosen.predicate}: {sorted(found)}"] += 1
        for row, text in found.items():
            if row in own and text != own[row]:
                here, there = json.loads(text), json.loads(own[row])
                wrong.update(name for name in there if here.get(name) != there[name])
    return wrong


def hold(spark: SparkSession, path: Path, rows: Sequence[Rows], row_based: Sequence[Rows]) -> None:
    """Read rows in batches of both sizes, and some of them by the row-based reader."""
    for read, vectorized, batch in (
        (rows[::2], "true", "4096"),
        (rows[1::2], "true", "64"),
        (row_based, "false", "4096"),
    ):
        wrong = wrong_values(spark, path, read, {VECTORIZED: vectorized, BATCH: batch})
        assert not wrong, (vectorized, batch, wrong)


def columns(spark: SparkSession, of_each: int, first: int) -> list[Cell]:
    """Return columns in the encodings that this Spark reads."""
    reads_byte_streams = tuple(map(int, spark.version.split(".")[:2])) >= (4, 3)
    encodings = {**WITHOUT_BYTE_STREAMS, **(BYTE_STREAMS if reads_byte_streams else {})}
    return cells(encodings, of_each=len(KINDS) if ALL else of_each, first=first)


def encodings_of(path: Path) -> dict[str, set[str]]:
    """Return the encodings of a file's columns."""
    row_group = pq.read_metadata(path).row_group(0)
    chunks = [row_group.column(i) for i in range(row_group.num_columns)]
    return {chunk.path_in_schema: set(chunk.encodings) for chunk in chunks}


def rows_for(page: int) -> list[Rows]:
    """Return the rows to read of files with such pages."""
    if page == LARGE_PAGES:
        return IN_LARGE_PAGES
    return [*IN_SMALL_PAGES, *(drawn_rows(20) if ALL else [])]


@pytest.mark.parametrize(("version", "page", "first"), [(1, SMALL_PAGES, 0), (2, LARGE_PAGES, 6)])
def test_files_of_pyarrow(
    spark: SparkSession, tmp_path: Path, version: int, page: int, first: int
) -> None:
    rows = rows_for(page)
    of = [
        cell
        for cell in columns(spark, 1, first)
        # pyarrow writes a page without rows if it compares the size of a page after each row.
        if not (cell.is_repeated and cell.encoding != "PLAIN" and page == SMALL_PAGES)
    ]
    for at, part in enumerate(in_files(of)):
        path = tmp_path / f"{at}.parquet"
        by_pyarrow(path, part, version, page)
        encodings = encodings_of(path)
        for cell in part:
            if not cell.has_dictionary:
                assert cell.encoding in encodings[cell.path], cell
        hold(spark, path, rows, rows[:2])


@pytest.mark.parametrize(
    ("version", "page", "first", "encodings"),
    [
        (1, LARGE_PAGES, 3, {"PLAIN", "PLAIN_DICTIONARY"}),
        (2, SMALL_PAGES, 9, {"RLE_DICTIONARY", "DELTA_BINARY_PACKED", "DELTA_BYTE_ARRAY", "RLE"}),
    ],
)
def test_files_of_spark(
    spark: SparkSession,
    tmp_path: Path,
    version: int,
    page: int,
    first: int,
    encodings: set[str],
) -> None:
    found: set[str] = set()
    by_name = {name: WITHOUT_BYTE_STREAMS[name] for name in ("PLAIN", "DICTIONARY", "RUNS")}
    of = cells(by_name, of_each=len(KINDS) if ALL else 1, first=first)
    rows = rows_for(page)
    for at, part in enumerate(in_files(of)):
        source = tmp_path / f"{at}.parquet"
        by_pyarrow(source, part, 1, LARGE_PAGES)
        with conf(spark, {ENABLED: "false"}):
            by_spark(spark, tmp_path / str(at), source, version, page)
        (path,) = (tmp_path / str(at)).glob("*.parquet")
        found |= set().union(*encodings_of(path).values())
        hold(spark, path, rows, rows[:2])
    assert found >= encodings


@pytest.mark.parametrize("version", [1, 2])
def test_files_of_arrow_rs(spark: SparkSession, version: int) -> None:
    """DuckDB writes no page index, and its row groups are read whole."""
    path = DATA / f"arro3-0.9.1-v{version}.parquet"
    found: set[str] = set().union(*encodings_of(path).values())
    assert found >= WITHOUT_BYTE_STREAMS.keys() - {"DICTIONARY", "RUNS"}
    hold(spark, path, IN_LARGE_PAGES, IN_LARGE_PAGES[:1])


@pytest.mark.core
def test_few_columns_in_each_encoding(spark: SparkSession, tmp_path: Path) -> None:
    of = [
        Cell(encoding, kind, nulls, shape)
        for encoding, kind, nulls, shape in (
            ("PLAIN", "bool", "some", "flat"),
            ("PLAIN", "string", "some", "list"),
            ("RLE", "bool", "none", "flat"),
            ("DICTIONARY", "int32", "some", "struct"),
            ("RUNS", "string", "some", "flat"),
            ("DELTA_BINARY_PACKED", "int64", "required", "flat"),
            ("DELTA_BINARY_PACKED", "int32", "some", "list"),
            ("DELTA_BINARY_PACKED", "date", "all", "struct"),
            ("DELTA_LENGTH_BYTE_ARRAY", "string", "some", "flat"),
            ("DELTA_BYTE_ARRAY", "string", "some", "flat"),
            ("DELTA_BYTE_ARRAY", "fixed", "none", "flat"),
        )
    ]
    path = tmp_path / "few.parquet"
    by_pyarrow(path, of, 2, SMALL_PAGES)
    hold(spark, path, IN_SMALL_PAGES, IN_SMALL_PAGES[-1:])
