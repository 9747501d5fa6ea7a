"""Rows from anywhere in pages, in every encoding and type, are the file's own rows."""

from __future__ import annotations

import itertools
import json
import os
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from support.encoded_files import (
    BYTE_STREAMS,
    DECLARED,
    INT96,
    KINDS,
    LARGE_PAGES,
    READS_BYTE_STREAMS,
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
from support.sparks import needs_spark

pytestmark = pytest.mark.usefixtures("planned_at_root")

# All columns and many more rows: minutes.
ALL = os.environ.get("ROW_SKIPPING") == "all"
DATA = Path(__file__).parents[1] / "data" / "encodings"
BATCH = "spark.sql.parquet.columnarReaderBatchSize"
TIMESTAMPS = "spark.sql.parquet.outputTimestampType"
# Any row group, however small, is read by pages, and planning takes the time that it needs.
ANY_PAGES = {
    "spark.limitPruning.pages.minBytes": "0",
    "spark.limitPruning.planning.maxTime": "1h",
}
JSON = "to_json(struct(*), map('ignoreNullFields', 'false'))"


@pytest.fixture(autouse=True)
def _reads_time(spark: SparkSession) -> Iterator[None]:
    with conf(spark, {"spark.sql.timeType.enabled": "true"}):
        yield


@dataclass(frozen=True)
class Rows:
    """Some rows of a file, the predicate that only they match, and how many of them are read."""

    predicate: str
    matching: frozenset[int]
    limit: int
    to_read: int


def between(*ranges: tuple[int, int], limit: int | None = None, to_read: int | None = None) -> Rows:
    """Select ranges of rows: the first row (inclusive), the last row (exclusive)."""
    predicate = " OR ".join(f"(key >= '{key(a)}' AND key < '{key(b)}')" for a, b in ranges)
    matching = frozenset(i for a, b in ranges for i in range(a, b))
    limit = limit or len(matching)
    return Rows(predicate, matching, limit, to_read or limit)


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
    Rows("odd >= '00001'", frozenset(range(1, ROWS, 2)), ROWS // 2, ROWS // 2),
    Rows("odd < '00001'", frozenset(range(0, ROWS, 2)), ROWS // 2, ROWS // 2),
]
"""Rows at, before and behind ends of pages and batches; one row, all but one, every second."""
IN_LARGE_PAGES = [
    between((0, ROWS), limit=ROWS // 2 + 1),
    between((60, 170), limit=1),
    between((60, 170), (300, 410), limit=50),
    between((199, ROWS), limit=3),
]
"""The key's pages have about 50 rows. Those that match begin and end inside other pages."""
HALF = ROWS // 2
IN_ROW_GROUPS = [
    between((0, HALF), to_read=HALF),
    between((HALF, ROWS), limit=1, to_read=HALF),
    between((0, ROWS), limit=HALF + 1, to_read=ROWS),
    between((0, HALF + 1), limit=1, to_read=HALF),
    between((HALF - 1, ROWS), limit=HALF // 2, to_read=HALF),
]
"""Rows of one row group of two, or of both. Those that match begin and end inside the other one."""


def drawn_rows(seed: str, many: int = 6) -> list[Rows]:
    """Draw rows in up to 12 ranges."""
    drawn = random.Random(seed)
    places = [sorted(drawn.sample(range(ROWS + 1), 2 * drawn.randint(1, 12))) for _ in range(many)]
    return [between(*zip(at[::2], at[1::2], strict=True)) for at in places]


def values(rows: Sequence[Any]) -> dict[int, dict[str, Any]]:
    """Return the columns of rows by their positions, with numbers as texts."""
    read = {row.key[:5]: json.loads(row.row, parse_float=str, parse_int=str) for row in rows}
    return {int(position): columns for position, columns in read.items()}


def wrong_values(
    frame: DataFrame,
    own: dict[int, dict[str, Any]],
    rows: Sequence[Rows],
    settings: dict[str, str],
) -> Counter[str]:
    """Compare the rows that are read with the file's own rows, and count what differs by column."""
    spark = frame.sparkSession
    wrong: Counter[str] = Counter()
    frame.createOrReplaceTempView("encoded")
    for chosen in rows:
        query = f"SELECT * FROM encoded WHERE {chosen.predicate} LIMIT {chosen.limit}"
        with conf(spark, {**ANY_PAGES, **settings}):
            pruned = spark.sql(f"SELECT key, {JSON} AS row FROM ({query})")
            report = limit_pruning.report(pruned).only
            assert report.covered, report.reason
            assert report.rows.to_read == chosen.to_read, report
            try:
                read = pruned.collect()
            except Exception as error:  # noqa: BLE001 -- other rows are read all the same
                wrong[f"fails: {str(error)[:300]}"] += 1
                continue
        found = values(read)
        if len(found) != chosen.limit or not found.keys() <= chosen.matching:
            wrong[f"rows of {chosen.predicate}: {sorted(found)}"] += 1
        for row in found.keys() & own.keys():
            wrong.update(c for c in frame.columns if found[row][c] != own[row][c])
    return wrong


def hold(frame: DataFrame, rows: Sequence[Rows], row_based: Sequence[Rows]) -> None:
    """Read rows in batches of both sizes, and some of them by the row-based reader."""
    with conf(frame.sparkSession, ROW_BY_ROW):
        own = values(frame.selectExpr("key", f"{JSON} AS row").collect())
    assert len(own) == ROWS
    # The row-based reader infers the type of a list's elements, and fails if it is no type.
    of = map(Cell.named, frame.columns[2:])
    lists = [cell.name for cell in of if cell.shape == "list" and cell.group == "declared"]
    for chosen, read, vectorized, batch in (
        (frame, rows if ALL else rows[::2], "true", "4096"),
        (frame, rows if ALL else rows[1::2], "true", "64"),
        (frame.drop(*lists), rows if ALL else row_based, "false", "4096"),
    ):
        wrong = wrong_values(chosen, own, read, {VECTORIZED: vectorized, BATCH: batch})
        assert not wrong, (vectorized, batch, wrong)


def columns(*encodings: dict[str, list[str]], first: int) -> list[Cell]:
    """Return columns that this Spark reads, with all kinds of nulls and shapes or one of them."""
    of = [cells(each, of_each=len(KINDS) if ALL else 1, first=first) for each in encodings]
    return [cell for cell in itertools.chain(*of) if cell.is_read]


def opened(spark: SparkSession, path: Path, of: Sequence[Cell]) -> DataFrame:
    """Read columns of a file."""
    reader = spark.read
    if any(cell.group == "declared" for cell in of):
        reader = reader.schema(", ".join(["key STRING, odd STRING", *(c.ddl for c in of)]))
    return reader.parquet(str(path)).select("key", "odd", *(cell.name for cell in of))


def encodings_of(path: Path) -> dict[str, set[str]]:
    """Return the encodings of a file's columns, without those of the keys of maps."""
    row_group = pq.read_metadata(path).row_group(0)
    found: dict[str, set[str]] = {}
    for chunk in map(row_group.column, range(row_group.num_columns)):
        if not chunk.path_in_schema.endswith(".key"):
            found[chunk.path_in_schema.split(".")[0]] = set(chunk.encodings)
    return found


def rows_for(page: int, of: Sequence[Cell]) -> list[Rows]:
    """Return the rows to read of files with such pages and columns."""
    rows = IN_LARGE_PAGES if page == LARGE_PAGES else IN_SMALL_PAGES
    if ALL:
        return rows if page == LARGE_PAGES else [*rows, *drawn_rows(of[0].name)]
    return rows[-2:] if of[0].group in ("int96", "declared") else rows


def forms(*sample: tuple[int, int]) -> pytest.MarkDecorator:
    """Return all versions of pages in all sizes, or these of them."""
    every = itertools.product((1, 2), (SMALL_PAGES, LARGE_PAGES))
    return pytest.mark.parametrize(("version", "page"), list(every) if ALL else sample)


@forms((1, SMALL_PAGES), (2, LARGE_PAGES))
def test_files_of_pyarrow(spark: SparkSession, tmp_path: Path, version: int, page: int) -> None:
    every = (WITHOUT_BYTE_STREAMS, INT96, DECLARED, BYTE_STREAMS)
    of = [
        cell
        for cell in columns(*every, first=6 * version)
        # pyarrow writes a page without rows if it compares the size of a page after each row.
        if not (cell.is_repeated and cell.encoding != "PLAIN" and page == SMALL_PAGES)
    ]
    for at, part in enumerate(in_files(of)):
        path = tmp_path / f"{at}.parquet"
        by_pyarrow(path, part, version, page)
        encodings = encodings_of(path)
        for cell in part:
            if not cell.has_dictionary:
                assert cell.encoding in encodings[cell.name], cell
        rows = rows_for(page, part)
        hold(opened(spark, path, part), rows, rows[:2])


@forms((1, LARGE_PAGES), (2, SMALL_PAGES))
def test_files_of_spark(spark: SparkSession, tmp_path: Path, version: int, page: int) -> None:
    found: set[str] = set()
    by_name = {name: WITHOUT_BYTE_STREAMS[name] for name in ("PLAIN", "DICTIONARY", "RUNS")}
    by_name["BYTE_STREAM_SPLIT"] = ["float", "double"]  # Spark splits no other types
    timestamps = "TIMESTAMP_MICROS" if page == SMALL_PAGES else "TIMESTAMP_MILLIS"
    for at, part in enumerate(in_files(columns(by_name, INT96, first=6 * version + 3))):
        source = tmp_path / f"{at}.parquet"
        by_pyarrow(source, part, 1, LARGE_PAGES)
        written = "INT96" if part[0].type == "int96" else timestamps
        with conf(spark, {ENABLED: "false", TIMESTAMPS: written}):
            by_spark(spark, tmp_path / str(at), source, version, page)
        (path,) = (tmp_path / str(at)).glob("*.parquet")
        found |= set().union(*encodings_of(path).values())
        rows = rows_for(page, part)
        hold(opened(spark, path, part), rows, rows[:2])
    in_v2 = {"RLE_DICTIONARY", "DELTA_BINARY_PACKED", "DELTA_BYTE_ARRAY", "RLE"}
    assert found >= ({"PLAIN", "PLAIN_DICTIONARY"} if version == 1 else in_v2)
    assert ("BYTE_STREAM_SPLIT" in found) == READS_BYTE_STREAMS


def stored(path: Path, encodings: dict[str, set[str]]) -> list[Cell]:
    """Return the columns of a file in the repository that this Spark reads."""
    return [
        cell
        for cell in map(Cell.named, pq.read_schema(path).names[2:])
        if cell.is_read and (READS_BYTE_STREAMS or "BYTE_STREAM_SPLIT" not in encodings[cell.name])
    ]


# Spark 3.5 fails at a footer with FLOAT16.
@pytest.mark.parametrize(
    "name", ["v1", "v2", pytest.param("declared", marks=needs_spark("FLOAT16"))]
)
def test_files_of_arrow_rs(spark: SparkSession, name: str) -> None:
    path = DATA / f"arro3-0.9.1-{name}.parquet"
    encodings = encodings_of(path)
    of = stored(path, encodings)
    for cell in of:
        # arrow-rs puts no values of a fixed length in dictionaries of version 1.
        if not (cell.has_dictionary and name == "v1" and cell.type in ("fixed", "decimal30")):
            written = "RLE_DICTIONARY" if cell.has_dictionary else cell.encoding
            assert written in encodings[cell.name], cell
    hold(opened(spark, path, of), IN_LARGE_PAGES, IN_LARGE_PAGES[:1])


@pytest.mark.parametrize("name", ["v1", "v2", "declared"])
def test_files_of_duckdb(spark: SparkSession, name: str) -> None:
    """DuckDB writes no page index, and its row groups are read whole."""
    path = DATA / f"duckdb-2.0.0-{name}.parquet"
    encodings = encodings_of(path)
    of = stored(path, encodings)
    found = set().union(*(encodings[cell.name] for cell in of))
    in_v2 = {"RLE_DICTIONARY", "DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY"}
    assert found >= {"PLAIN", *({"PLAIN_DICTIONARY"} if name == "v1" else in_v2)}
    assert ("BYTE_STREAM_SPLIT" in found) == (READS_BYTE_STREAMS and name == "v2")
    hold(opened(spark, path, of), IN_ROW_GROUPS, IN_ROW_GROUPS[-2:])


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
    hold(opened(spark, path, of), IN_SMALL_PAGES, IN_SMALL_PAGES[-1:])
