"""DISTINCT … LIMIT reads the keys of few row groups, if metadata do not count their values."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from support.groups_by_rows import found
from support.runs import BY_ROWS, VECTORIZED, conf, hold_sql
from support.scan_tables import physical

ADAPTIVE = "spark.sql.adaptive.enabled"
MIN_BYTES = "spark.limitPruning.rows.minBytes"
FILES, ROWS = 6, 1_200
# Values are in no order. Without dictionaries, nothing counts them.
COLUMNS = (
    "id",
    "CAST(id * 7 % 12 AS INT) AS few",
    "IF(id % 5 = 0, NULL, concat('text ', hash(id) % 400)) AS text",
    "CAST(hash(id, 1) % 300 AS DECIMAL(12, 2)) AS money",
    "CAST(hash(id, 2) AS DECIMAL(30, 4)) / 7 AS large",
    "DATE'2024-01-01' + CAST(id * 17 % 90 AS INT) AS day",
    "TIMESTAMP'2024-01-01 00:00:00' + make_interval(0, 0, 0, CAST(id % 50 AS INT)) AS time",
    "CAST(concat('b', hash(id, 3) % 70) AS BINARY) AS bytes",
    "id % 2 = 0 AS flag",
    "IF(id % 2 = 0, 0.0D, -0.0D) AS zeros",
    "IF(id % 7 = 0, NULL, CAST(id % 3 AS SMALLINT)) AS small",
    "struct(id % 4 AS a) AS nested",
    f"id DIV {ROWS} AS file",
)


@pytest.fixture(scope="module")
def folder(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write files of several row groups and pages, without dictionaries."""
    path = tmp_path_factory.mktemp("groups by rows") / "t"
    rows = spark.range(0, FILES * ROWS, 1, FILES).selectExpr(*COLUMNS)
    rows.write.option("parquet.enable.dictionary", "false").option(
        "parquet.block.size", "40000"
    ).option("parquet.page.row.count.limit", "100").parquet(str(path))
    return path


@pytest.fixture(autouse=True)
def t(spark: SparkSession, folder: Path) -> Iterator[None]:
    """Search by rows wherever it is possible, file by file."""
    spark.read.parquet(str(folder)).createOrReplaceTempView("t")
    with conf(spark, BY_ROWS):
        yield


KEYS = {
    "text": 401,
    "money": 300,
    "large": 1000,
    "day": 90,
    "time": 50,
    "bytes": 70,
    "text, flag": 700,
    "few, small, text": 900,
    "concat(text, 'x') AS k": 400,
    "id % 77 AS k": 77,
}


@pytest.mark.core
@pytest.mark.parametrize("keys", KEYS)
def test_few_rows_are_read(spark: SparkSession, keys: str) -> None:
    hold_sql(spark, f"SELECT DISTINCT {keys} FROM t", 2, 7, 20)
    report, plan = found(spark, f"SELECT DISTINCT {keys} FROM t LIMIT 20")
    assert "GroupsCertain: 20," in plan
    assert report.rows.to_read == 20
    assert (report.files.scanned or 0) <= 2


@pytest.mark.parametrize(
    ("adaptive", "vectorized"),
    [("true", "true"), ("false", "true"), ("true", "false")],
    ids=["adaptive", "static", "row-based"],
)
def test_more_groups_than_there_are(spark: SparkSession, adaptive: str, vectorized: str) -> None:
    with conf(spark, {ADAPTIVE: adaptive, VECTORIZED: vectorized}):
        for keys, groups in (("few", 12), ("flag, small", 8), ("file", FILES), ("text", 401)):
            query = f"SELECT DISTINCT {keys} FROM t"
            count = spark.sql(query).count()
            assert count >= groups - 200
            hold_sql(spark, query, count - 1, count, count + 1, 5000)
        _, plan = found(spark, "SELECT DISTINCT flag, small FROM t LIMIT 50")
        assert "GroupsCertain: 8, which are all" in plan
        assert "ReadFirst" in plan


def test_predicates(spark: SparkSession) -> None:
    for where in ("few = 3", "hash(id) % 1000 = 7", "text LIKE '%9'", "text IS NULL", "id < 0"):
        hold_sql(spark, f"SELECT DISTINCT day, flag FROM t WHERE {where}", 3, 40, 500)
    with conf(spark, {ADAPTIVE: "false"}):  # which removes a scan without rows
        found(spark, "SELECT DISTINCT day FROM t WHERE few = 3 LIMIT 4")
        _, plan = found(spark, "SELECT DISTINCT day FROM t WHERE hash(id) = 7 LIMIT 4")
        assert "GroupsCertain: 0, which are all" in plan


def test_keys_whose_bytes_do_not_decide_are_left_alone(spark: SparkSession) -> None:
    for keys in ("zeros", "nested", "zeros, text"):
        df = spark.sql(f"SELECT DISTINCT {keys} FROM t LIMIT 5")
        df.collect()
        assert "RowsVerified" not in physical(df)
        hold_sql(spark, f"SELECT DISTINCT {keys} FROM t", 1, 3, 50)


def test_groups_with_functions_are_left_alone(spark: SparkSession) -> None:
    df = spark.sql("SELECT text, count(*) FROM t GROUP BY text LIMIT 5")
    df.collect()
    assert "RowsVerified" not in physical(df)
    hold_sql(spark, "SELECT text, count(*) FROM t GROUP BY text", 5)


def test_in_subqueries_joins_and_unions(spark: SparkSession) -> None:
    few = "(SELECT DISTINCT text FROM t WHERE id >= 5 LIMIT 9)"
    others = "(SELECT DISTINCT text FROM t WHERE flag LIMIT 9)"
    for query, rows in (
        (f"SELECT count(*) AS n FROM {few}", 1),
        (f"SELECT DISTINCT text FROM t WHERE text IN (SELECT text FROM {few})", None),
        (f"SELECT a.text FROM {few} a UNION ALL SELECT b.text FROM {others} b", 18),
    ):
        df = spark.sql(query)
        got = df.collect()
        assert "RowsVerified" in physical(df)
        if rows is not None:
            assert len(got) == rows
        if "count" in query:
            assert got[0].n == 9


def test_it_must_pay(spark: SparkSession, tmp_path: Path) -> None:
    """Without the promise of many values, Spark reads the table as it does."""
    with conf(spark, {MIN_BYTES: "1"}):
        df = spark.sql("SELECT DISTINCT text FROM t LIMIT 5")
        df.collect()
        assert "RowsVerified" not in physical(df)

    # The writer begins with a dictionary, and gives it up.
    rng = random.Random(5)
    for i in range(4):
        rows = pa.table({"k": [rng.randbytes(40).hex() for _ in range(4000)]})
        pq.write_table(
            rows,
            tmp_path / f"{i}.parquet",
            dictionary_pagesize_limit=1000,
            write_batch_size=100,
            row_group_size=1000,
        )
    with conf(spark, {MIN_BYTES: "1"}):
        report, _ = found(spark, f"SELECT DISTINCT k FROM parquet.`{tmp_path}` LIMIT 9")
        assert report.row_groups.scanned == 1
        # Not if a row group has too few rows for so many groups, or if rows may not match.
        for rest in ("LIMIT 101", "WHERE k LIKE '%a' LIMIT 5"):
            df = spark.sql(f"SELECT DISTINCT k FROM parquet.`{tmp_path}` {rest}")
            df.collect()
            assert "RowsVerified" not in physical(df)


def test_what_spark_writes_without_a_dictionary_promises_many_values(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Its writer leaves a dictionary out if the first values are nearly all different."""
    rows = spark.range(0, 40_000, 1, 4).selectExpr(
        "sha2(CAST(id AS STRING), 256) AS k",
        "id % 7 AS few",
        "id % 2 = 0 AS flag",
        "IF(id % 1000 = 0, sha2(CAST(id AS STRING), 256), NULL) AS rare",
        "CAST(NULL AS STRING) AS none",
    )
    rows.write.parquet(str(tmp_path / "t"))
    rows.write.option("parquet.enable.dictionary", "false").parquet(str(tmp_path / "without"))

    def is_by_rows(table: str, key: str) -> bool:
        query = f"SELECT DISTINCT {key} FROM parquet.`{tmp_path / table}`"
        hold_sql(spark, query, 9)
        df = spark.sql(f"{query} LIMIT 9")
        df.collect()
        return "RowsVerified" in physical(df)

    with conf(spark, {MIN_BYTES: "1"}):
        assert is_by_rows("t", "k")
        for key in ("few", "flag", "rare", "none"):
            assert not is_by_rows("t", key), key
        assert not is_by_rows("without", "k"), "a setting may be the cause"


@pytest.mark.parametrize("files", [1, 4], ids=["of one task", "of several tasks"])
def test_keys_that_are_too_large_are_left_to_spark(
    spark: SparkSession, tmp_path: Path, files: int
) -> None:
    keys = [f"{i:04}" + "x" * 300_000 for i in range(400)]
    each = len(keys) // files
    for i in range(files):
        rows = pa.table({"k": keys[i * each : i * each + each]})
        pq.write_table(rows, tmp_path / f"{i}.parquet", use_dictionary=False)
    query = f"SELECT DISTINCT k FROM parquet.`{tmp_path}`"
    df = spark.sql(f"{query} LIMIT 300")
    assert len({row.k for row in df.collect()}) == 300
    assert "RowsVerified" not in physical(df)
    report, _ = found(spark, f"{query} LIMIT 30")
    assert report.rows.to_read == 30


def test_line_111_random_keys(spark: SparkSession) -> None:
    rng = random.Random(11)
    names = [column.rpartition(" AS ")[2] for column in COLUMNS]
    wheres = [
        "",
        "few < 6",
        "text > 'text 2'",
        "id % 3 = 1",
        "NOT flag",
        "small = 1",
        "day IS NULL",
    ]
    by_rows = 0
    for _ in range(40):
        keys = ", ".join(rng.sample(names, rng.randint(1, 3)))
        where = rng.choice(wheres)
        query = f"SELECT DISTINCT {keys} FROM t" + (f" WHERE {where}" if where else "")
        limit = rng.choice([2, 5, 13, 60, 500])
        hold_sql(spark, query, limit)
        df = spark.sql(f"{query} LIMIT {limit}")
        df.collect()
        by_rows += "RowsVerified" in physical(df)
    assert by_rows >= 15
