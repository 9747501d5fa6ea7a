"""DISTINCT … LIMIT reads a sample of row groups, if metadata do not promise its groups."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support.groups_by_rows import in_sample
from support.runs import VECTORIZED, conf, hold_sql
from support.scan_tables import physical

# A search pays if it saves anything, so that small tables are searched, too.
SETTINGS = {
    "spark.limitPruning.rows.minBytes": "1",
    "spark.limitPruning.pages.minBytes": "0",
}
FILES, ROWS = 4, 6_000


@pytest.fixture(scope="module")
def folder(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write more than twenty row groups for each task that runs at the same time."""
    path = tmp_path_factory.mktemp("groups in a sample") / "t"
    rows = spark.range(0, FILES * ROWS, 1, FILES).selectExpr(
        "id",
        "concat('user ', hash(id) % 3000) AS user",
        "hash(id, 1) % 40 AS status",
        "CAST(id * 7 % 12 AS INT) AS few",
        "IF(hash(id, 2) % 3 = 0, NULL, CAST(hash(id, 3) % 500 AS DECIMAL(9, 2))) AS money",
        f"id DIV {ROWS} AS file",
        "concat('text ', hash(id, 4)) AS text",
    )
    rows.write.option("parquet.block.size", "12000").option(
        "parquet.page.row.count.limit", "100"
    ).parquet(str(path))
    return path


@pytest.fixture(autouse=True)
def t(spark: SparkSession, folder: Path) -> Iterator[None]:
    spark.read.parquet(str(folder)).createOrReplaceTempView("t")
    with conf(spark, SETTINGS):
        yield


@pytest.mark.core
def test_few_row_groups_are_read(spark: SparkSession) -> None:
    for keys, where in (
        ("user", "status < 10"),
        ("user", "text LIKE '%9'"),
        ("user, money", "status <> 5 AND few > 3"),
        ("concat(user, few) AS k", "hash(text) % 2 = 0"),
    ):
        query = f"SELECT DISTINCT {keys} FROM t WHERE {where}"
        hold_sql(spark, query, 2, 9)
        assert in_sample(spark, f"{query} LIMIT 8") == (True, True), query
        df = spark.sql(f"{query} LIMIT 8")
        df.collect()
        report = limit_pruning.report(df).only
        assert report.covered
        assert report.rows.to_read == 8
        assert "GroupsCertain: 8," in physical(df)
        assert (report.row_groups.total or 0) >= 40
        assert (report.row_groups.scanned or 40) <= 2


def test_a_sample_without_enough_groups_is_left_to_spark(spark: SparkSession) -> None:
    """Then, queries of the same form do not try: three, then fifteen."""
    tried = []
    for literal in range(10):
        query = f"SELECT DISTINCT user FROM t WHERE hash(text) % 5000 = {literal} LIMIT 9"
        tried.append(in_sample(spark, query))
    assert tried[0] == (True, False)
    assert tried[1:4] == [(False, False)] * 3
    assert sum(searched for searched, _ in tried) == 2
    hold_sql(spark, "SELECT DISTINCT user FROM t WHERE hash(text) % 5000 = 3", 1, 9, 3000)
    # Another form tries.
    assert in_sample(spark, "SELECT DISTINCT user FROM t WHERE hash(text) > 0 LIMIT 9") == (
        True,
        True,
    )


def test_small_tables_are_not_sampled(spark: SparkSession, folder: Path) -> None:
    """A sample of the table would be a large part of it."""
    one = min(folder.glob("*.parquet"))
    spark.read.parquet(str(one)).createOrReplaceTempView("one")
    query = "SELECT DISTINCT user FROM one WHERE status = 7 LIMIT 8"
    assert in_sample(spark, query) == (False, False)
    # As the settings are: the sample takes as long to start as the whole table takes.
    with conf(spark, {"spark.limitPruning.rows.minBytes": "8m"}):
        query = "SELECT DISTINCT user FROM t WHERE status = 8 LIMIT 8"
        assert in_sample(spark, query) == (False, False)


def test_small_dictionaries_show_that_a_sample_is_in_vain(spark: SparkSession) -> None:
    """Spark writes dictionaries of `few` and `status`: no row group has so many values."""
    for keys in ("few", "status", "few, file"):
        query = f"SELECT DISTINCT {keys} FROM t WHERE text LIKE '%7' LIMIT 600"
        assert in_sample(spark, query) == (False, False), keys


def test_pages_that_plain_spark_skips(spark: SparkSession, tmp_path: Path) -> None:
    """A sample reads whole row groups. Plain Spark reads one page of each."""
    rows = spark.range(0, 24_000, 1, 4).selectExpr(
        "CAST(id % 6000 AS INT) AS day", "concat('user ', hash(id) % 3000) AS user"
    )
    rows.sortWithinPartitions("day").write.option("parquet.block.size", "8000").option(
        "parquet.page.row.count.limit", "20"
    ).parquet(str(tmp_path / "t"))
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("days")
    query = "SELECT DISTINCT user FROM days WHERE day % 10 < {} AND user LIKE '%1%' LIMIT 3"
    assert in_sample(spark, query.format(9))[0]
    query = "SELECT DISTINCT user FROM days WHERE array_contains(array({}), day) LIMIT 3"
    hold_sql(spark, query.removesuffix(" LIMIT 3").format(5), 3)


@pytest.mark.parametrize("changed", ["replaced", "removed"])
def test_partitions_and_files_that_change(
    spark: SparkSession, tmp_path: Path, changed: str
) -> None:
    rows = spark.range(0, 24_000, 1, 4).selectExpr(
        "id % 2 AS part", "concat('user ', hash(id) % 3000) AS user", "hash(id, 1) % 40 AS status"
    )
    path = tmp_path / "t"
    rows.write.partitionBy("part").option("parquet.block.size", "2000").option(
        "parquet.page.row.count.limit", "100"
    ).parquet(str(path))
    spark.read.parquet(str(path)).createOrReplaceTempView("parts")
    query = "SELECT DISTINCT user, part FROM parts WHERE part = 1 AND status <> {}"
    hold_sql(spark, query.format(3), 4)
    assert in_sample(spark, query.format(4) + " LIMIT 4") == (True, True)

    df = spark.sql(query.format(5) + " LIMIT 4")
    df.explain()  # planned
    for checksums in path.rglob(".*.crc"):
        checksums.unlink()
    files = sorted(path.glob("part=1/*.parquet"))
    if changed == "replaced":
        for file, other in zip(files, sorted(path.glob("part=0/*.parquet")), strict=True):
            other.replace(file)
        # Spark reads the files as they are.
        assert len(df.collect()) == 4
        assert "RowsVerified" not in physical(df)
    else:
        for file in files[1:]:
            file.unlink()
        with pytest.raises(Exception, match=r"FILE_NOT_EXIST|does not exist"):
            df.collect()


def test_groups_with_functions_are_not_sampled(spark: SparkSession) -> None:
    query = "SELECT user, count(*) FROM t WHERE status = 7 GROUP BY user"
    assert in_sample(spark, f"{query} LIMIT 8") == (False, False)
    hold_sql(spark, query, 8)


@pytest.mark.parametrize("vectorized", ["true", "false"], ids=["vectorized", "row-based"])
def test_line_111_random_samples(spark: SparkSession, vectorized: str) -> None:
    rng = random.Random(12)
    columns = ["user", "status", "few", "money", "text", "id % 77 AS k", "file"]
    wheres = [
        "few < 6",
        "text > 'text 2'",
        "id % 3 = 1",
        "status IN (1, 4, 11)",
        "money = 17",
        "money IS NULL",
        f"file = {FILES - 1}",
        "user LIKE '%77'",
    ]
    samples = enough = 0
    with conf(spark, {VECTORIZED: vectorized}):
        for _ in range(25):
            keys = ", ".join(rng.sample(columns, rng.randint(1, 3)))
            some = " AND ".join(rng.sample(wheres, rng.randint(1, 2)))
            query = f"SELECT DISTINCT {keys} FROM t WHERE {some}"
            limit = rng.choice([2, 5, 13, 60, 500])
            hold_sql(spark, query, limit)
            found = in_sample(spark, f"{query} LIMIT {limit}")
            samples += found[0]
            enough += found[1]
    print(samples, enough)
    assert samples >= 5
    assert enough >= 5
