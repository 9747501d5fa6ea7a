"""Rows that an OFFSET skips are counted, and not read."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from limit_pruning import LimitReport
from support import tables
from support.runs import VECTORIZED, conf, plan
from support.scan_tables import plain

# Four files of five row groups with ten rows each.
FILES, ROW_GROUPS, ROWS = 4, 5, 10
ALL = FILES * ROW_GROUPS * ROWS


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write ``id`` from 0 on, in order."""
    path = tmp_path_factory.mktemp("offset") / "t"
    for file in range(FILES):
        first = file * ROW_GROUPS * ROWS
        groups = [list(range(first + n * ROWS, first + (n + 1) * ROWS)) for n in range(ROW_GROUPS)]
        schema = pa.schema([("id", pa.int64())])
        tables.write(path / f"{file}.parquet", [{"id": ids} for ids in groups], schema)
    return path


@pytest.fixture(autouse=True)
def t(spark: SparkSession, folder: Path) -> None:
    spark.read.parquet(str(folder)).createOrReplaceTempView("t")


def ids(df: DataFrame) -> list[int]:
    """Return the first column of the rows, in their order."""
    return [row[0] for row in df.collect()]


def report_of(df: DataFrame) -> LimitReport:
    """Return the report of the only LIMIT."""
    return limit_pruning.report(df).only


@pytest.mark.core
def test_skipped_rows_are_not_read(spark: SparkSession) -> None:
    query = "SELECT id FROM t WHERE id >= 20 LIMIT 10 OFFSET 95"
    df = spark.sql(query)
    assert ids(df) == list(range(115, 125))
    report = report_of(df)
    assert report.covered
    assert (report.limit, report.rows.skipped, report.rows.to_read) == (105, 95, 15)
    assert (report.row_groups.scanned, report.row_groups.read) == (2, 2)
    assert "SkippedByOffset: 95 rows, 9 whole row groups" in plan(spark, query)


@pytest.mark.parametrize(
    ("offset", "rows"), [(9, 0), (10, 10), (11, 10), (19, 10), (20, 20), (49, 40), (50, 50)]
)
def test_the_row_based_reader_reads_whole_row_groups(
    spark: SparkSession, offset: int, rows: int
) -> None:
    with conf(spark, {VECTORIZED: "false"}):
        df = spark.sql(f"SELECT id FROM t LIMIT 4 OFFSET {offset}")
        assert ids(df) == list(range(offset, offset + 4))
        assert report_of(df).rows.skipped == rows


@pytest.mark.parametrize("where", ["", "WHERE id >= 35", "WHERE id < 50 OR id >= 100"])
@pytest.mark.parametrize("size", [7, 10, 30])
def test_pages_of_results_have_each_row_once(spark: SparkSession, where: str, size: int) -> None:
    # A user may expect so, if the table does not change, although SQL does not promise it.
    found: list[int] = []
    for offset in range(0, ALL + size, size):
        found += ids(spark.sql(f"SELECT id FROM t {where} LIMIT {size} OFFSET {offset}"))
    assert sorted(found) == sorted(ids(spark.sql(f"SELECT id FROM t {where}")))


@pytest.mark.parametrize("offset", [85, 95, 99, 100, 101, 300])
def test_more_rows_than_there_are(spark: SparkSession, offset: int) -> None:
    found = ids(spark.sql(f"SELECT id FROM t WHERE id >= 100 LIMIT 10 OFFSET {offset}"))
    assert len(found) == len(set(found)) == max(0, min(10, 100 - offset))
    assert min(found, default=100) >= 100


SKIPPING: dict[str, Callable[[SparkSession], DataFrame]] = {
    "count": lambda spark: spark.sql("SELECT count(*) FROM (SELECT id FROM t LIMIT 5 OFFSET 42)"),
    "order": lambda spark: spark.sql(
        "SELECT * FROM (SELECT id FROM t WHERE id < 90 LIMIT 5 OFFSET 42) ORDER BY id DESC"
    ),
    "columns": lambda spark: spark.sql("SELECT id + 1, id FROM t WHERE id < 90 LIMIT 5 OFFSET 42"),
    "groups": lambda spark: spark.sql(
        "SELECT id, count(*) FROM (SELECT id FROM t LIMIT 5 OFFSET 42) GROUP BY id"
    ),
    "offset, then limit": lambda spark: spark.table("t").offset(42).limit(5),
    "limit, then offset": lambda spark: spark.table("t").limit(47).offset(42),
    "filter": lambda spark: spark.table("t").where("id >= 10").limit(47).offset(42),
    "all rows of a row group": lambda spark: spark.table("t").limit(52).offset(42),
}


@pytest.mark.core
@pytest.mark.parametrize("name", SKIPPING)
@pytest.mark.parametrize("aqe", ["true", "false"])
def test_shapes_of_queries(spark: SparkSession, name: str, aqe: str) -> None:
    with conf(spark, {"spark.limitPruning.enabled": "false"}):
        expected = SKIPPING[name](spark).collect()
    with conf(spark, {"spark.sql.adaptive.enabled": aqe}):
        df = SKIPPING[name](spark)
        rows = df.collect()
        assert len(rows) == len(set(rows)) == len(expected)
        assert rows == expected or name != "count"
        assert report_of(df).rows.skipped == 42
        assert df.collect() == rows


def test_a_table_that_is_written(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE written (id BIGINT) USING parquet")
    try:
        query = "SELECT id FROM t WHERE id >= 10 LIMIT 5 OFFSET 42"
        command = spark.sql(f"INSERT INTO written {query}")
        assert report_of(command).rows.skipped == 42
        found = set(ids(spark.table("written")))
        assert len(found) == 5
        assert min(found) >= 10
    finally:
        spark.sql("DROP TABLE written")


WHOLE = {
    # Each evaluation of a LIMIT must have the same rows, and this one may be copied.
    "subquery": "SELECT id FROM t WHERE id IN (SELECT id FROM t LIMIT 5 OFFSET 42)",
    "two limits": "SELECT * FROM (SELECT id FROM t LIMIT 5 OFFSET 42) LIMIT 3",
    "union": "(SELECT id FROM t LIMIT 5 OFFSET 42) UNION ALL (SELECT id FROM t LIMIT 5 OFFSET 42)",
    "join": "SELECT a.id FROM (SELECT id FROM t LIMIT 5 OFFSET 42) a JOIN t b ON a.id = b.id",
    "nothing proved": "SELECT id FROM t WHERE id % 2 = 0 LIMIT 5 OFFSET 42",
    "order by": "SELECT id FROM t ORDER BY id LIMIT 5 OFFSET 42",
    "distinct": "SELECT DISTINCT id FROM t LIMIT 5 OFFSET 42",
    "hint": "SELECT /*+ NO_LIMIT_PRUNING */ id FROM t LIMIT 5 OFFSET 42",
}


@pytest.mark.core
@pytest.mark.parametrize("name", WHOLE)
def test_other_rows_of_an_offset_are_read(spark: SparkSession, name: str) -> None:
    query = WHOLE[name]
    df = spark.sql(query)
    assert len(ids(df)) == len(plain(spark, query))
    assert "SkippedByOffset" not in plan(spark, query)
    assert all(not limit.rows.skipped for limit in limit_pruning.report(df).limits)


@pytest.mark.parametrize("setting", ["ignoreCorruptFiles", "ignoreMissingFiles"])
def test_rows_of_files_that_spark_may_skip_are_not_counted(
    spark: SparkSession, setting: str
) -> None:
    with conf(spark, {f"spark.sql.files.{setting}": "true"}):
        df = spark.sql("SELECT id FROM t WHERE id >= 10 LIMIT 5 OFFSET 42")
        assert len(ids(df)) == 5
        assert not report_of(df).rows.skipped


def test_line_108_random_offsets(spark: SparkSession) -> None:
    chance = random.Random(45)
    tally = 0
    for _ in range(80):
        settings = {
            "spark.limitPruning.pages.minBytes": chance.choice(["0", "1mb"]),
            VECTORIZED: chance.choice(["true", "true", "false"]),
        }
        low, high = sorted(chance.sample(range(ALL + 1), 2))
        where = chance.choice(["", f"WHERE id >= {low}", f"WHERE id >= {low} AND id < {high}"])
        limit, offset = chance.randint(1, 30), chance.randint(0, 120)
        with conf(spark, settings):
            df = spark.sql(f"SELECT id FROM t {where} LIMIT {limit} OFFSET {offset}")
            allowed, found = ids(spark.sql(f"SELECT id FROM t {where}")), ids(df)
            report = report_of(df)
        assert len(found) == len(set(found)) == max(0, min(limit, len(allowed) - offset)), df
        assert set(found) <= set(allowed), (where, limit, offset)
        assert (report.rows.skipped or 0) <= offset
        tally += bool(report.rows.skipped)
    assert tally >= 20
