"""What must never be proved about casts, collations, padding and time zones."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support.runs import conf, hold_each, hold_sql
from support.sparks import QUERY_ERRORS, needs_spark
from support.tables import one_column

pytestmark = pytest.mark.usefixtures("statistics_alone")

ANSI = "spark.sql.ansi.enabled"
ZONE = "spark.sql.session.timeZone"
NEW_YORK, ST_JOHNS = "America/New_York", "America/St_Johns"
# Of each: the type, the values, first and last of which are bounds, and what holds for these.
NOT_MONOTONE: dict[str, tuple[pa.DataType, list[Any], str]] = {
    "string to int": (pa.string(), ["1", "10", "2"], "cast(c AS INT) <= 2"),
    "string to double": (pa.string(), ["1", "1e3", "2"], "cast(c AS DOUBLE) <= 2"),
    "string to date": (
        pa.string(),
        ["2024-01-02", "2024-1-30", "2024-1-4"],
        "cast(c AS DATE) <= DATE'2024-01-04'",
    ),
    "string to timestamp": (
        pa.string(),
        ["2024-01-02", "2024-1-30", "2024-1-4"],
        "cast(c AS TIMESTAMP) <= TIMESTAMP'2024-01-04 00:00:00'",
    ),
    "int to string": (pa.int32(), [1, 50, 200], "cast(c AS STRING) <= '200'"),
    "long to int": (pa.int64(), [1, 2**31 + 5, 2**32 + 7], "cast(c AS INT) > 0"),
    "int to short": (pa.int32(), [1, 2**15 + 5, 2**16 + 7], "cast(c AS SMALLINT) > 0"),
    "double to int": (pa.float64(), [1.0, float("nan"), 3.0], "cast(c AS INT) >= 1"),
    "double to decimal": (pa.float64(), [1.0, 1e30, 3.0], "cast(c AS DECIMAL(9, 2)) IS NOT NULL"),
    "sum": (pa.int32(), [1, 2, 2**31 - 1], "c + 1 > 0"),
    "difference": (pa.int64(), [-(2**63), 2, 100], "1 - c < 2"),
    "product": (pa.int32(), [1, 2**29, 2**30 + 1], "c * 4 > 0"),
    "negation": (pa.int32(), [-(2**31), 2, 100], "-c <= 0 OR c > 0"),
}


@pytest.mark.parametrize("ansi", ["true", "false"])
@pytest.mark.parametrize("kind", NOT_MONOTONE)
def test_line_24_casts_and_overflows(
    spark: SparkSession, tmp_path: Path, kind: str, ansi: str
) -> None:
    arrow, values, predicate = NOT_MONOTONE[kind]
    one_column(tmp_path, arrow, [values]).register(spark)
    query = f"SELECT id FROM t WHERE {predicate}"
    with conf(spark, {ANSI: ansi}):
        assert not limit_pruning.report(spark.sql(f"{query} LIMIT 2")).only.covered
        try:
            spark.sql(query).collect()
        except QUERY_ERRORS:
            assert ansi == "true"
        else:
            hold_sql(spark, query, 2)


def test_line_24_timestamps_as_strings_where_clocks_are_set_back(
    spark: SparkSession, tmp_path: Path
) -> None:
    instants = [datetime(2024, 11, 3, 5, 30), datetime(2024, 11, 3, 5, 59)]
    last = datetime(2024, 11, 3, 6, 31)  # 01:31 in New York, after 01:59
    one_column(tmp_path, pa.timestamp("us", "UTC"), [[*instants, last]]).register(spark)
    with conf(spark, {ZONE: NEW_YORK}):
        predicates = [
            "cast(c AS STRING) <= '2024-11-03 01:31:00'",
            "date_format(c, 'HH:mm') <= '01:31'",
            "minute(c) <= 31",
            "date_trunc('MINUTE', c) <= TIMESTAMP_NTZ'2024-11-03 01:31:00'",
            "cast(c AS TIMESTAMP_NTZ) <= TIMESTAMP_NTZ'2024-11-03 01:31:00'",
        ]
        assert not any(hold_each(spark, "t", predicates, 3).values())


def test_line_26_local_dates_of_the_session_s_time_zone(
    spark: SparkSession, tmp_path: Path
) -> None:
    # St. John's set its clocks back at 00:01, so the second of these is on the day before.
    instants = [(2, 30, 30), (3, 0, 0), (4, 0, 0)]
    values = [datetime(2010, 11, 7, *instant) for instant in instants]
    one_column(tmp_path, pa.timestamp("us", "UTC"), [values]).register(spark)
    predicates = [
        "to_date(c) = DATE'2010-11-07'",
        "cast(c AS DATE) >= DATE'2010-11-07'",
        "date_trunc('DAY', c) >= TIMESTAMP'2010-11-07 00:00:00'",
        "day(c) = 7",
        "hour(c) < 12",
        "c >= '2010-11-07 00:00:00'",
        "c >= DATE'2010-11-07'",
        # Spark itself turns comparisons of the date alone into comparisons of instants.
        "date_add(to_date(c), 1) = DATE'2010-11-08'",
    ]
    for zone in (ST_JOHNS, "UTC", "Pacific/Apia", "America/Los_Angeles"):
        with conf(spark, {ZONE: zone}):
            covered = hold_each(spark, "t", predicates, 3)
            assert covered[predicates[-1]] == (zone != ST_JOHNS), zone


TRIM_COLLATIONS = {"spark.sql.collation.trim.enabled": "true"}  # Spark 4.0 wants to be asked


@needs_spark("collations")
@pytest.mark.parametrize("collation", ["UTF8_LCASE", "UNICODE_CI", "UNICODE", "UTF8_BINARY_RTRIM"])
def test_line_26_collations_order_otherwise_than_bytes(
    spark: SparkSession, tmp_path: Path, collation: str
) -> None:
    groups: list[list[Any]] = [
        ["B", "a", "b"],
        ["a ", "a", "a  "],
        ["Z", "Z", "z"],
        ["é", "É", "e"],
    ]
    table = one_column(tmp_path, pa.string(), groups)
    schema = f"id BIGINT, c STRING COLLATE {collation}"
    spark.read.schema(schema).parquet(str(table.path)).createOrReplaceTempView("collated")
    table.register(spark)
    predicates = [
        *("{} >= 'B'", "{} <= 'b'", "{} = 'a'", "{} <> 'z'", "{} <> 'A'", "{} IN ('A', 'Z')"),
        *(
            "startswith({}, 'a')",
            "{} < 'a!'",
            "{} <=> 'Z'",
            "NOT {} > 'b'",
            "{0} >= 'A' AND {0} <= 'Z'",  # as BETWEEN, which Spark 4.0 refuses for collations
        ),
    ]
    for view, column in (("collated", "c"), ("t", f"c COLLATE {collation}")):
        written = [predicate.format(column) for predicate in predicates]
        with conf(spark, TRIM_COLLATIONS):
            covered = hold_each(spark, view, written, 3)
        assert not any(covered.values()), covered


def test_line_26_padded_chars(spark: SparkSession, tmp_path: Path) -> None:
    one_column(tmp_path, pa.string(), [["a", "a   ", "b"], ["b", "b ", "c    "]])
    location = f"USING parquet LOCATION '{tmp_path}'"
    spark.sql(f"CREATE TABLE padded (id BIGINT, c CHAR(5)) {location}")
    equal = ["c = 'a'", "c >= 'b  '", "c <> 'b'", "c < 'b '", "c IN ('b', 'c')"]
    predicates = [*equal, "concat(c, '') > 'a  '", "length(c) = 5", "c || 'x' < 'b'"]
    try:
        for side in ("true", "false"):
            with conf(spark, {"spark.sql.readSideCharPadding": side}):
                hold_each(spark, "padded", predicates, 3)
    finally:
        spark.sql("DROP TABLE padded")
