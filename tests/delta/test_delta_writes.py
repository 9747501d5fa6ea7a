"""LIMITs in the queries of writes into Delta tables, which Spark plans as queries of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support.copied_limits import LIMITED, SETTINGS, register_wide
from support.runs import conf
from support.sessions import OURS_FIRST

QUERIES = LIMITED | {
    "first of groups": (
        "SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY n ORDER BY day) AS r FROM wide "
        "WHERE day BETWEEN 2 AND 3 AND v % 100 = 3) WHERE r = 1"
    ),
}


@pytest.fixture
def wide(spark: SparkSession, tmp_path: Path) -> Iterator[None]:
    """Register `wide`."""
    register_wide(spark, tmp_path)
    yield
    spark.catalog.dropTempView("wide")


@OURS_FIRST
@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("limited", QUERIES.values(), ids=list(QUERIES))
def test_line_105_inserts_of_one_query_have_the_same_rows(
    spark: SparkSession, tmp_path: Path, limited: str
) -> None:
    columns = spark.sql(limited)
    targets = [("all", columns, "*"), ("ids", columns.select("id"), "id")]
    for name, rows, _ in targets:
        rows.limit(0).write.format("delta").save(str(tmp_path / name))
    inserts = [
        f"INSERT INTO delta.`{tmp_path / name}` SELECT s.{what}" for name, _, what in targets
    ]
    directory = f"INSERT OVERWRITE DIRECTORY '{tmp_path / 'few'}' USING parquet SELECT s.id, s.n"
    with conf(spark, SETTINGS):
        spark.sql(f"FROM ({limited}) s {' '.join(inserts)} {directory}")
        both, ids = (
            spark.read.format("delta").load(str(tmp_path / name)) for name in ("all", "ids")
        )
        others = [ids, spark.read.parquet(str(tmp_path / "few")).select("id")]
        written = both.count()
        assert written == (6 if "PARTITION" in limited else 10)
        for other in others:
            assert other.count() == written
            assert both.join(other, "id").count() == written
        # Other queries of the table are pruned as before.
        report = limit_pruning.report(spark.sql(LIMITED["proved"])).only
        assert report.covered, str(report.reason)


@OURS_FIRST
@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("limited", ["nothing proved", "ties"])
def test_line_105_dynamic_overwrites_of_one_query_have_the_same_rows(
    spark: SparkSession, tmp_path: Path, limited: str
) -> None:
    rows = spark.sql(LIMITED[limited])
    targets = [("all", rows, "*"), ("ids", rows.select("id", "day"), "id, s.day")]
    for name, some, _ in targets:
        some.limit(0).write.format("delta").partitionBy("day").save(str(tmp_path / name))
    inserts = [
        f"INSERT OVERWRITE delta.`{tmp_path / name}` SELECT s.{what}" for name, _, what in targets
    ]
    with conf(spark, SETTINGS | {"spark.sql.sources.partitionOverwriteMode": "dynamic"}):
        spark.sql(f"FROM ({LIMITED[limited]}) s {' '.join(inserts)}")
        both, ids = (
            spark.read.format("delta").load(str(tmp_path / name)) for name in ("all", "ids")
        )
        assert (both.count(), ids.count(), both.join(ids, "id").count()) == (10, 10, 10)


@OURS_FIRST
def test_inserts_of_metadata_columns(spark: SparkSession, tmp_path: Path) -> None:
    table = f"delta.`{tmp_path / 't'}`"
    spark.range(50).write.format("delta").save(str(tmp_path / "t"))
    sources = (
        f"SELECT id, _metadata.file_name AS f FROM {table} VERSION AS OF 0 LIMIT 5",
        f"SELECT a.id, a._metadata.file_name AS f FROM {table} AS a LIMIT 5",
    )
    for number, source in enumerate(sources):
        targets = [tmp_path / f"{name}{number}" for name in "ab"]
        for target in targets:
            spark.sql(source).limit(0).write.format("delta").save(str(target))
        inserts = " ".join(f"INSERT INTO delta.`{target}` SELECT *" for target in targets)
        spark.sql(f"FROM ({source}) s {inserts}")
        assert [spark.read.format("delta").load(str(target)).count() for target in targets] == [
            5,
            5,
        ]
