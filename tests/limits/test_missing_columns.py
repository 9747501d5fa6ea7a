"""Defaults of columns that were added to a table, and row groups without rows."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from support import random_profiles
from support.runs import VECTORIZED, conf, hold_sql, on_off

# Type, default, smaller value, greater value.
DEFAULTS = [
    ("INT", "7", "6", "8"),
    ("BIGINT", "-7", "-8", "0"),
    ("DECIMAL(9, 2)", "1.50", "1.49", "1.51"),
    ("DATE", "DATE'2024-02-29'", "DATE'2024-02-28'", "DATE'2024-03-01'"),
    ("TIMESTAMP_NTZ", "TIMESTAMP_NTZ'2024-02-29 12:00:00'", "DATE'2024-02-28'", "DATE'2024-03-01'"),
    ("STRING", "'m'", "'l'", "'n'"),
    ("BOOLEAN", "true", "false", "true"),
    ("DOUBLE", "0.5", "0.25", "0.75"),
    ("INT", "NULL", "6", "8"),
]


@pytest.mark.parametrize(("type_", "default", "less", "more"), DEFAULTS)
def test_a_default_is_the_value_of_every_row_of_an_older_file(
    spark: SparkSession, tmp_path: Path, type_: str, default: str, less: str, more: str
) -> None:
    spark.sql(f"CREATE TABLE aged (id INT) USING parquet LOCATION '{tmp_path / 'aged'}'")
    try:
        for start in (0, 10):
            spark.sql(f"INSERT INTO aged SELECT CAST(id AS INT) FROM range({start}, {start + 10})")
        spark.sql(f"ALTER TABLE aged ADD COLUMNS (c {type_} DEFAULT {default})")
        spark.sql(f"INSERT INTO aged VALUES (20, {more}), (21, NULL), (22, DEFAULT)")
        for vectorized in ("true", "false"):
            with conf(spark, {VECTORIZED: vectorized}):
                equal = hold_sql(spark, f"SELECT * FROM aged WHERE c <=> {default}", 5, 15).only
                assert equal.covered
                less_than = hold_sql(spark, f"SELECT * FROM aged WHERE c < {less}", 3).only
                assert less_than.row_groups.matched == 0
                hold_sql(spark, f"SELECT * FROM aged WHERE c > {less}", 1, 21)
                hold_sql(spark, "SELECT DISTINCT c FROM aged", 1, 2, 3)
                for order in ("c, id", "c DESC NULLS FIRST, id"):
                    runs = on_off(spark, f"SELECT * FROM aged ORDER BY {order} LIMIT 4")
                    assert runs.on == runs.off
    finally:
        spark.sql("DROP TABLE aged")


def test_a_default_that_depends_on_the_time_zone(spark: SparkSession, tmp_path: Path) -> None:
    """Spark evaluates the default of a TIMESTAMP in the time zone of each query that reads it."""
    noon = "TIMESTAMP'2024-02-29 12:00:00'"
    spark.sql(f"CREATE TABLE zoned (id INT) USING parquet LOCATION '{tmp_path / 'zoned'}'")
    try:
        spark.sql("INSERT INTO zoned SELECT CAST(id AS INT) FROM range(20)")
        spark.sql(f"ALTER TABLE zoned ADD COLUMNS (c TIMESTAMP DEFAULT {noon})")
        for zone in ("UTC", "America/Los_Angeles", "Asia/Tokyo"):
            with conf(spark, {"spark.sql.session.timeZone": zone}):
                for compared in ("<", "<=", "=", ">="):
                    for time in (noon, "TIMESTAMP'2024-02-29 12:00:00 UTC'"):
                        hold_sql(spark, f"SELECT * FROM zoned WHERE c {compared} {time}", 5)
    finally:
        spark.sql("DROP TABLE zoned")


def test_row_groups_without_rows(spark: SparkSession) -> None:
    """Arrow writes them with an offset of 0, in front of all others."""
    covered: list[bool] = []

    def check(data: st.DataObject) -> None:
        with TemporaryDirectory() as folder:
            for number in range(data.draw(st.integers(1, 2))):
                write(data, Path(folder) / f"{number}.parquet")
            spark.read.parquet(folder).createOrReplaceTempView("gaps")
            value, limit = data.draw(st.integers(0, 90)), data.draw(st.integers(1, 9))
            queries = [
                f"SELECT * FROM gaps WHERE a >= {value}",
                f"SELECT b FROM gaps WHERE a BETWEEN {value} AND {value + 20}",
                "SELECT DISTINCT b FROM gaps",
            ]
            covered.extend(hold_sql(spark, query, limit).only.covered for query in queries)
            runs = on_off(spark, f"SELECT * FROM gaps ORDER BY a DESC, b LIMIT {limit}")
            assert runs.on == runs.off

    random_profiles.run(12, check)
    assert covered.count(True) > 0.4 * len(covered)


def write(data: st.DataObject, path: Path) -> None:
    schema = pa.schema([("a", pa.int32()), ("b", pa.string())])
    sizes = data.draw(st.lists(st.sampled_from([0, 0, 3, 40]), min_size=2, max_size=8))
    with pq.ParquetWriter(path, schema, use_dictionary=data.draw(st.booleans())) as writer:
        for rows in sizes:
            start = 10 * data.draw(st.integers(0, 9))
            values = [start + i % 5 for i in range(rows)]
            columns = [pa.array(values, pa.int32()), pa.array([f"b{v}" for v in values])]
            writer.write_table(pa.table(columns, schema=schema))
