"""All that files of listed writers state about their values, compared with the values."""

from __future__ import annotations

import io
import re
import struct
from collections import Counter
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from support.files import lies
from support.files.compact_thrift import Decoder
from support.files.lies import LyingFile
from support.files.quirky_files import DATA
from support.files.stated import DESCENDING, Comparison, Contains, StatingFile, compare
from support.paths import ROOT

ENCODINGS = ROOT / "tests" / "data" / "encodings"
FILES = {file.stem: file for folder in (DATA, ENCODINGS) for file in folder.glob("*.parquet")}


@pytest.fixture(scope="module")
def contains(spark: SparkSession) -> Contains:
    """Look values up by parquet-java, whose hash of a number is that of its plain bytes."""
    jvm: Any = spark._jvm

    @cache
    def of(bits: bytes) -> Any:
        return jvm.org.apache.parquet.column.values.bloomfilter.BlockSplitBloomFilter(bits)

    @cache
    def hashed(plain: bytes) -> int:
        binary = jvm.org.apache.parquet.io.api.Binary.fromConstantByteArray(plain)
        value: int = of(bytes(32)).hash(binary)
        return value

    def look_up(bits: bytes, plain: bytes) -> bool:
        return bool(of(bits).findHash(hashed(plain)))

    return look_up


def listed(spark: SparkSession, name: str) -> tuple[str, set[str]]:
    """Return the writer of a file, and the kinds of statements for which the extension lists it."""
    scala: Any = spark._jvm.limitpruning.parquet  # type: ignore[union-attr]
    writer = scala.Writer.of(StatingFile(FILES[name].read_bytes()).writer)
    claims = scala.ListedWriters.claimsOf(writer).toString()
    return writer.name(), set(re.findall(r"[A-Z]\w+(?=[,)])", claims))


# What is wrong in which files, by column; data/quirks/README.md describes it.
_PAGES_OF_NAN = {("d", "PageIndexes"), ("n", "PageIndexes")}
_PAGES_OF_NULLS = {(column, "PageIndexes") for column in "cis"}
_TOO_MANY_NULLS = {(column, "NullCounts") for column in "cis"}
_POLARS_1 = {*_PAGES_OF_NAN, *_PAGES_OF_NULLS, *_TOO_MANY_NULLS, ("m", "DecimalsMinMax")}
WRONG: dict[str, set[tuple[str, str]]] = {
    "pyarrow-5.0.0-nulls": {("s", "NullCounts")},
    "pyarrow-10.0.1-chunks": {("s", "BytesMinMax")},
    "polars-0.16.18": {("c", "NullCounts"), ("c", "PageIndexes")},
    "polars-1.20.0": {("m", "DecimalsMinMax")},
    "polars-1.38.1": _POLARS_1,
    "polars-1.44.2": _POLARS_1,
    "polars-1.38.1-half": {("s", "NullCounts"), ("s", "PageIndexes")},
    "polars-1.44.2-half": {("s", "NullCounts"), ("s", "PageIndexes")},
    "polars-2.0.0": _PAGES_OF_NAN | _PAGES_OF_NULLS,
    "polars-2.0.0-half": {("s", "PageIndexes")},
    "polars-1.20.0-pages": {("d", "NumbersMinMax")},
    "polars-1.44.2-pages": {("d", "NumbersMinMax"), ("d", "PageIndexes")},
    "polars-2.0.0-pages": {("d", "NumbersMinMax"), ("d", "PageIndexes")},
    "parquet-mr-1.8.1": {("e", "NumbersMinMax")},
    "duckdb-0.6.1": {("i", "NullCounts"), ("s", "NullCounts")},
    "duckdb-0.9.2": {("i", "NullCounts"), ("s", "NullCounts")},
    "fastparquet-2026.9.0-categories": {("i", "NumbersMinMax")},
}
# Listed all the same; `WriterQuirks` has these errors, by the name of a writer.
KNOWN_ERRORS = {
    ("parquet-cpp-arrow", "NullCounts"),
    ("parquet-cpp-arrow", "BytesMinMax"),
    ("parquet-mr", "NumbersMinMax"),
    ("polars", "NullCounts"),
    ("polars", "NumbersMinMax"),
    ("polars", "DecimalsMinMax"),
    ("duckdb", "NullCounts"),
}
FLOORS = {
    "NullCounts": 500,
    "NumbersMinMax": 500,
    "NumbersOccur": 150,
    "BytesMinMax": 100,
    "DecimalsMinMax": 50,
    "UnsignedMinMax": 10,
    "PageIndexes": 3000,
    "Dictionaries": 5000,
    "EntriesOccur": 500,
    "BloomFilters": 5000,
}


@pytest.fixture(scope="module")
def comparisons(contains: Contains) -> dict[str, Comparison]:
    """Compare every file."""
    return {name: compare(file.read_bytes(), contains) for name, file in FILES.items()}


@pytest.mark.parametrize("name", sorted(FILES))
def test_line_88_what_a_file_states_is_right_or_known_to_be_wrong(
    comparisons: dict[str, Comparison], name: str
) -> None:
    assert comparisons[name].wrong == WRONG.get(name, set())


@pytest.mark.parametrize("name", sorted(WRONG))
def test_line_88_what_is_wrong_is_not_listed_or_a_known_error(
    spark: SparkSession, name: str
) -> None:
    writer, claims = listed(spark, name)
    believed = {claim for _, claim in WRONG[name]} & claims
    assert {(writer, claim) for claim in believed} <= KNOWN_ERRORS


def test_line_88_each_kind_of_statement_of_each_listed_writer_was_compared(
    spark: SparkSession, comparisons: dict[str, Comparison]
) -> None:
    of_claims: Counter[str] = Counter()
    of_writers: Counter[tuple[str, str]] = Counter()
    for name, comparison in comparisons.items():
        writer, claims = listed(spark, name)
        for claim in claims:
            right = claim not in {kind for _, kind in comparison.wrong}
            of_claims[claim] += comparison.compared[claim] * right
            of_writers[writer, claim] += comparison.compared[claim] * right
    assert of_claims.keys() == FLOORS.keys()
    assert {claim: n for claim, n in of_claims.items() if n < FLOORS[claim]} == {}
    assert {pair for pair, count in of_writers.items() if count == 0} == set()


TOLD = "pyarrow-26.0.1-kinds"


def _only_max(file: LyingFile, column: str) -> None:
    chunk = file.chunks(column)[0]
    chunk.bounds(chunk.statistics[5][1], chunk.statistics[5][1])


def _beyond_max(file: LyingFile, column: str) -> None:
    chunk = file.chunks(column)[0]
    chunk.bounds(chunk.statistics[6][1], struct.pack("<q", 1 << 40))


def _null_count(file: LyingFile, column: str) -> None:
    file.chunks(column)[0].null_count(1)


def _index(number: int, of: Callable[[list[Any]], Any]) -> Callable[[LyingFile, str], None]:
    def edit(file: LyingFile, column: str) -> None:
        chunk = file.chunks(column)[0]
        index = chunk.index()
        assert index is not None
        kind, items = index[number][1]
        index[number] = (index[number][0], (kind, of(items)))
        chunk.set_index(index)

    return edit


def _descending(file: LyingFile, column: str) -> None:
    chunk = file.chunks(column)[0]
    index = chunk.index()
    assert index is not None
    index[4] = (5, DESCENDING)
    chunk.set_index(index)


def _page_rows(file: LyingFile, column: str) -> None:
    chunk = file.chunks(column)[0]
    pages = chunk.locations()
    pages[1][3] = (6, pages[1][3][1] + 1)
    chunk.set_locations(pages)


def _page_sizes(file: LyingFile, column: str) -> None:
    chunk = file.chunks(column)[0]
    pages = chunk.locations()
    pages[0][2] = (5, pages[0][2][1] - 1)
    chunk.set_locations(pages)


def _dictionary(file: LyingFile, column: str) -> None:
    lies.dictionary(Random(0), lies.Claimable(column, []), file.chunks(column)[0])


def _bloom_filter(file: LyingFile, column: str) -> None:
    decoder = Decoder(bytes(file.body[file.chunks(column)[0].meta[14][1] :]))
    size = decoder.struct()[1][1]
    start = file.chunks(column)[0].meta[14][1] + decoder.position
    file.body[start : start + size] = bytes(size)


LIES: list[tuple[str, str, Callable[[LyingFile, str], None]]] = [
    ("NullCounts", "id", _null_count),
    ("NumbersMinMax", "id", _only_max),
    ("NumbersMinMax", "f", _only_max),
    ("NumbersOccur", "id", _beyond_max),
    ("BytesMinMax", "s", _only_max),
    ("DecimalsMinMax", "m", _only_max),
    ("UnsignedMinMax", "u64", _only_max),
    ("PageIndexes", "id", _index(2, lambda lows: lows[-1:] * len(lows))),
    ("PageIndexes", "id", _index(3, lambda highs: highs[:1] * len(highs))),
    ("PageIndexes", "id", _index(1, lambda nulls: [True, *nulls[1:]])),
    ("PageIndexes", "id", _index(5, lambda counts: [1, *counts[1:]])),
    ("PageIndexes", "id", _descending),
    ("PageIndexes", "id", _page_rows),
    ("PageIndexes", "id", _page_sizes),
    ("Dictionaries", "g", _dictionary),
    ("BloomFilters", "s", _bloom_filter),
]


def test_line_109_entries_that_no_row_has_are_found(contains: Contains) -> None:
    values = pa.array([f"value {n}" for n in range(20)])
    keys = pa.DictionaryArray.from_arrays(pa.array([1, 2, 3] * 50, pa.int8()), values)
    out = io.BytesIO()
    pq.write_table(pa.table({"k": keys}), out, store_schema=False)
    assert compare(out.getvalue(), contains).wrong == {("k", "EntriesOccur")}


@pytest.mark.parametrize(("claim", "column", "edit"), LIES)
def test_line_88_each_lie_is_found(
    contains: Contains, claim: str, column: str, edit: Callable[[LyingFile, str], None]
) -> None:
    file = LyingFile(FILES[TOLD].read_bytes())
    edit(file, column)
    assert compare(file.bytes(), contains).wrong == {(column, claim)}
