"""Files whose metadata is absurd: an answer as plain Spark gives it, in bounded time and memory.

What ends Spark's own process, such as structs nested a million deep, is in FooterReaderSuite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from support.files import footer_edit
from support.files.absurd_footers import FOOTERS, Edit, indexes
from support.files.compact_thrift import varint
from support.runs import ENABLED, conf, in_threads, outcome

GROUPS, ROWS = 4, 10


@pytest.fixture
def file(tmp_path: Path) -> Path:
    ids = list(range(GROUPS * ROWS))
    path = tmp_path / "t" / "hostile.parquet"
    path.parent.mkdir()
    values = pa.table({"id": ids, "c": [number % 7 for number in ids]})
    pq.write_table(values, path, row_group_size=ROWS, write_page_index=True)
    return path


def rows_of(columns: str, matching: Callable[[int, int], bool]) -> list[str]:
    """Return the rows of the table that match, as `outcome` shows them."""
    named = {"id": lambda n: f"id={n}", "c": lambda n: f"c={n % 7}"}
    wanted = [n for n in range(GROUPS * ROWS) if matching(n, n % 7)]
    return [f"Row({', '.join(named[c](n) for c in columns.split(', '))})" for n in wanted]


# Queries, with the rows that may be in their answers.
ANSWERS = {
    "SELECT id, c FROM t WHERE id >= 15 LIMIT 12": rows_of("id, c", lambda n, _: n >= 15),
    "SELECT c FROM t WHERE c <> 3 LIMIT 4": rows_of("c", lambda _, c: c != 3),
    "SELECT id FROM t LIMIT 3": rows_of("id", lambda _, __: True),
    "SELECT id FROM t LIMIT 2147483647": rows_of("id", lambda _, __: True),
    "SELECT id FROM t WHERE c IN (1, 5) LIMIT 7": rows_of("id", lambda _, c: c in (1, 5)),
}


# Plain Spark looks for more rows without end: only what the first row group answers can be asked.
ENDLESS = [
    FOOTERS[name]
    for name in FOOTERS
    if name
    in (
        "as many rows as a long holds",
        "rows that overflow when added",
    )
]
SMALL_QUERIES = ["SELECT c FROM t WHERE c <> 3 LIMIT 4", "SELECT id FROM t LIMIT 3"]


def answers_as_plain_spark(
    spark: SparkSession, folder: Path, queries: Iterable[str] = tuple(ANSWERS)
) -> None:
    """Hold each query to its answer without the extension: the same rows, or an error of its own.

    A footer that is wrong about rows may be told as a file that has changed.
    """
    spark.read.schema("id BIGINT, c BIGINT").parquet(str(folder)).createOrReplaceTempView("t")
    pruned = in_threads(lambda query: outcome(spark, query), list(queries))
    with conf(spark, {ENABLED: "false"}):
        without = in_threads(lambda query: outcome(spark, query), list(queries))
    for query, found, plain in zip(queries, pruned, without, strict=True):
        allowed = ANSWERS[query]
        if isinstance(found, str):
            told = "is not the file that the LIMIT was planned for" in found
            assert (told and "hostile.parquet" in found) or isinstance(plain, str), query
        else:
            assert not set(found) - set(allowed), query
            due = min(int(query.rsplit(" ", 1)[1]), len(allowed))
            assert isinstance(plain, str) or len(found) in (due, len(plain)), query


@pytest.mark.parametrize("edit", FOOTERS.values(), ids=FOOTERS)
def test_a_footer_that_claims_the_absurd(spark: SparkSession, file: Path, edit: Edit) -> None:
    footer_edit.edit_footer(file, edit)
    queries = SMALL_QUERIES if edit in ENDLESS else list(ANSWERS)
    with conf(spark, {"spark.limitPruning.pages.minBytes": "0"}):
        answers_as_plain_spark(spark, file.parent, queries)


def raw_footer(file: Path, footer: bytes, length: int | None = None) -> None:
    data = file.read_bytes()
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    size = (len(footer) if length is None else length) % 2**32
    file.write_bytes(data[:start] + footer + size.to_bytes(4, "little") + b"PAR1")


# A footer's first fields: version 1, then the schema, or the row groups, as a list of structs.
VERSION = b"\x15\x02"
BOMBS = {
    "a list of columns": VERSION + b"\x19\xfc" + varint(2**24),
    "a list of row groups": VERSION + b"\x39\xfc" + varint(2**24),
    "a list in a list": VERSION + b"\x39\x1c\x19\xfc" + varint(2**24),
    "a text": VERSION + b"\x58" + varint(2**24) + b"x",
    "a negative size": VERSION + b"\x58" + varint(2**31 + 5) + b"x",
    "a number without end": VERSION + b"\x26" + b"\xff" * 64,
    "no end": VERSION,
}


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
def test_a_footer_that_asks_for_more_than_it_has(
    spark: SparkSession, file: Path, bomb: bytes
) -> None:
    raw_footer(file, bomb + bytes(20))
    answers_as_plain_spark(spark, file.parent)


@pytest.mark.parametrize("length", [0, 1, 7, -1, 2**31 - 1, 2**31, 500])
def test_a_footer_length_that_is_wrong(spark: SparkSession, file: Path, length: int) -> None:
    data = file.read_bytes()
    footer = data[-8 - int.from_bytes(data[-8:-4], "little") : -8]
    raw_footer(file, footer, length)
    answers_as_plain_spark(spark, file.parent)


def page_index(list_claims: int) -> bytes:
    """Return an index, either column or offset, of a first field that claims so many elements."""
    return b"\x19\xfc" + varint(list_claims) + bytes(40)


@pytest.mark.parametrize("claimed", [2**24, 2**31 + 1])
def test_a_page_index_that_claims_the_absurd(spark: SparkSession, file: Path, claimed: int) -> None:
    data = file.read_bytes()
    index = page_index(claimed)
    length = int.from_bytes(data[-8:-4], "little")
    start = len(data) - 8 - length
    file.write_bytes(data[:start] + index + data[start:])
    footer_edit.edit_footer(file, indexes(start, len(index)))
    with conf(spark, {"spark.limitPruning.pages.minBytes": "0"}):
        answers_as_plain_spark(spark, file.parent)


def test_a_schema_of_ten_thousand_columns(spark: SparkSession, tmp_path: Path) -> None:
    columns: dict[str, Any] = {f"c{number}": [0, number] for number in range(10_000)}
    (tmp_path / "wide").mkdir()
    pq.write_table(pa.table(columns), tmp_path / "wide" / "a.parquet", row_group_size=1)
    spark.read.parquet(str(tmp_path / "wide")).createOrReplaceTempView("wide")
    query = "SELECT c9999 FROM wide WHERE c9998 > 5 AND c1 <> 7 LIMIT 1"
    assert outcome(spark, query) == ["Row(c9999=9999)"]
