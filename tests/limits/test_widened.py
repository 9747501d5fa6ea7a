"""Files of a narrower type than the table's, as they are left behind when a column is widened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support import tables
from support.runs import REFERENCE, VECTORIZED, VECTORIZED_NESTED, as_dicts, conf, on_off
from support.sparks import needs_spark

pytestmark = needs_spark("reader of columns that were widened")


@dataclass(frozen=True)
class Widening:
    """A type of file, the type of the table, and the values of four row groups of ten rows.

    Attributes:
        covered: whether bounds of the file are believed.
        low, high: Two literals: the second and third row group lie between them.
    """

    arrow: pa.DataType
    spark: str
    make: Callable[[int], Any]
    low: str
    high: str
    covered: bool = True


def decimals(scale: int) -> Callable[[int], Any]:
    """Return the numbers -10.00 ... 29.00 of one scale."""
    return lambda n: Decimal(n - 10).quantize(Decimal(1).scaleb(-scale))


def number(n: int) -> int:
    """Return -10 ... 29."""
    return n - 10


WIDENINGS = {
    "byte to long": Widening(pa.int8(), "BIGINT", number, "0", "19"),
    "short to long": Widening(pa.int16(), "BIGINT", number, "0", "19"),
    "int to long": Widening(pa.int32(), "BIGINT", number, "0", "19"),
    "byte to int": Widening(pa.int8(), "INT", number, "0", "19"),
    "int to double": Widening(pa.int32(), "DOUBLE", number, "-0.5D", "19.5D"),
    "int to decimal": Widening(pa.int32(), "DECIMAL(10,0)", number, "0", "19"),
    "int to decimal with scale": Widening(pa.int32(), "DECIMAL(14,3)", number, "-0.001", "19.001"),
    "int to wide decimal": Widening(pa.int16(), "DECIMAL(25,2)", number, "-0.01", "19.01"),
    "long to decimal": Widening(pa.int64(), "DECIMAL(20,0)", number, "0", "19"),
    "long to decimal with scale": Widening(pa.int64(), "DECIMAL(24,4)", number, "-0.01", "19.01"),
    "float to double": Widening(pa.float32(), "DOUBLE", lambda n: n / 4, "2.5D", "1e300D", False),
    "date to ntz": Widening(
        pa.date32(),
        "TIMESTAMP_NTZ",
        lambda n: date(2024, 1, 1) + timedelta(n),
        "TIMESTAMP_NTZ'2024-01-10 00:00:00.000001'",
        "TIMESTAMP_NTZ'2024-01-30 23:00:00'",
    ),
    "decimal, 9 digits": Widening(pa.decimal128(5, 2), "DECIMAL(9,2)", decimals(2), "0", "19"),
    "decimal, 18 digits, scale": Widening(
        pa.decimal128(5, 2), "DECIMAL(12,4)", decimals(2), "0", "19.0001"
    ),
    "decimal, 9 digits, scale": Widening(
        pa.decimal128(5, 2), "DECIMAL(7,4)", decimals(2), "0", "19.0001"
    ),
    "decimal of long, scale": Widening(
        pa.decimal128(15, 2), "DECIMAL(18,3)", decimals(2), "0", "19"
    ),
    "decimal of long, wide": Widening(
        pa.decimal128(15, 2), "DECIMAL(30,2)", decimals(2), "0", "19"
    ),
    "decimal of bytes": Widening(pa.decimal128(7, 2), "DECIMAL(9,2)", decimals(2), "0", "19"),
    "decimal of bytes, scale": Widening(
        pa.decimal128(7, 2), "DECIMAL(12,5)", decimals(2), "0", "19"
    ),
    "decimal of bytes, wide": Widening(
        pa.decimal128(7, 2), "DECIMAL(30,5)", decimals(2), "0", "19"
    ),
    "wide decimal": Widening(pa.decimal128(22, 2), "DECIMAL(30,4)", decimals(2), "0", "19"),
}


@pytest.fixture(params=[True, False], ids=["vectorized", "row by row"])
def reader(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[None]:
    """Read with either of Spark's two readers."""
    flag = str(request.param).lower()
    with conf(spark, {VECTORIZED: flag, VECTORIZED_NESTED: flag}):
        yield


def write(path: Path, **options: Any) -> Path:
    """Write four row groups of rising values in every column and field; nulls in the last."""
    columns = list(enumerate(WIDENINGS.values()))
    struct = pa.struct([(f"f{number}", widening.arrow) for number, widening in columns])
    flat = [(f"c{number}", widening.arrow) for number, widening in columns]
    schema = pa.schema([("id", pa.int64()), *flat, ("s", struct)])
    groups = []
    for first in (0, 10, 20, 30):
        rows = range(first, first + 10)
        group: dict[str, list[Any]] = {"id": list(rows), "s": [{} for _ in rows]}
        for number, widening in columns:
            values = [None if n == 33 else widening.make(n) for n in rows]
            group[f"c{number}"] = values
            for struct_of_row, value in zip(group["s"], values, strict=True):
                struct_of_row[f"f{number}"] = value
        groups.append(group)
    return tables.write(path / "t.parquet", groups, schema, **options)


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("as_integers", [True, False], ids=["integers", "bytes"])
@pytest.mark.parametrize("dictionary", [True, False], ids=["dictionary", "plain"])
def test_a_widened_column_gives_what_plain_spark_gives(
    spark: SparkSession, tmp_path: Path, dictionary: bool, as_integers: bool
) -> None:
    file = write(tmp_path, use_dictionary=dictionary, store_decimal_as_integer=as_integers)
    columns = list(enumerate(WIDENINGS.values()))
    flat = ", ".join(f"c{number} {widening.spark}" for number, widening in columns)
    fields = ", ".join(f"f{number}: {widening.spark}" for number, widening in columns)
    ddl = f"id BIGINT, {flat}, s STRUCT<{fields}>"
    spark.read.schema(ddl).parquet(str(file)).createOrReplaceTempView("t")
    marks = ", ".join(
        f"c{number} BETWEEN {widening.low} AND {widening.high} AS m{number}"
        for number, widening in columns
    )
    with conf(spark, REFERENCE):
        plain = {row["id"]: row for row in as_dicts(spark.sql(f"SELECT *, {marks} FROM t"))}
    for number, (name, widening) in enumerate(WIDENINGS.items()):
        matching = {key for key, row in plain.items() if row[f"m{number}"]}
        for column in (f"c{number}", f"s.f{number}"):
            between = f"{column} BETWEEN {widening.low} AND {widening.high}"
            query = f"SELECT id, {column} AS v FROM t WHERE {between}"
            with conf(spark, {"spark.limitPruning.planning.maxBytes": "0"}):
                pruned = spark.sql(f"{query} LIMIT 20")
                rows = as_dicts(pruned)
            assert len(rows) == min(20, len(matching)), name
            assert {row["id"] for row in rows} <= matching, name
            assert all(row["v"] == plain[row["id"]][f"c{number}"] for row in rows), name
            report = limit_pruning.report(pruned).only
            assert report.covered == widening.covered, name
            assert not widening.covered or report.row_groups.fully_matched == 2, name


@pytest.mark.usefixtures("reader")
def test_line_25_a_literal_beyond_the_type_of_the_file(spark: SparkSession, tmp_path: Path) -> None:
    file = write(tmp_path)
    number = list(WIDENINGS).index("int to long")
    schema = f"id BIGINT, c{number} BIGINT"
    spark.read.schema(schema).parquet(str(file)).createOrReplaceTempView("t")
    for literal in (2**63 - 1, 2**32 + 5, -(2**32) + 5):
        for op in ("<", ">", "=", "<>"):
            query = f"SELECT id FROM t WHERE c{number} {op} {literal}L"
            with conf(spark, REFERENCE):
                matching = {row["id"] for row in as_dicts(spark.sql(query))}
            rows = on_off(spark, f"{query} LIMIT 15").on
            assert len(rows) == min(15, len(matching))
            assert {row["id"] for row in rows} <= matching
    below = f"SELECT id FROM t WHERE c{number} < 9223372036854775807 LIMIT 5"
    assert on_off(spark, below).report.only.covered
