"""DISTINCT … LIMIT reads few row groups if dictionaries show that these have enough values."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from limit_pruning import LimitReport
from support.runs import conf, hold_sql

FILES, ROWS = 6, 400
# Values are in no order, so the ranges of all row groups overlap.
COLUMNS = (
    "id",
    "CAST(id * 7 % 12 AS INT) AS few",
    "CAST(IF(id % 5 = 0, NULL, id * 11 % 30) AS STRING) AS text",
    "CAST(id * 13 % 25 AS DECIMAL(12, 2)) AS money",
    "DATE'2024-01-01' + CAST(id * 17 % 20 AS INT) AS day",
    "IF(id % 2 = 0, 0.0D, -0.0D) + IF(id % 3 = 0, 0.0D, CAST(id * 3 % 6 AS DOUBLE)) AS float",
    "TIMESTAMP'2024-01-01 00:00:00' + make_interval(0, 0, 0, CAST(id % 15 AS INT)) AS time",
    f"id DIV {ROWS} AS file",
)


@pytest.fixture(scope="module")
def folder(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write files of Spark's writer, with one row group and complete dictionaries each."""
    path = tmp_path_factory.mktemp("dictionaries") / "t"
    rows = spark.range(0, FILES * ROWS, 1, FILES).selectExpr(*COLUMNS)
    rows.write.parquet(str(path))
    return path


@pytest.fixture(autouse=True)
def t(spark: SparkSession, folder: Path) -> None:
    spark.read.parquet(str(folder)).createOrReplaceTempView("t")


def pruned(spark: SparkSession, query: str, *limits: int) -> LimitReport:
    """Hold a query with each limit to all its rows, and return the report of the last one."""
    report = hold_sql(spark, query, *limits).only
    assert report.covered, str(report.reason)
    return report


@pytest.mark.parametrize(
    ("keys", "values"),
    [("few", 12), ("text", 24), ("money", 25), ("day", 20), ("time", 15), ("few, id % 2", 12)],
)
def test_one_row_group_has_enough_values(spark: SparkSession, keys: str, values: int) -> None:
    for query in (f"SELECT DISTINCT {keys} FROM t", f"SELECT {keys} FROM t GROUP BY {keys}"):
        report = pruned(spark, query, 2, 5, values)
        assert (report.row_groups.scanned, report.files.inspected) == (1, 4)
    hold_sql(spark, f"SELECT DISTINCT {keys} FROM t", values + 1, 1000)
    assert "GroupsCertain: 3, " in explained(spark, f"SELECT DISTINCT {keys} FROM t")


def explained(spark: SparkSession, query: str) -> str:
    """Return the plan of the query with a LIMIT of 3."""
    plan = spark.sql(f"{query} LIMIT 3")._jdf.queryExecution().executedPlan()
    return str(plan.toString())


def test_only_row_groups_in_which_all_rows_match_count(spark: SparkSession) -> None:
    query = f"SELECT DISTINCT few FROM t WHERE id >= {2 * ROWS + 1}"
    report = pruned(spark, query, 5, 12)
    assert report.row_groups.fully_matched
    assert report.row_groups.scanned == 1
    for where in ("id % 2 = 0", "few < 5", "text IS NOT NULL", "few <> 3 OR id = 0"):
        hold_sql(spark, f"SELECT DISTINCT few FROM t WHERE {where}", 4, 5, 6, 12)


def test_values_of_rows_that_are_not_read_do_not_count(spark: SparkSession, tmp_path: Path) -> None:
    # Each file has eight pages, and in each page another value. All rows of the last ones match.
    columns = ("id", "CAST(id % 400 AS INT) AS place", "CAST(id % 400 DIV 50 AS INT) AS page")
    rows = spark.range(0, 1600, 1, 4).selectExpr(*columns)
    rows.write.option("parquet.page.row.count.limit", "50").parquet(str(tmp_path / "t"))
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("paged")
    query = "SELECT DISTINCT page FROM paged WHERE place >= 350 OR (id + place) % 97 = 3"
    with conf(spark, {"spark.limitPruning.pages.minBytes": "0"}):
        hold_sql(spark, query, 1, 2, 3, 8)


def test_values_of_several_row_groups_add_up(spark: SparkSession, tmp_path: Path) -> None:
    values = "explode(flatten(array_repeat(array(id, id + 10, id + 20), 50))) AS k"
    rows = spark.range(0, 10, 1, 10).selectExpr(values)
    rows.write.parquet(str(tmp_path / "t"))
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("several")
    for limit, row_groups in ((3, 1), (4, 2), (9, 3), (12, 4)):
        report = pruned(spark, "SELECT DISTINCT k FROM several", limit)
        assert report.row_groups.scanned == row_groups
    hold_sql(spark, "SELECT DISTINCT k FROM several", 29, 30, 31)


def test_more_values_than_there_are(spark: SparkSession) -> None:
    report = hold_sql(spark, "SELECT DISTINCT few FROM t", 1000).only
    assert report.reason is not None
    assert report.reason.code == "not-enough-groups"


def test_floats_that_are_equal_count_once(spark: SparkSession) -> None:
    query = "SELECT DISTINCT float FROM t"
    values = len(spark.sql(query).collect())
    for limit in range(1, values + 3):
        hold_sql(spark, query, limit)


def test_line_109_an_entry_that_no_row_has_does_not_count(
    spark: SparkSession, tmp_path: Path
) -> None:
    # Arrow writes all entries of a dictionary array.
    entries = pa.array([f"value {n}" for n in range(20)])
    for file in range(4):
        indices = pa.array([3 * file + n % 3 for n in range(100)], pa.int8())
        table = pa.table({"k": pa.DictionaryArray.from_arrays(indices, entries)})
        (tmp_path / "t").mkdir(exist_ok=True)
        pq.write_table(table, tmp_path / "t" / f"{file}.parquet", store_schema=False)
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("unused")
    for limit in (2, 3, 4, 10, 20):
        hold_sql(spark, "SELECT DISTINCT k FROM unused", limit)


KINDS = ("INT", "BIGINT", "STRING", "DATE", "DECIMAL(9, 1)", "DOUBLE", "TIMESTAMP", "BINARY")


def random_column(chance: random.Random, name: str, kind: str) -> str:
    """Return an expression of few values, or of some hundreds, with nulls or without."""
    value = f"(id * {chance.choice([7, 11, 13])} % {chance.choice([2, 6, 20, 50, 300])})"
    if chance.randrange(2):
        value = f"({value} + id DIV {ROWS} * {chance.choice([1, 5])})"  # files have other values
    known = {
        "DATE": f"DATE'2024-01-01' + CAST({value} AS INT)",
        "TIMESTAMP": f"timestamp_micros({value} * 1000)",
        "BINARY": f"CAST(CAST({value} AS STRING) AS BINARY)",
        "DOUBLE": f"IF({value} = 3, double('NaN'), {value} * IF(id % 2 = 0, 1D, -1D))",
    }
    of_kind = known.get(kind, f"CAST({value} AS {kind})")
    if chance.randrange(2):
        of_kind = f"IF(id % {chance.choice([2, 9])} = 1, NULL, {of_kind})"
    return f"{of_kind} AS {name}"


@pytest.mark.parametrize("seed", range(4))
def test_line_109_random_tables(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    chance, few = random.Random(seed), 0
    names = [f"c{n}" for n in range(len(KINDS))]
    columns = [random_column(chance, *named) for named in zip(names, KINDS, strict=True)]
    files = chance.randint(3, 8)
    rows = spark.range(0, files * ROWS, 1, files).selectExpr("id", *columns)
    rows.write.option("parquet.dictionary.page.size", "4096").parquet(str(tmp_path / "t"))
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("random_table")
    for _ in range(16):
        keys = chance.sample([*names, *names, "id", "c0 + 1"], chance.choice([1, 1, 1, 2]))
        least = chance.choice([0, 0, ROWS, chance.randrange(files * ROWS)])
        where = chance.choice(["", f"WHERE id >= {least}", f"WHERE c1 <> {chance.randrange(6)}"])
        query = f"SELECT DISTINCT {', '.join(keys)} FROM random_table {where}"
        with conf(spark, {"spark.limitPruning.planning.maxBytes": chance.choice(["8mb", "300"])}):
            limits = chance.sample([2, 3, 5, 6, 7, 19, 20, 21, 30, 49, 50, 51, 299, 300, 301], 3)
            report = hold_sql(spark, query, *limits).only
        few += report.covered and (report.row_groups.scanned or 0) < files
    assert few
