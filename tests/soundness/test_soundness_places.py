"""What must never be proved of columns that are not in files: metadata and partition values."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from support.runs import ENABLED, VECTORIZED, conf, hold_each, hold_sql
from support.tables import Table, write

pytestmark = pytest.mark.usefixtures("statistics_alone")

METADATA = ("file_path", "file_name", "file_size", "file_modification_time", "row_index")


def test_line_27_metadata_in_the_predicate(spark: SparkSession, wildlife: Table) -> None:
    name, table = wildlife.path.name, f"parquet.`{wildlife.path}`"
    for predicate in (
        f"_metadata.file_name = '{name}'",
        "_metadata.file_name <> 'x'",
        "_metadata.file_size > 0",
        "_metadata.row_index >= 7",
        "_metadata.row_index < 8 AND s >= 50 AND species LIKE 'Alpine%'",
        "_metadata.file_block_start = 0",
        "_metadata.file_block_length > 100 AND s >= 50",
        f"input_file_name() LIKE '%{name}'",
        "input_file_block_start() = 0",
    ):
        hold_sql(spark, f"SELECT s FROM {table} WHERE {predicate}", 1, 3)


def test_line_27_metadata_in_the_output(spark: SparkSession, wildlife: Table) -> None:
    rest = f"FROM parquet.`{wildlife.path}` WHERE species LIKE 'Alpine%' AND s >= 50"
    fields = ", ".join(f"_metadata.{field}" for field in METADATA)
    report = hold_sql(spark, f"SELECT s, {fields} {rest}", 3)
    assert report.only.covered
    for split in (
        "_metadata",
        "_metadata.file_block_start",
        "_metadata.file_block_length",
        "input_file_name()",
        "input_file_block_start()",
        "input_file_block_length()",
    ):
        report = hold_sql(spark, f"SELECT s, {split} AS split {rest}", 3)
        assert not report.only.covered, split


def test_line_33_a_partition_column_that_also_stands_in_the_file(
    spark: SparkSession, tmp_path: Path
) -> None:
    schema = pa.schema([("id", pa.int64()), ("p", pa.int32())])
    for number in (1, 2):
        file = tmp_path / "t" / f"p={number}" / "f.parquet"
        write(file, [{"id": [number, number + 10], "p": [9, 9]}], schema)
    register(spark, tmp_path / "t")
    hold_each(spark, "t", ["p = 9", "p = 1", "p <> 9", "p < 9 AND id > 1", "p >= 9 OR id > 10"], 4)
    assert hold_sql(spark, "SELECT id FROM t WHERE p = 2", 2).only.covered


def test_line_33_partition_values_null_typed_and_escaped(
    spark: SparkSession, tmp_path: Path
) -> None:
    texts = ["a/b", "50%", "x=y", "ü ", "a%2Fb", "007", "1.50", "2024-01-02", None]
    for number, text in enumerate(texts):
        value = "CAST(NULL AS STRING)" if text is None else f"'{text}'"
        row = f"SELECT {number}L AS id, {value} AS p"
        spark.sql(row).coalesce(1).write.mode("append").partitionBy("p").parquet(f"{tmp_path}/t")
    literals = [f"p = '{text}'" for text in texts if text is not None]
    odd = ["p IS NULL", "p IS NOT NULL", "p <> 'a/b'", "NOT (p <=> NULL)", "p LIKE 'a%'", "p > '5'"]
    for inference in ("true", "false"):
        key = "spark.sql.sources.partitionColumnTypeInference.enabled"
        with conf(spark, {key: inference}):
            register(spark, tmp_path / "t")
            hold_each(spark, "t", literals + odd, 5)


def test_line_33_partition_values_that_are_written_in_two_ways(
    spark: SparkSession, tmp_path: Path
) -> None:
    for name in ("007", "7", "__HIVE_DEFAULT_PARTITION__"):
        file = tmp_path / "t" / f"p={name}" / "f.parquet"
        write(file, [{"id": [1, 2]}], pa.schema([("id", pa.int64())]))
    register(spark, tmp_path / "t")
    hold_each(spark, "t", ["p = 7", "p > 6.5", "p <> 8", "p IS NULL", "p <=> 7"], 6)
    assert hold_sql(spark, "SELECT id FROM t WHERE p = 7", 4).only.covered


@pytest.mark.parametrize("vectorized", ["true", "false"])
def test_line_33_decimal_partition_values_of_other_digits(
    spark: SparkSession, tmp_path: Path, vectorized: str
) -> None:
    """Spark lists ``p=1.5``, and its vectorized reader returns 0.15 for DECIMAL(5, 2)."""
    for number, name in enumerate(("1.5", "0.30", "-3", "12345.67", "__HIVE_DEFAULT_PARTITION__")):
        file = tmp_path / "t" / f"p={name}" / "f.parquet"
        write(file, [{"id": [number, number + 10]}], pa.schema([("id", pa.int64())]))
    table = spark.read.schema("id LONG, p DECIMAL(5, 2)").parquet(str(tmp_path / "t"))
    table.createOrReplaceTempView("t")
    ends = "(SELECT max(p) FROM t), (SELECT min(p) FROM t)"
    queries = [
        "SELECT id, p FROM t ORDER BY p DESC, id LIMIT 3",
        "SELECT id, p FROM t ORDER BY p NULLS LAST, id LIMIT 3",
        "SELECT DISTINCT p FROM t LIMIT 9",
        "SELECT p, count(*) FROM t GROUP BY p LIMIT 9",
        "SELECT id, p FROM t WHERE p > 1 AND id % 2 = 0 LIMIT 9",
        f"SELECT {ends} FROM t WHERE id = (SELECT min(id) FROM t) LIMIT 1",
    ]
    with conf(spark, {VECTORIZED: vectorized}):
        for query in queries:
            with conf(spark, {ENABLED: "false"}):
                expected = Counter(map(repr, spark.sql(query).collect()))
            assert Counter(map(repr, spark.sql(query).collect())) == expected, query
    (tmp_path / "x").mkdir()
    (tmp_path / "t" / "p=0.30").rename(tmp_path / "x" / "p=0.30")
    spark.read.schema("id LONG, p DECIMAL(5, 2)").parquet(
        str(tmp_path / "x")
    ).createOrReplaceTempView("x")
    assert hold_sql(spark, "SELECT id, p FROM x WHERE p < 1", 2).only.covered


def register(spark: SparkSession, path: Path, view: str = "t") -> None:
    """Register the file or folder as it is now."""
    spark.read.parquet(str(path)).createOrReplaceTempView(view)
