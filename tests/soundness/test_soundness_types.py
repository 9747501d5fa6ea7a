"""What must never be proved where a file's types, columns or calendar are not the table's."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from support.runs import conf, hold_each
from support.sparks import needs_spark
from support.tables import one_column, write

pytestmark = pytest.mark.usefixtures("statistics_alone")

needs_widening = needs_spark("reader of columns that were widened")


def read_as(spark: SparkSession, path: Path, kind: str) -> None:
    """Register the file or folder as ``t``, with the column ``c`` of this type."""
    frame = spark.read.schema(f"id BIGINT, c {kind}").parquet(str(path))
    frame.createOrReplaceTempView("t")


@needs_widening
def test_line_25_literals_beyond_the_file_s_type(spark: SparkSession, tmp_path: Path) -> None:
    table = one_column(tmp_path, pa.int32(), [[-5, 7], [2**31 - 1, 2**31 - 1], [-(2**31), None]])
    bounds = (2**63 - 1, -(2**63) + 1, 2**31, 2**32 + 7)
    predicates = [f"c {op} {bound}L" for bound in bounds for op in ("<", ">", "<>")]
    for kind in ("BIGINT", "INT", "DOUBLE", "DECIMAL(20, 0)"):
        read_as(spark, table.path, kind)
        hold_each(spark, "t", predicates, 2)


DECIMALS = [Decimal("1.50"), Decimal("-2.25"), Decimal("7.00"), Decimal("7.00")]
INSTANTS = [datetime(2024, 1, 1), datetime(2024, 1, 3), datetime(2024, 1, 2), datetime(2024, 1, 2)]
# Of each: the type in the file, in the table, the values, and literals to compare with.
OTHER_TYPES: dict[str, tuple[pa.DataType, str, list[Any], list[str]]] = {
    "int as bigint": (pa.int32(), "BIGINT", [-1, 5, 7, 7], ["7", "-1"]),
    "int as double": (pa.int32(), "DOUBLE", [-1, 5, 7, 7], ["7D", "-1D"]),
    "short as int": (pa.int16(), "INT", [-1, 5, 7, 7], ["7", "-1"]),
    "int as decimal": (pa.int32(), "DECIMAL(12, 2)", [-1, 5, 7, 7], ["7BD", "-1.00BD"]),
    "uint32 as bigint": (pa.uint32(), "BIGINT", [1, 2**31 + 5, 7, 7], ["7", str(2**31)]),
    "uint8 as short": (pa.uint8(), "SMALLINT", [1, 200, 7, 7], ["7", "128"]),
    "float as double": (pa.float32(), "DOUBLE", [0.1, -1.5, 7.0, 7.0], ["0.1D", "7D"]),
    "decimal scale": (pa.decimal128(9, 2), "DECIMAL(14, 4)", DECIMALS, ["7BD", "-2.2500BD"]),
    "decimal precision": (pa.decimal128(9, 2), "DECIMAL(20, 2)", DECIMALS, ["7BD", "0.00BD"]),
    "binary as string": (pa.binary(), "STRING", [b"a", b"\xff", b"z", b"z"], ["'z'", "'a'"]),
    "string as binary": (pa.string(), "BINARY", ["a", "é", "z", "z"], ["X'7a'", "X'61'"]),
    "milliseconds": (pa.timestamp("ms", "UTC"), "TIMESTAMP", INSTANTS, ["TIMESTAMP'2024-01-02'"]),
    "local as instant": (pa.timestamp("us"), "TIMESTAMP", INSTANTS, ["TIMESTAMP'2024-01-02'"]),
    "local": (pa.timestamp("us"), "TIMESTAMP_NTZ", INSTANTS, ["TIMESTAMP_NTZ'2024-01-02'"]),
    "nanoseconds": (pa.timestamp("ns"), "BIGINT", INSTANTS, ["1704153600000000000", "0"]),
    "date as local": (
        pa.date32(),
        "TIMESTAMP_NTZ",
        [instant.date() for instant in INSTANTS],
        ["TIMESTAMP_NTZ'2024-01-02'"],
    ),
}


WIDENED = {
    "int as bigint",
    "int as double",
    "int as decimal",
    "float as double",
    "decimal scale",
    "date as local",
}


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=needs_widening) if kind in WIDENED else kind for kind in OTHER_TYPES],
)
def test_line_29_the_file_s_type_is_not_the_table_s(
    spark: SparkSession, tmp_path: Path, kind: str
) -> None:
    stored, declared, values, literals = OTHER_TYPES[kind]
    table = one_column(tmp_path, stored, [values[:2], values[2:]])
    read_as(spark, table.path, declared)
    with conf(
        spark,
        {
            "spark.sql.session.timeZone": "America/Los_Angeles",
            "spark.sql.legacy.parquet.nanosAsLong": "true",
        },
    ):
        predicates = [f"c {op} {literal}" for literal in literals for op in ("<=", ">=", "<>")]
        hold_each(spark, "t", predicates, 2)


def test_line_28_a_column_added_with_a_default(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE defaults (id BIGINT) USING parquet")
    try:
        spark.sql("INSERT INTO defaults SELECT id FROM range(0, 3, 1, 1)")
        spark.sql("ALTER TABLE defaults ADD COLUMN c INT DEFAULT 7")
        spark.sql("INSERT INTO defaults SELECT id, 9 FROM range(3, 6, 1, 1)")
        spark.sql("INSERT INTO defaults SELECT id, NULL FROM range(6, 8, 1, 1)")
        predicates = ["c IS NULL", "c = 7", "c <> 7", "c IS NOT NULL", "c <=> NULL", "c > 8"]
        for limit in (2, 3, 6):
            hold_each(spark, "defaults", predicates, limit)
    finally:
        spark.sql("DROP TABLE defaults")


ANCIENT = ["1000-01-01", "1000-01-01", "1582-10-04", "1582-10-15", "2024-01-01", "0001-01-01"]
REBASE = "spark.sql.parquet.{}RebaseModeInWrite"


@pytest.mark.parametrize("mode", ["LEGACY", "CORRECTED"])
@pytest.mark.parametrize("stored", ["INT96", "TIMESTAMP_MICROS", "TIMESTAMP_MILLIS"])
def test_line_32_calendars_of_files_by_spark(
    spark: SparkSession, tmp_path: Path, mode: str, stored: str
) -> None:
    settings = {
        REBASE.format("datetime"): mode,
        REBASE.format("int96"): mode,
        "spark.sql.parquet.outputTimestampType": stored,
    }
    rows = ", ".join(f"({n}, '{day}', '{day} 12:00:00')" for n, day in enumerate(ANCIENT))
    typed = "id, CAST(d AS DATE) AS d, CAST(ts AS TIMESTAMP) AS ts"
    with conf(spark, settings):
        frame = spark.sql(f"SELECT {typed} FROM VALUES {rows} AS v(id, d, ts)")
        frame.coalesce(1).write.partitionBy("id").parquet(str(tmp_path / "t"))
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("t")
    tests = [(op, day) for op in ("<>", "<", ">=") for day in ("1000-01-01", "1582-10-04")]
    days = [f"d {op} DATE'{day}'" for op, day in tests]
    instants = [f"ts {op} TIMESTAMP'{day} 12:00:00'" for op, day in tests]
    hold_each(spark, "t", days + instants, 3)


@pytest.mark.parametrize("mode", ["LEGACY", "CORRECTED"])
def test_line_32_calendars_of_files_that_do_not_tell(
    spark: SparkSession, tmp_path: Path, mode: str
) -> None:
    days = [[date(1000, 1, 1)] * 2, [date(1582, 10, 15)] * 2, [date(2024, 1, 1)] * 2]
    one_column(tmp_path, pa.date32(), days)
    frame = spark.read.option("datetimeRebaseMode", mode).parquet(str(tmp_path))
    frame.createOrReplaceTempView("t")
    tests = [(op, day) for op in ("<>", "<", ">=") for day in ("1000-01-01", "0999-12-26")]
    hold_each(spark, "t", [f"c {op} DATE'{day}'" for op, day in tests], 2)


def test_line_32_merged_schemas(spark: SparkSession, tmp_path: Path) -> None:
    narrow = pa.schema([("id", pa.int64()), ("a", pa.int32())])
    wide = pa.schema([("b", pa.int32()), ("id", pa.int64()), ("a", pa.int32())])
    write(tmp_path / "t" / "1.parquet", [{"id": [0, 1], "a": [5, 6]}], narrow)
    write(tmp_path / "t" / "2.parquet", [{"id": [2, 3], "a": [7, 8], "b": [1, 1]}], wide)
    frame = spark.read.option("mergeSchema", "true").parquet(str(tmp_path / "t"))
    frame.createOrReplaceTempView("t")
    predicates = ["a > 4", "b = 1", "b IS NULL", "b <> 5", "a > 5 AND b <=> 1"]
    for limit in (2, 4):
        hold_each(spark, "t", predicates, limit)
