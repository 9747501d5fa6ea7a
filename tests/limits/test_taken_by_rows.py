"""At the root, the first task reads as plain Spark does; only then rows are searched for."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from limit_pruning import LimitReport
from support.runs import VECTORIZED, conf
from support.scan_tables import physical

ROWS, FILES = 12_000, 6
BY_ROWS = "RowsVerified"
SETTINGS = {
    "spark.limitPruning.rows.minBytes": "1",
    "spark.limitPruning.rows.inFirstTask": "false",  # except in the tests of it
    "spark.limitPruning.pages.minBytes": "0",
    "spark.sql.files.openCostInBytes": "1g",  # a file is a partition
}


@pytest.fixture(scope="module")
def table(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a table of wide rows: ``v`` is spread, ``id`` is not."""
    path = tmp_path_factory.mktemp("taken") / "t"
    rows = spark.range(0, ROWS, 1, FILES).selectExpr(
        "id", "id * 7919 % 1009 AS v", *(f"concat('{c} of ', id) AS c{c}" for c in range(12))
    )
    rows.write.option("parquet.page.row.count.limit", "100").option(
        "parquet.enable.dictionary", "false"
    ).parquet(str(path))
    return path


@pytest.fixture(autouse=True)
def settings(spark: SparkSession, table: Path) -> Iterator[None]:
    """Save one byte, in a table whose files are its partitions."""
    with conf(spark, SETTINGS):
        spark.read.parquet(str(table)).createOrReplaceTempView("taken")
        yield


def report(df: DataFrame) -> LimitReport:
    """Return the report on the only limit."""
    return limit_pruning.report(df).limits[0]


def code(df: DataFrame) -> str | None:
    """Return the code of the reason why the limit is not covered."""
    reason = report(df).reason
    return reason.code if reason else None


def jobs(spark: SparkSession, df: DataFrame) -> int:
    """Collect a query and return how many jobs it took."""
    context = spark.sparkContext
    context.setJobGroup("taken", "taken", interruptOnCancel=False)
    before = len(context.statusTracker().getJobIdsForGroup("taken"))
    try:
        df.collect()
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]
    return len(context.statusTracker().getJobIdsForGroup("taken")) - before


def test_the_first_task_finds_enough(spark: SparkSession) -> None:
    df = spark.sql("SELECT * FROM taken WHERE v % 5 = 3 LIMIT 20")
    assert code(df) == "decided-by-rows"
    assert jobs(spark, df) == 1
    assert BY_ROWS not in physical(df)
    assert not report(df).covered
    assert code(df) == "not-clustered"


def test_the_first_task_finds_too_few(spark: SparkSession) -> None:
    df = spark.sql("SELECT * FROM taken WHERE v = 3 LIMIT 10")
    rows = df.collect()
    assert len({row.id for row in rows}) == 10
    assert all(row.id * 7919 % 1009 == 3 and row.c7 == f"7 of {row.id}" for row in rows)
    assert BY_ROWS in physical(df)
    assert report(df).rows.verified == 10


@pytest.mark.parametrize(("saved", "by_rows"), [(770_000, False), (400_000, True)])
def test_what_is_left_is_not_worth_it(spark: SparkSession, saved: int, by_rows: bool) -> None:
    sql = "SELECT * FROM taken WHERE v % 100 = 3 LIMIT 100"
    # The first of six partitions has about 20 rows, so that nearly all of the table is left.
    with conf(spark, {"spark.limitPruning.rows.minBytes": str(saved // 2)}):
        df = spark.sql(sql)
        assert code(df) == "decided-by-rows"
        assert len({row.id for row in df.collect()}) == 100
        assert (BY_ROWS in physical(df)) == by_rows


def test_plain_spark_has_one_more_job(spark: SparkSession) -> None:
    # The first of six partitions has about 20 rows.
    df = spark.sql("SELECT * FROM taken WHERE v % 100 = 3 LIMIT 35")
    assert jobs(spark, df) == 2
    assert BY_ROWS not in physical(df)


def test_one_more_job_is_not_enough(spark: SparkSession) -> None:
    first = spark.sql("SELECT id FROM taken WHERE v >= 0 LIMIT 1").collect()[0].id // 2000 * 2000
    # All rows that match are in the first partition.
    predicate = f"(id - {first} + {ROWS}) % {ROWS} < 600 AND v % 50 = 3"
    df = spark.sql(f"SELECT * FROM taken WHERE {predicate} LIMIT 20")
    found = {row.id for row in df.collect()}
    assert found == {i for i in range(first, first + 600) if i * 7919 % 1009 % 50 == 3}
    assert 10 < len(found) < 20
    assert BY_ROWS in physical(df)


def test_what_is_not_selected_by_metadata_is_not_read(spark: SparkSession) -> None:
    # Metadata exclude all files but the last two.
    df = spark.sql(f"SELECT * FROM taken WHERE id >= {ROWS * 4 // 6} AND v % 5 = 3 LIMIT 20")
    assert jobs(spark, df) == 1
    assert {row.id >= ROWS * 4 // 6 for row in df.collect()} == {True}
    assert report(df).rows.to_read is not None
    assert BY_ROWS not in physical(df)


IN_FIRST_TASK = {"spark.limitPruning.rows.inFirstTask": "true"}


def test_the_first_task_reads_the_predicate_first(spark: SparkSession) -> None:
    sql = "SELECT * FROM taken WHERE v % 100 = 3 LIMIT 10"
    plain = spark.sql(sql)
    assert len(plain.collect()) == 10
    assert report(plain).rows.verified is None
    with conf(spark, IN_FIRST_TASK):
        df = spark.sql(sql)
        assert code(df) == "decided-by-rows"
        assert jobs(spark, df) == 1
        assert {row.v % 100 for row in df.collect()} == {3}
        assert code(df) == "not-clustered"
        assert report(df).rows.verified == 10
        assert "verified: 10 rows" in str(limit_pruning.report(df))
        # Of 2,000 rows in pages of 100, those up to the tenth that matches.
        assert 10 <= (report(df).rows.read or 0) < 2000
        (size,) = {file.stat().st_size for file in (Path(df.inputFiles()[0][7:]),)}
        assert 0 < report(df).bytes.read_first < size / 10  # type: ignore[operator]
        assert 0 < report(df).bytes.read < size  # type: ignore[operator]
        assert "by reading the columns of the predicate first" in physical(df)


def test_a_file_without_a_match_is_not_read_again(spark: SparkSession) -> None:
    # The first job reads all partitions, so that no search follows.
    with conf(spark, IN_FIRST_TASK | {"spark.sql.limit.initialNumPartitions": "100"}):
        df = spark.sql("SELECT * FROM taken WHERE v + id = 1000000 LIMIT 10")
        assert df.collect() == []
        assert "by reading the columns of the predicate first" in physical(df)
        assert report(df).rows.verified == report(df).bytes.read == 0
        assert report(df).row_groups.read == 0
        assert report(df).bytes.read_first


def test_a_task_opens_no_more_files_than_it_needs(spark: SparkSession) -> None:
    # All files are one partition, and each has about 20 rows that match.
    with conf(spark, IN_FIRST_TASK | {"spark.sql.files.openCostInBytes": "0"}):
        df = spark.sql("SELECT * FROM taken WHERE v % 100 = 3 LIMIT 50")
        rows = df.collect()
        assert len({row.id for row in rows}) == 50
        files = {row.id // (ROWS // FILES) for row in rows}
        assert report(df).row_groups.read == len(files) == 3
        assert report(df).rows.verified == sum(
            i * 7919 % 1009 % 100 == 3 for i in range(ROWS) if i // (ROWS // FILES) in files
        )


@pytest.mark.parametrize("in_first_task", ["false", "true"])
def test_a_task_may_read_the_rows_twice(spark: SparkSession, in_first_task: str) -> None:
    with conf(
        spark,
        {
            "spark.limitPruning.rows.inFirstTask": in_first_task,
            "spark.sql.files.openCostInBytes": "0",
        },
    ):
        df = spark.sql("SELECT id, c1, c2 FROM taken WHERE v % 100 = 3 LIMIT 10")
        assert len(df.collect()) == 10
        assert ("the predicate first" in physical(df)) == (in_first_task == "true")
        rows = df.rdd
        assert rows.union(rows).coalesce(1).count() == 20
        assert rows.cartesian(rows).count() == 100


def test_an_error_of_the_predicate_is_that_of_the_query(spark: SparkSession) -> None:
    with conf(spark, IN_FIRST_TASK | {"spark.sql.ansi.enabled": "true"}):
        found = spark.sql("SELECT * FROM taken WHERE 10 / (id % 2000 - 1500) > -1 LIMIT 1")
        assert len(found.collect()) == 1
        assert "by reading the columns of the predicate first" in physical(found)
        fails = spark.sql("SELECT * FROM taken WHERE 10 / (id - 500) > 5 LIMIT 20")
        with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
            fails.collect()


def test_other_actions_search_at_once(spark: SparkSession) -> None:
    df = spark.sql("SELECT * FROM taken WHERE v % 5 = 3 LIMIT 20")
    java: object = df._jdf.queryExecution().executedPlan().execute().count()
    assert java == 20
    assert BY_ROWS in physical(df)
    # The rows are found once.
    assert len(df.collect()) == 20


@pytest.mark.parametrize("vectorized", ["true", "false"])
@pytest.mark.parametrize("codegen", ["true", "false"])
@pytest.mark.parametrize("in_first_task", ["false", "true"])
def test_random_limits(
    spark: SparkSession, vectorized: str, codegen: str, in_first_task: str
) -> None:
    draw = random.Random(f"{vectorized} {codegen}")
    by_rows = first = 0
    for _ in range(25):
        least, divisor = draw.randrange(ROWS), draw.choice([2, 10, 100, 500, 1009, 2000])
        limit, offset = draw.choice([1, 5, 20, 100, 1000]), draw.choice([0, 0, 0, 3, 40])
        matching = {
            i for i in range(ROWS) if i * 7919 % 1009 % divisor == 1 and (i >= least or i % 2 == 0)
        }
        with conf(
            spark,
            {
                VECTORIZED: vectorized,
                "spark.sql.codegen.wholeStage": codegen,
                "spark.limitPruning.rows.inFirstTask": in_first_task,
                "spark.sql.limit.initialNumPartitions": draw.choice(["1", "1", "3", "100"]),
                "spark.sql.limit.scaleUpFactor": draw.choice(["2", "4"]),
                "spark.limitPruning.rows.minBytes": draw.choice(["1", "1", "10000", "300000"]),
            },
        ):
            df = spark.sql(
                f"SELECT * FROM taken WHERE v % {divisor} = 1 AND (id >= {least} OR id % 2 = 0) "
                f"LIMIT {limit} OFFSET {offset}"
            )
            rows = df.collect()
            ids = {row.id for row in rows}
            assert len(rows) == len(ids) == max(0, min(limit, len(matching) - offset))
            assert ids <= matching
            assert all(row.c11 == f"11 of {row.id}" for row in rows)
            assert len(df.collect()) == len(rows)
            by_rows += BY_ROWS in physical(df)
            first += "the predicate first" in physical(df)
    assert 0 < by_rows < 25
    assert (first > 5) == (in_first_task == "true" and vectorized == "true")


def test_a_predicate_is_interpreted_before_it_is_compiled(
    spark: SparkSession, tmp_path: Path
) -> None:
    # Of two files with one row group each. Nine expressions are compiled after about 29,000 rows.
    rows = spark.range(0, 80_000, 1, 2).selectExpr(
        "id", "id * 7919 % 80000 AS v", *(f"concat('{c} of ', id) AS c{c}" for c in range(12))
    )
    rows.write.option("parquet.page.row.count.limit", "1000").parquet(str(tmp_path / "t"))
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("many_rows")
    with conf(spark, IN_FIRST_TASK):
        for value in (3, 999, 19_998):
            df = spark.sql(f"SELECT * FROM many_rows WHERE (v + 1) % 20000 = {value} LIMIT 10")
            found = {row.id for row in df.collect()}
            assert found == {i for i in range(80_000) if (i * 7919 % 80_000 + 1) % 20_000 == value}
            assert report(df).rows.verified == 4
            assert report(df).rows.read is not None
