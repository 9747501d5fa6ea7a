"""ORDER BY a float: NaN sorts last, so the first rows in ascending order are not among NaN."""

from __future__ import annotations

import math
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support.runs import REFERENCE, VECTORIZED, conf
from support.tables import write

NAN = math.nan
ROWS, GROUPS = 200, 16


def clustered(group: int, kind: str) -> list[float | None]:
    """Return the values of a row group, sorted after those of the one before."""
    values: list[float | None] = [group * 10 - 40 + row * 37 % ROWS / 16 for row in range(ROWS)]
    if kind in ("NaN", "NaN and nulls"):
        values[::7] = [NAN] * len(values[::7])
    if kind in ("nulls", "NaN and nulls"):
        values[::5] = [None] * len(values[::5])
    if kind == "zeros" and group == 4:
        values = [-0.0 if row % 2 else 0.0 for row in range(ROWS)]
    return values


def table(spark: SparkSession, folder: Path, kind: str, of: pa.DataType) -> None:
    """Write and register a table of four files, each of four row groups without dictionaries."""
    schema = pa.schema([("id", pa.int64()), ("x", of)])
    for file in range(4):
        groups = [
            {
                "id": list(range(group * ROWS, (group + 1) * ROWS)),
                "x": [NAN] * ROWS if kind == "only NaN" and group < 3 else clustered(group, kind),
            }
            for group in range(file * 4, file * 4 + 4)
        ]
        write(folder / f"{file}.parquet", groups, schema, use_dictionary=False)
    spark.read.parquet(str(folder)).createOrReplaceTempView("floats")


KINDS = ["plain", "NaN", "nulls", "NaN and nulls", "only NaN", "zeros"]


@pytest.mark.usefixtures("statistics_alone")
@pytest.mark.parametrize(
    ("kind", "of"), [*((kind, pa.float64()) for kind in KINDS), ("NaN and nulls", pa.float32())]
)
def test_ascending_row_groups_are_skipped_while_reading(
    spark: SparkSession, tmp_path: Path, kind: str, of: pa.DataType
) -> None:
    table(spark, tmp_path / "t", kind, of)
    for nulls in ("FIRST", "LAST"):
        for where in ("", "WHERE id % 2 = 0", "WHERE x IS NOT NULL", "WHERE x > -1000"):
            for limit in (1, 7, 300):
                query = f"SELECT x FROM floats {where} ORDER BY x NULLS {nulls} LIMIT {limit}"
                df = spark.sql(query)
                rows = list(map(repr, df.collect()))
                with conf(spark, REFERENCE):
                    assert rows == list(map(repr, spark.sql(query).collect())), query
                report = limit_pruning.report(df).only
                has_nulls = (
                    "null" in kind and nulls == "FIRST" and where in ("", "WHERE id % 2 = 0")
                )
                if not has_nulls:
                    assert report.covered, (query, report)
                    assert report.threshold is None
                    assert report.row_groups.skipped is not None
                    assert report.row_groups.skipped >= GROUPS // 4, (query, report)


@pytest.mark.usefixtures("statistics_alone")
@pytest.mark.parametrize("vectorized", ["true", "false"])
def test_descending_nothing_is_skipped(
    spark: SparkSession, tmp_path: Path, vectorized: str
) -> None:
    table(spark, tmp_path / "t", "NaN", pa.float64())
    with conf(spark, {VECTORIZED: vectorized}):
        df = spark.sql("SELECT id FROM floats ORDER BY x DESC, id LIMIT 3")
        assert [row.id for row in df.collect()] == [0, 7, 14]
        reason = limit_pruning.report(df).only.reason
    assert reason is not None
    assert reason.code == "key-not-clustered"
    assert "x may be NaN" in reason.message


@pytest.mark.usefixtures("statistics_alone")
def test_values_from_everywhere_are_left_to_spark(spark: SparkSession, tmp_path: Path) -> None:
    schema = pa.schema([("id", pa.int64()), ("x", pa.float64())])
    groups = [
        {"id": list(range(ROWS)), "x": [float(row * 7 % 101) for row in range(ROWS)]}
        for _ in range(GROUPS)
    ]
    write(tmp_path / "t" / "0.parquet", groups, schema, use_dictionary=False)
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("floats")
    df = spark.sql("SELECT x FROM floats ORDER BY x LIMIT 3")
    assert [row.x for row in df.collect()] == [0.0, 0.0, 0.0]
    reason = limit_pruning.report(df).only.reason
    assert reason is not None
    assert reason.code == "key-not-clustered"
