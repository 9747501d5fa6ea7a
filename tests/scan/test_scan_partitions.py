"""A file comes with the values of the partition that listed it, wherever partitions lie."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support.scan_tables import hold, partitioned


@pytest.fixture
def shared(spark: SparkSession, tmp_path: Path) -> Iterator[str]:
    """Make a table of which the partition ``latest`` is at the location of ``p1``."""
    location = (tmp_path / "cp").as_uri()
    spark.sql(
        "CREATE TABLE cp (id BIGINT, s STRING) USING parquet PARTITIONED BY (s) "
        f"LOCATION '{location}'"
    )
    spark.sql("INSERT INTO cp PARTITION (s = 'p0') SELECT id FROM range(20)")
    spark.sql("INSERT INTO cp PARTITION (s = 'p1') SELECT id FROM range(20, 40)")
    spark.sql(f"ALTER TABLE cp ADD PARTITION (s = 'latest') LOCATION '{location}/s=p1'")
    yield "cp"
    spark.sql("DROP TABLE cp")


@pytest.mark.parametrize("where", ["", " WHERE s = 'latest'", " WHERE s = 'p1' AND id >= 25"])
def test_partitions_at_one_location_keep_their_values(
    spark: SparkSession, shared: str, where: str
) -> None:
    query = f"SELECT * FROM {shared}{where}"
    for limit in (2, 25, 50, 100):
        hold(spark, query, limit)
        counted = spark.sql(f"SELECT s, count(*) n FROM ({query} LIMIT {limit}) GROUP BY s")
        assert sum(row.n for row in counted.collect()) <= limit
    hold(spark, f"{query} ORDER BY id DESC, s", 7, ordered=True)
    hold(spark, f"{query} ORDER BY s, id", 25, ordered=True)
    hold(spark, f"{query} ORDER BY s DESC, id", 25, ordered=True)


@pytest.fixture
def unreachable(spark: SparkSession, tmp_path: Path) -> Iterator[str]:
    """Make a table with a partition whose location has no file system."""
    partitioned(spark, tmp_path / "t")
    spark.sql(
        "CREATE TABLE reach (id BIGINT, p BIGINT) USING parquet PARTITIONED BY (p) "
        f"LOCATION '{(tmp_path / 't').as_uri()}'"
    )
    spark.sql("MSCK REPAIR TABLE reach")
    spark.sql("ALTER TABLE reach ADD PARTITION (p = 7)")
    spark.sql("ALTER TABLE reach PARTITION (p = 7) SET LOCATION 'nosuch://host/p=7'")
    yield "reach"
    spark.sql("DROP TABLE reach")


def test_partitions_that_the_predicate_rules_out_are_not_listed(
    spark: SparkSession, unreachable: str
) -> None:
    covered = hold(spark, f"SELECT * FROM {unreachable} WHERE p = 1", 2)
    assert limit_pruning.report(covered).only.covered
    hold(spark, f"SELECT * FROM {unreachable} WHERE P = 1 AND id >= 100", 20)
    hold(spark, f"SELECT * FROM {unreachable} WHERE p < 2 ORDER BY id DESC", 5, ordered=True)
    assert len(covered.inputFiles()) == 2


def test_a_path_that_is_read_twice_gives_its_rows_twice(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = str(tmp_path / "t")
    partitioned(spark, tmp_path / "t", rows=120)
    spark.read.parquet(path, path).createOrReplaceTempView("twice")
    for limit in (3, 70, 239, 500):
        hold(spark, "SELECT * FROM twice", limit)
        hold(spark, "SELECT * FROM twice WHERE id >= 110", limit)
        hold(spark, "SELECT * FROM twice WHERE id % 3 = 0 AND id >= 60", limit)
    hold(spark, "SELECT * FROM twice ORDER BY id DESC", 9, ordered=True)


def test_a_column_of_partition_and_file(spark: SparkSession, tmp_path: Path) -> None:
    """Where a column is in the file, too, the directory's value counts."""
    spark.range(30).selectExpr("id", "5L AS p").coalesce(1).write.parquet(str(tmp_path / "t/p=1"))
    spark.range(30, 60).selectExpr("id", "1L AS p").coalesce(1).write.parquet(
        str(tmp_path / "t/p=2")
    )
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("both")
    for query in ("SELECT * FROM both WHERE p = 1", "SELECT id FROM both WHERE p = 2 AND id > 40"):
        hold(spark, query, 5)
        hold(spark, query, 500)
    hold(spark, "SELECT p, id FROM both ORDER BY p DESC, id", 5, ordered=True)


def test_nulls_of_a_column_of_partition_and_file(spark: SparkSession, tmp_path: Path) -> None:
    """Nulls of a column in the file do not make the partition column of that name null."""
    for part in (1, 2):
        rows = spark.range(30).selectExpr("id", "IF(id < 10, NULL, 7) AS p")
        rows.coalesce(1).write.parquet(str(tmp_path / f"t/p={part}"))
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("both")
    for key in ("p", "p DESC", "p NULLS LAST", "p DESC NULLS FIRST", "p + 1", "p, id", "-p"):
        hold(spark, f"SELECT p FROM both ORDER BY {key}", 5, ordered=True)
        hold(spark, f"SELECT p FROM both WHERE p IS NOT NULL ORDER BY {key}", 35, ordered=True)
    for predicate in ("p IS NULL", "p IS NOT NULL", "p = 7", "p <=> NULL"):
        hold(spark, f"SELECT * FROM both WHERE {predicate}", 5)


def test_input_files(spark: SparkSession, tmp_path: Path, unreachable: str) -> None:
    """The files of a DataFrame are all that it is made of, with a LIMIT or without."""
    table = partitioned(spark, tmp_path / "u")
    assert sorted(table.limit(3).inputFiles()) == sorted(table.inputFiles())
    where = spark.table(unreachable).where("p = 0")
    assert sorted(where.limit(3).inputFiles()) == sorted(where.inputFiles())
