"""Tables of a REST catalog are pruned as others, unless its server plans their scans."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from support.iceberg import rest, tables
from support.iceberg.session import java_table
from support.iceberg.tables import hold, hold_order, hold_unpruned, is_pruned, outcome_of
from support.runs import conf
from support.sessions import OURS_FIRST

pytestmark = OURS_FIRST

CATALOGS = {"rest": "client", "planned": "server"}
"""Catalogs of one server, by who plans scans."""
MERGE_ON_READ = {"write_delete_mode": "merge-on-read"}


@pytest.fixture(scope="module", autouse=True)
def _catalogs(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Add the catalogs to the session."""
    with rest.running(tmp_path_factory.mktemp("rest")) as uri:
        for name, planner in CATALOGS.items():
            catalog = f"spark.sql.catalog.{name}"
            spark.conf.set(catalog, "org.apache.iceberg.spark.SparkCatalog")
            for key, value in {"type": "rest", "uri": uri, "scan-planning-mode": planner}.items():
                spark.conf.set(f"{catalog}.{key}", value)
        yield


@pytest.fixture(scope="module", params=["2", "3"])
def table(spark: SparkSession, request: pytest.FixtureRequest) -> str:
    """2,000 rows in two files with ten row groups each, sorted by ``id``; then 155 are deleted."""
    rows = spark.range(0, 2000, 1, 2).selectExpr(*tables.COLUMNS)
    properties = {**tables.SMALL_ROW_GROUPS, **MERGE_ON_READ, "format__version": request.param}
    name = tables.write_frame(rows, f"rest.db.v{request.param}", **properties)
    spark.sql(f"ALTER TABLE {name} CREATE TAG before")
    spark.sql(f"DELETE FROM {name} WHERE id BETWEEN 1940 AND 1994 OR id < 100")
    assert "RESTTableOperations" in str(java_table(spark, name).operations())
    return name


def read(df: DataFrame) -> tuple[int | None, int | None]:
    """Return the files and row groups that a pruned query reads."""
    assert is_pruned(df), limit_pruning.report(df)
    report = limit_pruning.report(df).only
    assert report.files.total == 2
    return report.files.scanned, report.row_groups.scanned


def test_all_rows(spark: SparkSession, table: str) -> None:
    at = f"{table} VERSION AS OF 'before'"
    assert read(hold(spark, f"SELECT * FROM {at}", 900)) == (1, None)
    assert read(hold(spark, f"SELECT * FROM {at} WHERE id >= 550", 400)) == (1, None)
    assert read(hold(spark, f"SELECT * FROM {at} WHERE s < 's1550'", 1250)) == (2, 3)
    for direction in ("", "DESC"):
        query = f"SELECT id, s, ts FROM {at} WHERE i <> 1007 ORDER BY s {direction}"
        assert read(hold_order(spark, f"{query} LIMIT 7")) == (1, 1)
        assert read(hold_order(spark, f"{query} LIMIT 101")) == (1, 2)


def test_without_deleted_rows(spark: SparkSession, table: str) -> None:
    """Only deletion vectors count the rows that they delete."""
    has_vectors = table.endswith("3")
    for limit in (1, 5, 45, 46, 100, 300):
        for order in ("id", "s DESC"):
            hold_order(spark, f"SELECT * FROM {table} ORDER BY {order} LIMIT {limit}")
        df = hold(spark, f"SELECT * FROM {table} WHERE id >= 500", limit)
        assert is_pruned(df) == has_vectors
    assert is_pruned(hold(spark, f"SELECT * FROM {table}", 500)) == has_vectors


def test_columns_are_read_first(spark: SparkSession, table: str) -> None:
    with conf(spark, {"spark.limitPruning.rows.minBytes": "0"}):
        df = hold(spark, f"SELECT * FROM {table} WHERE m = 3 AND s LIKE '%19%'", 3)
        assert outcome_of(df) == ["pruned", "by rows"]
        df = hold_order(spark, f"SELECT * FROM {table} ORDER BY m DESC, id LIMIT 3")
        assert outcome_of(df) == ["pruned", "by rows"]


def test_scans_that_the_server_plans(spark: SparkSession, table: str) -> None:
    planned = table.replace("rest", "planned")
    assert "RESTTable" in str(java_table(spark, planned).getClass())
    planned = f"{planned} VERSION AS OF 'before'"  # with deletion vectors, plain Spark fails
    hold_unpruned(spark, f"SELECT * FROM {planned} WHERE id < 1900", 50, "iceberg-scan")
    df = hold_order(spark, f"SELECT * FROM {planned} ORDER BY id LIMIT 5")
    assert not is_pruned(df)
