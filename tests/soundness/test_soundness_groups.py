"""What must never be counted as a group, and when a group is whole."""

from __future__ import annotations

import math
import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import limit_pruning
from support.files import footer_edit
from support.runs import INTERPRETED, conf, hold_sql
from support.sparks import needs_spark
from support.tables import one_column, write

LIMITS = (1, 2, 3, 4, 5, 100)
WITHOUT_1 = LIMITS[1:]  # Spark drops a DISTINCT below LIMIT 1, and then shows zeros as they are
DISTINCT = "SELECT DISTINCT c FROM t"


def covered(spark: SparkSession, query: str) -> bool:
    """Hold a query with many limits, and return whether LIMIT 2 is covered."""
    hold_sql(spark, query, *LIMITS)
    return hold_sql(spark, query, 2).only.covered


def table(spark: SparkSession, path: Path, kind: pa.DataType, *groups: Any, **options: Any) -> Path:
    """Write and register ``t``: row groups of a column ``c``."""
    made = one_column(path, kind, [list(group) for group in groups], **options)
    made.register(spark)
    return made.path


def test_line_59_null_is_one_value(spark: SparkSession, tmp_path: Path) -> None:
    table(spark, tmp_path, pa.int32(), [None, None], [None], [3, 3], [None, 3])
    assert covered(spark, DISTINCT)
    table(spark, tmp_path / "nulls", pa.int32(), [None, None], [None])
    assert covered(spark, DISTINCT)


def test_line_59_values_beside_nulls(spark: SparkSession, tmp_path: Path) -> None:
    path = table(spark, tmp_path, pa.int32(), [None, None, 1], [None, 5, 7], [None, 6])
    assert covered(spark, DISTINCT)
    footer_edit.drop_null_count(path, "c")
    spark.read.parquet(str(path)).createOrReplaceTempView("t")
    assert not covered(spark, DISTINCT)


def test_line_59_values_behind_pages_of_nulls(spark: SparkSession, tmp_path: Path) -> None:
    groups = [[*[None] * 300, value] for value in (1, 2, 3)]
    options = {"write_page_index": True, "max_rows_per_page": 50, "write_batch_size": 50}
    table(spark, tmp_path, pa.int32(), *groups, use_dictionary=False, **options)
    with conf(spark, {"spark.limitPruning.pages.minBytes": "0"}):
        assert covered(spark, DISTINCT)


def test_line_59_nulls_of_several_columns(spark: SparkSession, tmp_path: Path) -> None:
    schema = pa.schema([("a", pa.int32()), ("b", pa.int32())])
    groups = [{"a": [None, 1], "b": [1, None]}, {"a": [None, 2], "b": [2, None]}]
    file = write(tmp_path / "t.parquet", groups, schema)
    spark.read.parquet(str(file)).createOrReplaceTempView("t")
    hold_sql(spark, "SELECT DISTINCT a, b FROM t", *LIMITS)


@pytest.mark.parametrize("where", ["c > 3", "c % 2 = 1", "c IS NULL", "id < 3"])
def test_line_59_rows_that_do_not_match(spark: SparkSession, tmp_path: Path, where: str) -> None:
    table(spark, tmp_path, pa.int32(), [1, 1], [2, 5], [3, 3], [4, 4], [None, 5])
    hold_sql(spark, f"{DISTINCT} WHERE {where}", *LIMITS)


def test_line_60_bounds_that_are_cut(spark: SparkSession, tmp_path: Path) -> None:
    start = "a" * 64
    path = table(spark, tmp_path, pa.string(), [start + "x"] * 2, [start + "x"], [start + "x"])
    footer_edit.set_bounds(path, "c", start.encode(), ("a" * 63 + "b").encode(), exact=False)
    spark.read.parquet(str(path)).createOrReplaceTempView("t")
    hold_sql(spark, DISTINCT, *LIMITS)


def test_line_60_min_and_max_need_not_occur(spark: SparkSession, tmp_path: Path) -> None:
    path = table(spark, tmp_path, pa.string(), ["b"], ["b"], ["b"])
    footer_edit.set_bounds(path, "c", b"a", b"c", exact=False)
    spark.read.parquet(str(path)).createOrReplaceTempView("t")
    assert not covered(spark, DISTINCT)


def test_line_60_entries_of_dictionaries_need_not_occur(
    spark: SparkSession, tmp_path: Path
) -> None:
    def entries(*indices: int) -> pa.Table:
        values = pa.DictionaryArray.from_arrays(list(indices), ["x", "y", "z"])
        return pa.table({"c": values})

    with pq.ParquetWriter(
        tmp_path / "t.parquet", entries(0).schema, write_statistics=False, store_schema=False
    ) as writer:
        for part in (entries(0, 0), entries(0), entries(0, 0, 0)):
            writer.write_table(part)
    spark.read.parquet(str(tmp_path / "t.parquet")).createOrReplaceTempView("t")
    assert not covered(spark, DISTINCT)


def test_line_60_dictionaries_bound_keys(spark: SparkSession, tmp_path: Path) -> None:
    groups = [[1.0, 2.0], [2.0, 2.0], [3.0, 4.0]]  # without a dictionary, each may have NaN
    table(spark, tmp_path, pa.float64(), *groups)
    assert covered(spark, DISTINCT)
    table(spark, tmp_path / "plain", pa.float64(), *groups, use_dictionary=False)
    assert not covered(spark, DISTINCT)


NAN, OTHER_NAN = math.nan, struct.unpack("<d", b"\1\2\3\4\5\6\xf8\xff")[0]


@pytest.mark.parametrize("kind", [pa.float64(), pa.float32()])
@pytest.mark.parametrize(
    "groups",
    [
        ([0.0], [-0.0], [0.0, -0.0]),
        ([NAN], [NAN, OTHER_NAN], [OTHER_NAN]),
        ([1.0], [1.0, NAN], [-0.0], [0.0], [NAN]),
        ([1.0, NAN], [2.0, NAN], [NAN]),
    ],
)
@pytest.mark.parametrize("dictionary", [True, False])
def test_line_61_zeros_and_nan(
    spark: SparkSession, tmp_path: Path, kind: pa.DataType, groups: Any, dictionary: bool
) -> None:
    table(spark, tmp_path, kind, *groups, use_dictionary=dictionary)
    hold_sql(spark, DISTINCT, *WITHOUT_1)
    hold_sql(spark, "SELECT DISTINCT -c, c + 1 FROM t", *WITHOUT_1)


def test_line_61_partitions_of_one_value(spark: SparkSession, tmp_path: Path) -> None:
    schema = pa.schema([("id", pa.int64())])
    for number, name in enumerate(["0.0", "-0.0", "00.0", "NaN", "1.5"]):
        write(tmp_path / "t" / f"p={name}" / "f.parquet", [{"id": [number] * 3}], schema)
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("t")
    assert dict(spark.table("t").dtypes)["p"] == "double"
    hold_sql(spark, "SELECT DISTINCT p FROM t", *WITHOUT_1)
    hold_sql(spark, "SELECT p, count(*), sum(id) FROM t GROUP BY p", *WITHOUT_1)


@needs_spark("collations")
@pytest.mark.parametrize("collation", ["UTF8_LCASE", "UNICODE_CI"])
def test_line_61_collations(spark: SparkSession, tmp_path: Path, collation: str) -> None:
    schema = pa.schema([("c", pa.string())])
    for name in ("a", "A", "b"):
        write(tmp_path / "t" / f"p={name}" / "f.parquet", [{"c": [name] * 2}], schema)
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("t")
    for column in ("c", "p"):
        collated = f"{column} COLLATE {collation}"
        hold_sql(spark, f"SELECT count(*) FROM t GROUP BY {collated}", *LIMITS)
        hold_sql(spark, f"SELECT lower(k) FROM (SELECT DISTINCT {collated} AS k FROM t)", *LIMITS)
        hold_sql(spark, f"SELECT DISTINCT lower({collated}), length(c) FROM t", *LIMITS)
    ddl = f"c STRING COLLATE {collation}, p STRING"
    spark.read.schema(ddl).parquet(str(tmp_path / "t")).createOrReplaceTempView("t")
    hold_sql(spark, "SELECT count(*) FROM t GROUP BY c", *LIMITS)
    hold_sql(spark, "SELECT lower(k) FROM (SELECT DISTINCT c AS k FROM t)", *LIMITS)


@pytest.mark.parametrize("undecided", ["id % 2 = 0", "id > 1"])
def test_line_62_other_rows_may_have_other_values(
    spark: SparkSession, tmp_path: Path, undecided: str
) -> None:
    table(spark, tmp_path, pa.int32(), [7, 7], [7, 7], [8, 8], [7, 9])
    hold_sql(spark, f"{DISTINCT} WHERE {undecided}", *LIMITS)
    hold_sql(spark, DISTINCT, *LIMITS)


def test_line_62_partitions_without_rows(spark: SparkSession, tmp_path: Path) -> None:
    schema = pa.schema([("id", pa.int64())])
    for number in range(6):
        groups = [{"id": [number] * (number % 2)}] * 2
        write(tmp_path / "t" / f"p={number}" / "f.parquet", groups, schema)
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("t")
    assert covered(spark, "SELECT DISTINCT p FROM t")
    assert covered(spark, "SELECT p, count(*) FROM t GROUP BY p")
    hold_sql(spark, "SELECT DISTINCT p FROM t WHERE id IN (1, 5)", *LIMITS)
    hold_sql(spark, "SELECT p, sum(id) FROM t WHERE id IN (1, 5) GROUP BY p", *LIMITS)


def test_line_63_groups_in_several_directories(spark: SparkSession, tmp_path: Path) -> None:
    schema = pa.schema([("id", pa.int64())])
    directories = ["p=1/q=a", "p=01/q=a", "p=1/q=b", "p=2/q=a"]
    directories += ["p=3/q=__HIVE_DEFAULT_PARTITION__", "p=__HIVE_DEFAULT_PARTITION__/q=a"]
    for number, directory in enumerate(directories):
        for part in range(3):
            group = {"id": list(range(10 * number + part, 10 * number + part + 3))}
            write(tmp_path / "t" / directory / f"{part}.parquet", [group, group], schema)
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("t")
    aggregated = "count(*), sum(id), collect_set(id % 3)"
    for keys in ("p", "q", "p, q", "q, p + 1", "p % 2", "coalesce(p, 3)", "p, id % 2"):
        for where in ("", " WHERE id > 12", " WHERE id % 5 = 0", " WHERE p > 1 AND id < 50"):
            groups = f"SELECT {aggregated} FROM t{where} GROUP BY {keys}"
            with conf(spark, INTERPRETED if where else {}):
                hold_sql(spark, groups.replace("collect_set", "count"), *LIMITS)
    assert covered(spark, "SELECT p, count(*) FROM t WHERE id > 12 GROUP BY p")


def test_line_63_a_column_of_the_files_with_the_name_of_a_partition_column(
    spark: SparkSession, tmp_path: Path
) -> None:
    schema = pa.schema([("id", pa.int64()), ("p", pa.int32())])
    for number in range(4):
        group = {"id": [1, 2], "p": [100 + number, None]}
        write(tmp_path / "t" / f"p={number // 2}" / f"{number}.parquet", [group], schema)
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("t")
    hold_sql(spark, "SELECT DISTINCT p FROM t", *LIMITS)
    hold_sql(spark, "SELECT P, count(*) FROM t GROUP BY P", *LIMITS)
    spark.read.schema("P INT, id BIGINT").parquet(str(tmp_path / "t")).createOrReplaceTempView("t")
    hold_sql(spark, "SELECT p, count(*) FROM t WHERE id > 1 GROUP BY p", *LIMITS)


def test_line_63_columns_that_files_do_not_have(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path / "t" / "1.parquet", [{"c": [1, 1]}], pa.schema([("c", pa.int32())]))
    write(tmp_path / "t" / "2.parquet", [{"d": [1, 1]}] * 2, pa.schema([("d", pa.int32())]))
    spark.read.schema("c INT, d INT").parquet(str(tmp_path / "t")).createOrReplaceTempView("t")
    assert covered(spark, "SELECT DISTINCT c FROM t")
    assert covered(spark, "SELECT DISTINCT d, c FROM t")


BUCKETED = """CREATE TABLE bucketed_groups (id BIGINT, c INT, p INT) USING parquet
PARTITIONED BY (p) CLUSTERED BY (c) INTO 3 BUCKETS"""


def test_line_64_buckets(spark: SparkSession) -> None:
    spark.sql(BUCKETED)
    try:
        spark.sql("INSERT INTO bucketed_groups SELECT id, id % 5, id % 3 FROM range(60)")
        for query in (
            "SELECT DISTINCT c FROM bucketed_groups",
            "SELECT DISTINCT p FROM bucketed_groups",
            "SELECT p, c, count(*) FROM bucketed_groups GROUP BY p, c",
        ):
            hold_sql(spark, query, *LIMITS)
        joined = "SELECT * FROM (SELECT DISTINCT c, p FROM bucketed_groups LIMIT {n}) a"
        for n in (2, 7, 15):
            rows = spark.sql(f"{joined.format(n=n)} JOIN bucketed_groups b USING (c, p)").collect()
            assert len(rows) == 4 * n
    finally:
        spark.sql("DROP TABLE bucketed_groups")


def test_line_64_char_columns(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE char_groups (c CHAR(3), p CHAR(3)) USING parquet PARTITIONED BY (p)")
    try:
        spark.sql("INSERT INTO char_groups VALUES ('a', 'x'), ('a  ', 'x  '), ('b', 'y')")
        for query in (
            "SELECT DISTINCT c, p FROM char_groups",
            "SELECT DISTINCT p FROM char_groups",
        ):
            hold_sql(spark, query, *LIMITS)
        hold_sql(spark, "SELECT p, count(*) FROM char_groups GROUP BY p", *LIMITS)
    finally:
        spark.sql("DROP TABLE char_groups")


@pytest.mark.parametrize(
    "query", ["SELECT DISTINCT c FROM t", "SELECT p, sum(c) FROM t GROUP BY p"]
)
def test_line_64_a_file_that_changes(spark: SparkSession, tmp_path: Path, query: str) -> None:
    schema = pa.schema([("c", pa.int32())])
    files = [
        write(tmp_path / "t" / f"p={number}" / "f.parquet", [{"c": [number] * 3}], schema)
        for number in range(4)
    ]
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("t")
    df = spark.sql(f"{query} LIMIT 3")
    assert limit_pruning.report(df).only.covered
    for file in files:
        write(file, [{"c": [7] * 4}], schema)
    with pytest.raises((Py4JJavaError, PySparkException), match="REFRESH TABLE"):
        df.collect()


def test_line_64_scans_of_rows_and_of_groups_are_not_reused(
    spark: SparkSession, tmp_path: Path
) -> None:
    table(spark, tmp_path, pa.int32(), [1, 1, 1, 1], [2, 2, 2], [3, 3])
    parts = [
        ("SELECT c FROM t LIMIT 2", 2),
        ("SELECT DISTINCT c FROM t LIMIT 2", 2),
        ("SELECT c FROM t LIMIT 6", 6),
        ("SELECT DISTINCT c FROM t LIMIT 6", 3),
    ]
    for exchange in ("true", "false"):
        with conf(spark, {"spark.sql.exchange.reuse": exchange}):
            for first, m in parts:
                for second, n in parts:
                    query = f"SELECT 0, * FROM ({first}) UNION ALL SELECT 1, * FROM ({second})"
                    assert len(spark.sql(query).collect()) == m + n


def test_line_64_a_predicate_that_was_not_proved_for_rows(
    spark: SparkSession, tmp_path: Path
) -> None:
    table(spark, tmp_path, pa.string(), ["a", "b"], ["b", "b"], ["c", "c"], ["a", "c"])
    where = "WHERE c LIKE '%b'"
    for _ in range(2):  # the second time, what the first one did not prove is remembered
        hold_sql(spark, f"SELECT id FROM t {where}", 2, 3)
        hold_sql(spark, f"{DISTINCT} {where}", 1, 2)
        hold_sql(spark, f"SELECT c, count(*) FROM t {where} GROUP BY c", 1, 2)


def test_line_64_operators_between(spark: SparkSession, tmp_path: Path) -> None:
    schema = pa.schema([("c", pa.int32())])
    for number in range(5):
        groups = [{"c": [number] * 2}, {"c": [number, 9]}]
        write(tmp_path / "t" / f"p={number}" / "f.parquet", groups, schema)
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("t")
    for query in (
        "SELECT p, count(*) AS n FROM t GROUP BY p HAVING n > 3 OR p > 3",
        "SELECT p, c, grouping_id(), count(*) FROM t GROUP BY GROUPING SETS ((p), (c), (p, c), ())",
        "SELECT p, count(*) FILTER (WHERE c > 2), count(DISTINCT c) FROM t GROUP BY p",
        "SELECT p, count(DISTINCT c), count(DISTINCT p) FROM t GROUP BY p",
        "SELECT DISTINCT p, count(*) OVER (PARTITION BY c) FROM t",
        "SELECT DISTINCT a.p FROM t a JOIN t b ON a.p = b.c",
        "SELECT p FROM t INTERSECT SELECT c FROM t",
        "SELECT p FROM t EXCEPT SELECT c FROM t",
        "SELECT p FROM t UNION SELECT c FROM t",
        "SELECT p, (SELECT max(c) FROM t) FROM t GROUP BY p",
        "SELECT * FROM (SELECT c, p FROM t) PIVOT (count(c) FOR p IN (1, 2, 3))",
    ):
        hold_sql(spark, query, *LIMITS)
