"""Files with columns in every encoding, type, kind of nulls and shape, to read any rows of."""

from __future__ import annotations

import datetime as dt
import decimal
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from support.sparks import LINE

ROWS = 590  # no multiple of the rows of a page, after which pyarrow writes an empty page
ROWS_OF_PAGE = 100
# A key is longer than a small page, and has a page of its own: a predicate selects any rows.
SMALL_PAGES = 64  # Spark's writer accepts no smaller ones
LARGE_PAGES = 2000
PADDING = "x" * (SMALL_PAGES - 7)  # longer values have no exact bounds in a page index
# Spark returns rows instead of batches if there are more fields.
MOST_FIELDS = 90

EPOCH = dt.datetime(2001, 1, 1)


def _scattered(i: int) -> int:
    """Return another value for each row, so that deltas between rows differ."""
    return i * 7919 % 60013


TYPES: dict[str, tuple[pa.DataType, Callable[[int], Any]]] = {
    "bool": (pa.bool_(), lambda i: _scattered(i) % 3 == 1),
    "int8": (pa.int8(), lambda i: i % 251 - 125),
    "int16": (pa.int16(), lambda i: _scattered(i) - 30000),
    "int32": (pa.int32(), lambda i: _scattered(i) * 30001 - 2**30),
    "int64": (pa.int64(), lambda i: _scattered(i) * 10**14),
    "uint8": (pa.uint8(), lambda i: i % 251),
    "uint16": (pa.uint16(), _scattered),
    "uint32": (pa.uint32(), lambda i: _scattered(i) * 70001),
    "uint64": (pa.uint64(), lambda i: 2**63 + _scattered(i)),
    "float": (pa.float32(), lambda i: _scattered(i) / 8),
    "double": (pa.float64(), lambda i: _scattered(i) / 7),
    "date": (pa.date32(), lambda i: dt.date(1980, 1, 1) + dt.timedelta(days=_scattered(i))),
    "micros": (pa.timestamp("us", "UTC"), lambda i: EPOCH + dt.timedelta(seconds=_scattered(i))),
    "millis": (pa.timestamp("ms", "UTC"), lambda i: EPOCH + dt.timedelta(seconds=_scattered(i))),
    "local": (pa.timestamp("us"), lambda i: EPOCH + dt.timedelta(seconds=_scattered(i))),
    "decimal9": (pa.decimal128(9, 2), lambda i: decimal.Decimal(_scattered(i)) / 4),
    "decimal18": (pa.decimal128(18, 2), lambda i: decimal.Decimal(_scattered(i)) * 10**9),
    "decimal30": (pa.decimal128(30, 2), lambda i: decimal.Decimal(_scattered(i)) * 10**20),
    "string": (pa.string(), lambda i: f"{'ab' * (i % 4)}{i}"),
    "binary": (pa.binary(), lambda i: b"%d" % _scattered(i) * (i % 3)),
    "fixed": (pa.binary(7), lambda i: b"%07d" % _scattered(i)),
}
INT96_TYPES = {"int96": TYPES["micros"]}
_DECLARED: dict[str, tuple[pa.DataType, Callable[[int], Any], str, tuple[int, int]]] = {
    "json": (pa.json_(), lambda i: f'{{"a": {i}}}', "STRING", (3, 5)),
    "uuid": (pa.uuid(), lambda i: b"%016d" % _scattered(i), "BINARY", (3, 5)),
    "half": (pa.float16(), lambda i: i / 2, "BINARY", (4, 0)),
    "timemillis": (pa.time32("ms"), lambda i: _scattered(i) * 1000, "INT", (3, 5)),
    "timemicros": (pa.time64("us"), lambda i: _scattered(i) * 10**6, "BIGINT", (3, 5)),
    "timenanos": (pa.time64("ns"), lambda i: _scattered(i) * 10**9, "BIGINT", (3, 5)),
    "time": (pa.time64("us"), lambda i: _scattered(i) * 10**6, "TIME(6)", (4, 2)),
    "nanos": (pa.timestamp("ns", "UTC"), TYPES["micros"][1], "BIGINT", (3, 5)),
}
"""Types that are read with a declared schema: no Spark infers one for UUID, FLOAT16 or TIME.

Each has its type in the schema, and the first Spark that reads it. 4.1 has no JSON of TIME.
"""
DECLARED_TYPES = {name: of[:2] for name, of in _DECLARED.items()}
SQL_TYPES = {name: sql for name, (_, _, sql, since) in _DECLARED.items() if since <= LINE}
_ALL_TYPES = {**TYPES, **INT96_TYPES, **DECLARED_TYPES}
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
TIMES = ("date", "micros", "millis", "local")
DECLARED_TIMES = ("timemillis", "timemicros", "timenanos", "time", "nanos")
SHAPES = ("flat", "struct", "list", "map")
NULLS = ("none", "some", "all")
WITHOUT_BYTE_STREAMS = {
    "DICTIONARY": [name for name in TYPES if name != "bool"],
    "RUNS": [name for name in TYPES if name != "bool"],
    "PLAIN": list(TYPES),
    "RLE": ["bool"],
    "DELTA_BINARY_PACKED": [*INTEGERS, *TIMES],
    "DELTA_LENGTH_BYTE_ARRAY": ["string", "binary"],
    "DELTA_BYTE_ARRAY": ["string", "binary", "fixed", "decimal30"],
}
"""The types of each encoding. RUNS is a dictionary with few values, in long runs."""
INT96 = {encoding: list(INT96_TYPES) for encoding in ("DICTIONARY", "RUNS", "PLAIN")}
DECLARED = {
    "DICTIONARY": list(DECLARED_TYPES),
    "RUNS": list(DECLARED_TYPES),
    "PLAIN": list(DECLARED_TYPES),
    "DELTA_BINARY_PACKED": list(DECLARED_TIMES),
    "DELTA_LENGTH_BYTE_ARRAY": ["json"],
    "DELTA_BYTE_ARRAY": ["json", "uuid", "half"],
}
BYTE_STREAMS = {
    "BYTE_STREAM_SPLIT": [
        *("float", "double", "int32", "int64", "date", "micros"),
        *("fixed", "decimal30", "uuid", "half"),
        *DECLARED_TIMES,
    ]
}
READS_BYTE_STREAMS = LINE >= (4, 3)


@dataclass(frozen=True)
class Cell:
    """One column of a file."""

    encoding: str
    type: str
    nulls: str
    shape: str

    @classmethod
    def named(cls, name: str) -> Cell:
        """Return the column with this name."""
        return cls(*name.rsplit("_", 3))

    @property
    def name(self) -> str:
        """Its name in the file."""
        return f"{self.encoding}_{self.type}_{self.nulls}_{self.shape}"

    @property
    def path(self) -> str:
        """The path of its values in the file."""
        below = {"struct": ".x", "list": ".list.element", "map": ".key_value.value"}
        return self.name + below.get(self.shape, "")

    @property
    def path_in_rust(self) -> tuple[str, ...]:
        """The same path in a file of arrow-rs."""
        path = self.path.replace(".key_value.", ".entries.").replace(".element", ".item")
        return tuple(path.split("."))

    @property
    def has_dictionary(self) -> bool:
        """Whether its values are in a dictionary."""
        return self.encoding in ("DICTIONARY", "RUNS")

    @property
    def is_repeated(self) -> bool:
        """Whether a row has many values."""
        return self.shape in ("list", "map")

    @property
    def group(self) -> str:
        """What the columns of a file have in common."""
        if self.type in DECLARED_TYPES:
            return "declared"
        if self.encoding == "BYTE_STREAM_SPLIT":
            return "split"
        return "int96" if self.type in INT96_TYPES else "inferred"

    @property
    def is_read(self) -> bool:
        """Whether this Spark reads it."""
        is_type_read = self.group != "declared" or self.type in SQL_TYPES
        return is_type_read and (READS_BYTE_STREAMS or self.encoding != "BYTE_STREAM_SPLIT")

    @property
    def ddl(self) -> str:
        """Its declaration in a schema."""
        kind = SQL_TYPES[self.type]
        of = {"struct": f"STRUCT<x: {kind}>", "list": f"ARRAY<{kind}>", "map": f"MAP<INT, {kind}>"}
        return f"{self.name} {of.get(self.shape, kind)}"

    @property
    def fields(self) -> int:
        """The number of fields that Spark counts."""
        return {"flat": 1, "struct": 2, "list": 1, "map": 2}[self.shape]

    def values(self) -> pa.Array:
        """Return its values, of which no two are the same, where the type has enough of them."""
        kind, of_row = _ALL_TYPES[self.type]
        stored = kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind
        distance = 37 if self.encoding == "RUNS" else 1

        def leaf(i: int) -> Any:
            is_null = self.nulls == "some" and (i % 5 == 0 or 200 <= i < 330)
            return None if self.nulls == "all" or is_null else of_row(i // distance)

        def row(i: int) -> Any:
            if self.shape == "flat":
                return leaf(i)
            if self.nulls in ("some", "all") and i % 7 == 3:
                return None
            if self.shape == "struct":
                return {"x": leaf(i)}
            if self.shape == "list":
                return [leaf(i + k) for k in range(i % 4)]
            return [(4 * i + k, leaf(i + k)) for k in range(i % 3)]

        return pa.array(map(row, range(ROWS)), self._of(stored)).cast(self._of(kind))

    def _of(self, kind: pa.DataType) -> pa.DataType:
        """Return its type in Arrow, with values of this type."""
        lists = {"list": pa.list_(kind), "map": pa.map_(pa.int32(), kind)}
        return {"struct": pa.struct([("x", kind)]), **lists}.get(self.shape, kind)


KINDS = [*itertools.product(NULLS, SHAPES), ("required", "flat")]


def cells(encodings: dict[str, list[str]], of_each: int = len(KINDS), first: int = 0) -> list[Cell]:
    """Return cells of all encodings and types, each with some of the kinds of nulls and shapes.

    Args:
        encodings: The types of each encoding.
        of_each: How many kinds each of them has.
        first: The kind to begin with; the others follow in turns.
    """
    pairs = [(encoding, kind) for encoding, types in encodings.items() for kind in types]
    # 5 and 13 have no common divisor.
    chosen = [
        [KINDS[(first + at + n) * 5 % len(KINDS)] for n in range(of_each)]
        for at in range(len(pairs))
    ]
    return [
        Cell(encoding, kind, nulls, shape)
        for (encoding, kind), kinds in zip(pairs, chosen, strict=True)
        for nulls, shape in kinds
    ]


def in_files(all_cells: Sequence[Cell], fields: int = MOST_FIELDS) -> Iterator[list[Cell]]:
    """Distribute cells to files that Spark reads in batches, each with cells of one group."""
    part: list[Cell] = []
    for cell in sorted(all_cells, key=lambda cell: cell.group):
        is_full = sum(c.fields for c in part) + cell.fields > fields
        if part and (is_full or cell.group != part[0].group):
            yield part
            part = []
        part.append(cell)
    yield part


def key(row: int) -> str:
    """Return a row's key."""
    return f"{row:05d}{PADDING}"


def table(of: Sequence[Cell]) -> pa.Table:
    """Return a table of these columns, with a key and with whether a row's position is odd."""
    keys = pa.array([key(i) for i in range(ROWS)])
    odd = pa.array([f"{i % 2:05d}{PADDING}" for i in range(ROWS)])
    fields = [pa.field("key", pa.string()), pa.field("odd", pa.string())]
    arrays = [cell.values() for cell in of]
    fields += [
        pa.field(cell.name, array.type, nullable=cell.nulls != "required")
        for cell, array in zip(of, arrays, strict=True)
    ]
    return pa.table([keys, odd, *arrays], pa.schema(fields))


def by_pyarrow(path: Path, of: Sequence[Cell], version: int, page: int) -> None:
    """Write the columns in their encodings."""
    by_dictionary = [cell.path for cell in of if cell.has_dictionary]
    others = {cell.path: cell.encoding for cell in of if cell.path not in by_dictionary}
    pq.write_table(
        table(of),
        path,
        data_page_version=f"{version}.0",
        use_dictionary=by_dictionary,
        column_encoding=others,
        write_page_index=True,
        max_rows_per_page=ROWS_OF_PAGE if page == SMALL_PAGES else ROWS + 1,
        data_page_size=page,
        write_batch_size=1,
        use_deprecated_int96_timestamps=of[0].group == "int96",
    )


def by_spark(spark: SparkSession, path: Path, source: Path, version: int, page: int) -> None:
    """Write a file's columns anew, without dictionaries or with them, as their names say.

    The version determines the other encodings. A file has byte streams in all columns or none.
    """
    frame = spark.read.parquet(str(source))
    writer = frame.coalesce(1).write.option("parquet.writer.version", f"PARQUET_{version}_0")
    names = [name for name in frame.columns if not name.startswith(("DICTIONARY", "RUNS"))]
    paths = (".x", ".list.element", ".key_value.value", ".key_value.key", "")
    for name in names:
        for below in paths:
            writer = writer.option(f"parquet.enable.dictionary#{name}{below}", "false")
    are_split = any(name.startswith("BYTE_STREAM_SPLIT") for name in names)
    (
        writer.option("parquet.page.size", page)
        .option("parquet.page.row.count.limit", ROWS_OF_PAGE if page == SMALL_PAGES else ROWS + 1)
        .option("parquet.page.size.row.check.min", 1)
        .option("parquet.page.size.row.check.max", 1)
        .option("parquet.enable.bytestreamsplit", str(are_split).lower())
        .parquet(str(path))
    )
