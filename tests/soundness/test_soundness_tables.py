"""What must never be wrong however a table is stored, kept or joined."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO

import pytest
from pyspark.sql import SparkSession

from support import oracle
from support.predicates import Compare
from support.runs import as_dicts, assert_answer, assert_left_alone, conf, hold_sql, on_off
from support.sparks import EXPLAINS_REASONS
from support.tables import Table

WHERE = "species LIKE 'Alpine%' AND s >= 50"
RUNTIME_FILTERS = {
    "spark.sql.optimizer.runtime.bloomFilter.enabled": "true",
    "spark.sql.optimizer.runtime.bloomFilter.applicationSideScanSizeThreshold": "0",
    "spark.sql.optimizer.dynamicPartitionPruning.reuseBroadcastOnly": "false",
    "spark.sql.optimizer.dynamicPartitionPruning.fallbackFilterRatio": "10",
    "spark.sql.exchange.reuse": "false",
}


@pytest.mark.usefixtures("sightings")
@pytest.mark.parametrize("broadcast", ["-1", "10MB"])
def test_line_41_runtime_filters(spark: SparkSession, broadcast: str) -> None:
    days = "(SELECT DISTINCT day AS d FROM sightings WHERE id < 40)"
    limited = "(SELECT * FROM sightings WHERE s >= 4 LIMIT 7)"
    threshold = {"spark.sql.autoBroadcastJoinThreshold": broadcast}
    with conf(spark, RUNTIME_FILTERS | threshold):
        for query, rows in (
            # A filter by the days of the other side may not go below the LIMIT.
            (f"SELECT l.id FROM {limited} l LEFT JOIN {days} x ON l.day = x.d", 7),
            (f"SELECT x.id FROM {days} d JOIN sightings x ON x.day = d.d LIMIT 7", 7),
            (
                "SELECT id FROM sightings WHERE day IN (SELECT DATE'2024-01-02') AND s > 3 LIMIT 7",
                7,
            ),
            (
                f"SELECT id FROM sightings WHERE s >= 4 AND day IN (SELECT d FROM {days}) LIMIT 30",
                20,
            ),
        ):
            assert len(on_off(spark, query).on) == rows, query


@contextmanager
def table_of(spark: SparkSession, name: str, create: str) -> Iterator[None]:
    """Make a table for the block."""
    spark.sql(f"DROP TABLE IF EXISTS {name}")
    spark.sql(create)
    try:
        yield
    finally:
        spark.sql(f"DROP TABLE {name}")


@pytest.mark.parametrize("sort", ["", "SORTED BY (k)"])
def test_line_42_bucketed_tables(spark: SparkSession, sort: str) -> None:
    create = f"CREATE TABLE bucketed (id BIGINT, k INT) USING parquet CLUSTERED BY (k) {sort}"
    with table_of(spark, "bucketed", f"{create} INTO 4 BUCKETS"):
        rows = "SELECT id, CAST(id % 8 AS INT) AS k FROM range(80)"
        for _ in range(2):
            spark.sql(f"INSERT INTO bucketed {rows}")
        for predicate in ("k = 3", "k IN (1, 2)", "id >= 0", "k >= 0 AND id > 40", "k = 9"):
            hold_sql(spark, f"SELECT * FROM bucketed WHERE {predicate}", 10, 20, 200)
        limited = "(SELECT * FROM bucketed WHERE id >= 0 LIMIT 9)"
        for query, count in (
            (f"SELECT count(*) AS n FROM (SELECT k FROM {limited} GROUP BY k)", None),
            (f"SELECT count(*) AS n FROM {limited} a JOIN bucketed b ON a.k = b.k", 180),
            (f"SELECT sum(c) AS n FROM (SELECT k, count(*) AS c FROM {limited} GROUP BY k)", 9),
        ):
            runs = on_off(spark, query)
            assert count is None or runs.on == runs.off == [{"n": count}], query


def test_line_42_streaming_reads(spark: SparkSession, wildlife: Table) -> None:
    stream = spark.readStream.schema("species STRING, s INT").parquet(str(wildlife.path.parent))
    limited = stream.where(WHERE).limit(3)
    writer = limited.writeStream.format("memory").queryName("streamed").trigger(availableNow=True)
    query = writer.outputMode("append").start()
    try:
        assert query.awaitTermination(120)
        allowed = oracle.matching(wildlife.rows, Compare("s", ">=", 50))
        assert_answer(as_dicts(spark.table("streamed")), allowed, 3)
        with redirect_stdout(StringIO()) as plan:
            query.explain()
    finally:
        query.stop()
    assert "FileScan parquet" in plan.getvalue()
    assert "LimitPrunedScan" not in plan.getvalue()
    if EXPLAINS_REASONS:
        assert "LIMIT 3: not pruned: the scan is a streaming source (streaming)" in plan.getvalue()


def test_line_42_cached_and_then_limited(spark: SparkSession, wildlife: Table) -> None:
    cached = spark.table(wildlife.name).cache()
    try:
        assert cached.count() == 12
        query = f"SELECT * FROM tracking_data WHERE {WHERE}"
        hold_sql(spark, query, 3)
        assert cached.where(WHERE).limit(3).count() == 3
        assert cached.where(WHERE).count() == 4
    finally:
        cached.unpersist(blocking=True)


@pytest.mark.usefixtures("wildlife")
def test_line_42_views_of_views(spark: SparkSession) -> None:
    spark.sql(f"CREATE OR REPLACE TEMP VIEW some AS SELECT * FROM tracking_data WHERE {WHERE}")
    spark.sql("CREATE OR REPLACE TEMP VIEW few AS SELECT * FROM some LIMIT 3")
    assert hold_sql(spark, "SELECT * FROM some", 3).only.covered
    assert len(on_off(spark, "SELECT * FROM few").on) == 3
    assert len(on_off(spark, "SELECT * FROM few UNION ALL SELECT * FROM some").on) == 7
    assert len(on_off(spark, "SELECT * FROM few WHERE s > 0 LIMIT 9").on) == 3


def test_line_42_catalog_tables_that_grow(spark: SparkSession) -> None:
    create = "CREATE TABLE grown (id BIGINT, p INT) USING parquet PARTITIONED BY (p)"
    with table_of(spark, "grown", create):
        spark.sql("INSERT INTO grown SELECT id, 1 FROM range(0, 5, 1, 1)")
        query = "SELECT * FROM grown WHERE id >= 0"
        assert hold_sql(spark, query, 5).only.covered
        hold_sql(spark, query, 9)
        spark.sql("INSERT INTO grown SELECT id, 2 FROM range(5, 10, 1, 1)")
        assert hold_sql(spark, query, 9).only.covered
        spark.sql("INSERT OVERWRITE grown PARTITION (p = 1) SELECT -id FROM range(1, 4)")
        hold_sql(spark, query, 9)
        spark.sql("ALTER TABLE grown DROP PARTITION (p = 2)")
        hold_sql(spark, query, 9)


def test_line_42_data_source_v2(spark: SparkSession, wildlife: Table) -> None:
    with conf(spark, {"spark.sql.sources.useV1SourceList": ""}):
        spark.read.parquet(str(wildlife.path)).createOrReplaceTempView("v2")
        report = assert_left_alone(spark, f"SELECT * FROM v2 WHERE {WHERE} LIMIT 3")
        hold_sql(spark, f"SELECT * FROM v2 WHERE {WHERE}", 3)
    assert [limit.reason.code for limit in report if limit.reason] == ["data-source-v2"]
