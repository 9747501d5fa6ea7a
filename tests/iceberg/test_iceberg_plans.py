"""LIMITs over Iceberg tables in the middle of a plan, and inside of writes."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support.iceberg import tables
from support.iceberg.tables import is_pruned
from support.runs import ENABLED, conf
from support.scan_tables import physical
from support.sessions import OURS_FIRST

pytestmark = OURS_FIRST


@pytest.fixture(scope="module")
def table(spark: SparkSession) -> str:
    """A table of eight sorted files without deleted rows."""
    return tables.write(spark)


def test_limits_below_other_operators(spark: SparkSession, table: str) -> None:
    limited = f"SELECT id, m FROM {table} WHERE id >= 600 LIMIT 50"
    for query in (
        f"SELECT count(*), min(id) >= 600 FROM ({limited})",
        f"SELECT count(*) FROM ({limited}) a JOIN (SELECT DISTINCT m FROM {table}) b USING (m)",
        f"SELECT count(*) FROM ({limited}) UNION ALL SELECT count(*) FROM {table}",
        f"SELECT count(*) FROM (({limited}) UNION ALL (SELECT id, m FROM {table}))",
        f"WITH c AS ({limited}) SELECT count(*) FROM c UNION ALL SELECT count(*) FROM {table}",
        f"SELECT count(*) FROM ({limited}) LEFT ANTI JOIN {table} t USING (id)",
        f"SELECT count(*) FROM ({limited}) WHERE id < 600",
        f"SELECT count(*) FROM (SELECT * FROM ({limited}) LIMIT 20)",
        f"SELECT max(n) FROM (SELECT row_number() OVER (ORDER BY id) AS n FROM ({limited}))",
    ):
        df = spark.sql(query)
        with conf(spark, {ENABLED: "false"}):
            wanted = spark.sql(query).collect()
        assert df.collect() == wanted, query
        assert is_pruned(df), query


def test_limits_in_subqueries(spark: SparkSession, table: str) -> None:
    some = f"SELECT id FROM {table} WHERE id >= 600 LIMIT 20"
    for query, rows in (
        (f"SELECT (SELECT count(*) FROM ({some}) WHERE id >= 600) AS id", [20]),
        (f"SELECT (SELECT 5 FROM {table} WHERE id >= 600 LIMIT 1) AS id", [5]),
        (f"SELECT id FROM VALUES (1), (2) AS v(id) WHERE EXISTS ({some}) OR id = 2", [1, 2]),
        (f"SELECT count(*) AS id FROM {table} WHERE id IN ({some})", [20]),
        (
            f"SELECT count(*) AS id FROM {table} WHERE id > (SELECT 1500 FROM ({some}) LIMIT 1)",
            [499],
        ),
    ):
        df = spark.sql(query)
        assert sorted(row.id for row in df.collect()) == rows
        assert is_pruned(df), query


def test_a_limited_scan_is_not_reused_for_another_one(spark: SparkSession, table: str) -> None:
    """Spark reuses the exchange of one scan for another that is equal."""
    one, all_ = f"SELECT id FROM {table} LIMIT 50", f"SELECT id FROM {table}"
    more = f"SELECT id FROM {table} WHERE id >= 0 LIMIT 1200"
    query = (
        f"SELECT count(DISTINCT id) FROM ({one}) UNION ALL SELECT count(DISTINCT id) FROM ({all_}) "
        f"UNION ALL SELECT count(DISTINCT id) FROM ({more})"
    )
    df = spark.sql(query)
    assert sorted(row[0] for row in df.collect()) == [50, 1200, 2000]
    assert physical(df).count("LimitPruned(files=") >= 2


def test_inserted_rows(spark: SparkSession, table: str) -> None:
    target = tables.new_name()
    limited = f"SELECT * FROM {table} WHERE id >= 600 LIMIT 300"
    spark.sql(f"CREATE TABLE {target} USING iceberg AS {limited}")
    assert spark.sql(f"SELECT count(*), min(id) >= 600 FROM {target}").collect() == [(300, True)]
    spark.sql(f"INSERT INTO {target} {limited}")
    spark.sql(f"INSERT INTO {target} SELECT * FROM {target} LIMIT 100")
    assert spark.table(target).count() == 700
    spark.sql(f"INSERT OVERWRITE {target} {limited}")
    assert spark.table(target).count() == 300


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_row_level_commands_with_a_limited_source(spark: SparkSession, mode: str) -> None:
    kinds = {f"write.{kind}.mode": mode for kind in ("delete", "update", "merge")}
    source = tables.write(spark)
    target = tables.write(spark, **{key.replace(".", "_"): value for key, value in kinds.items()})
    # Which rows a LIMIT takes is not fixed. So all rows of the source have the same effect.
    spark.sql(
        f"MERGE INTO {target} t USING (SELECT id FROM {source} WHERE id >= 1000 LIMIT 250) u "
        "ON t.id = u.id WHEN MATCHED THEN UPDATE SET m = 99"
    )
    assert spark.sql(f"SELECT * FROM {target} WHERE m = 99").count() == 250
    assert spark.table(target).count() == 2000
    spark.sql(
        f"MERGE INTO {target} t USING (SELECT id FROM {source} WHERE id >= 501 LIMIT 249) u "
        "ON t.id = u.id WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id) VALUES (u.id)"
    )
    assert spark.table(target).count() == 1751
    spark.sql(f"DELETE FROM {target} WHERE id IN (SELECT id FROM {source} WHERE id < 200 LIMIT 20)")
    assert spark.table(target).count() == 1731
    spark.sql(
        f"UPDATE {target} SET m = -1 WHERE id IN (SELECT id FROM {target} WHERE id < 500 LIMIT 20)"
    )
    assert spark.sql(f"SELECT * FROM {target} WHERE m = -1").count() == 20
    assert spark.table(target).count() == 1731


def test_storage_partitioned_joins(spark: SparkSession) -> None:
    names = []
    for _ in range(2):
        name = tables.new_name()
        spark.sql(
            f"CREATE TABLE {name} USING iceberg PARTITIONED BY (k) AS "
            "SELECT id, id % 4 AS k FROM range(400)"
        )
        names.append(name)
    one, other = names
    settings = {
        "spark.sql.sources.v2.bucketing.enabled": "true",
        "spark.sql.sources.v2.bucketing.pushPartValues.enabled": "true",
        "spark.sql.iceberg.planning.preserve-data-grouping": "true",
        "spark.sql.autoBroadcastJoinThreshold": "-1",
    }
    with conf(spark, settings):
        query = f"SELECT count(*) FROM {one} a JOIN {other} b USING (k, id)"
        assert spark.sql(query).collect() == [(400,)]
        limited = f"SELECT * FROM {one} WHERE k > 1 LIMIT 30"
        df = spark.sql(f"SELECT count(*) FROM ({limited}) a JOIN {other} b USING (k, id)")
        assert df.collect() == [(30,)]
        assert not is_pruned(df)
        df = spark.sql(f"SELECT k FROM {one} LIMIT 30")
        assert len(df.collect()) == 30
        assert tables.reason_of(df) == "iceberg-scan"


def test_runtime_filters(spark: SparkSession) -> None:
    fact = tables.new_name()
    spark.sql(
        f"CREATE TABLE {fact} USING iceberg PARTITIONED BY (k) AS "
        "SELECT id, id % 8 AS k FROM range(800)"
    )
    spark.sql("SELECT 3L AS k, 'x' AS label").createOrReplaceTempView("few")
    joined = f"SELECT * FROM {fact} JOIN few USING (k) WHERE label = 'x'"
    assert len(spark.sql(f"{joined} LIMIT 500").collect()) == 100
    limited = f"SELECT * FROM {fact} WHERE id >= 0 LIMIT 150"
    few = "SELECT * FROM few WHERE label = 'x'"
    for query in (
        f"SELECT count(*) FROM ({limited}) l LEFT JOIN ({few}) f ON l.k = f.k",
        f"SELECT count(*) > -1 FROM ({limited}) JOIN ({few}) USING (k)",
    ):
        df = spark.sql(query)
        assert df.collect()[0][0] in (150, True)
        assert is_pruned(df)


def test_cached_tables(spark: SparkSession, table: str) -> None:
    df = spark.sql(f"SELECT * FROM {table} WHERE id >= 600 LIMIT 70").cache()
    try:
        assert df.count() == 70
        assert df.count() == df.where("id >= 600").count()
        again = spark.sql(f"SELECT * FROM {table} WHERE id >= 600 LIMIT 70")
        assert "InMemoryTableScan" in physical(again)
        assert again.count() == 70
    finally:
        df.unpersist()
    spark.sql(f"CACHE TABLE whole AS SELECT * FROM {table}")
    try:
        assert spark.sql("SELECT * FROM whole WHERE id >= 600 LIMIT 70").count() == 70
    finally:
        spark.sql("UNCACHE TABLE whole")


def test_the_same_query_again(spark: SparkSession, table: str) -> None:
    query = f"SELECT * FROM {table} WHERE id >= 600 LIMIT 300"
    one, other = spark.sql(query), spark.sql(query)
    chosen = [limit_pruning.report(df).only.files.chosen for df in (one, other)]
    assert chosen[0] == chosen[1]
    for _ in range(3):
        assert len(one.collect()) == 300
    assert one.sameSemantics(other)


def test_adaptive_execution_does_not_matter(spark: SparkSession, table: str) -> None:
    with conf(spark, {"spark.sql.adaptive.enabled": "false"}):
        df = spark.sql(f"SELECT m, count(*) FROM (SELECT * FROM {table} LIMIT 300) GROUP BY m")
        assert sum(row[1] for row in df.collect()) == 300
        assert is_pruned(df)


def test_line_105_copies_for_dynamic_partition_pruning(spark: SparkSession) -> None:
    fact, dim = tables.new_name(), tables.write(spark)
    spark.sql(
        f"CREATE TABLE {fact} USING iceberg PARTITIONED BY (truncate(100, k)) AS "
        "SELECT id AS k FROM range(2000)"
    )
    prune = "spark.sql.optimizer.dynamicPartitionPruning.reuseBroadcastOnly"
    limited = f"SELECT id FROM {dim} WHERE id >= 501 LIMIT 249"
    for reuse_only in ("true", "false"):
        with conf(spark, {prune: reuse_only}):
            joined = spark.sql(f"SELECT count(*) FROM {fact} JOIN ({limited}) ON k = id")
            assert joined.collect() == [(249,)]
