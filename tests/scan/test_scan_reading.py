"""What a scan of ours owes to the query besides rows: columns, options, names, counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from support.runs import ENABLED, conf
from support.scan_tables import hold, is_pruned, partitioned, physical


@pytest.fixture
def t(spark: SparkSession, tmp_path: Path) -> str:
    """Register a partitioned table and return its folder."""
    partitioned(spark, tmp_path / "t").createOrReplaceTempView("t")
    return str(tmp_path / "t")


def test_columns_keep_type_and_nullability(spark: SparkSession, t: str) -> None:
    columns = "id, p, id + p AS s, _metadata.file_name AS f"
    query = f"SELECT {columns} FROM parquet.`{t}` WHERE id >= 100 LIMIT 3"
    pruned = spark.sql(query)
    assert is_pruned(pruned)
    with conf(spark, {ENABLED: "false"}):
        plain = spark.sql(query)
    assert pruned.schema == plain.schema
    execution: Any = pruned._jdf.queryExecution()
    assert execution.executedPlan().schema().equals(execution.optimizedPlan().schema())
    assert len(pruned.collect()) == 3


def test_options_of_the_relation(spark: SparkSession, tmp_path: Path) -> None:
    """Options choose files, find partitions and say how dates are read; all still do."""
    path = tmp_path / "t"
    for part, start in (("a", 0), ("b", 100)):
        spark.range(start, start + 50).coalesce(1).write.parquet(str(tmp_path / part))
        (file,) = (tmp_path / part).glob("*.parquet")
        (path / f"k={part}").mkdir(parents=True)
        file.rename(path / f"k={part}" / f"{part}.parquet")
    for options in (
        {"pathGlobFilter": "b*"},
        {"basePath": str(path)},
        {"recursiveFileLookup": "true"},
        {"modifiedBefore": "2020-01-01T00:00:00"},
        {"datetimeRebaseMode": "LEGACY"},
    ):
        read = spark.read.options(**options)
        folder = path / "k=a" if "basePath" in options else path
        read.schema("id BIGINT, k STRING").parquet(str(folder)).createOrReplaceTempView("opted")
        for limit in (3, 1000):
            hold(spark, "SELECT * FROM opted", limit)
            hold(spark, "SELECT * FROM opted WHERE id >= 120", limit)


def test_nested_columns_are_pruned(spark: SparkSession, tmp_path: Path) -> None:
    struct = "named_struct('a', id, 'b', concat('x', id), 'c', named_struct('d', id)) AS s"
    spark.range(100).selectExpr("id", struct).coalesce(1).write.parquet(str(tmp_path / "t"))
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("nested")
    df = hold(spark, "SELECT s.c.d FROM nested WHERE s.a >= 0", 5)
    schema = re.search(r"ReadSchema: (\S+),", physical(df))
    assert schema
    assert "b:string" not in schema[1]
    assert "c:struct<d:bigint>" in schema[1]
    hold(spark, "SELECT s.b FROM nested ORDER BY s.a DESC", 5, ordered=True)


@contextmanager
def bucketed(spark: SparkSession, name: str, buckets: int) -> Iterator[None]:
    """Make a table of ``id``, in so many buckets, sorted within each."""
    frame = spark.range(200).selectExpr("id", "id % 5 AS g")
    writer = frame.write.bucketBy(buckets, "id").sortBy("id").mode("overwrite")
    writer.saveAsTable(name)
    try:
        yield
    finally:
        spark.sql(f"DROP TABLE {name}")


def test_joins_of_bucketed_tables(spark: SparkSession) -> None:
    """A scan of ours promises neither buckets nor an order, so a join shuffles and sorts it."""
    settings = {
        "spark.sql.autoBroadcastJoinThreshold": "-1",
        "spark.sql.bucketing.coalesceBucketsInJoin.enabled": "true",
    }
    with bucketed(spark, "b4", 4), bucketed(spark, "b8", 8), conf(spark, settings):
        limited = "(SELECT * FROM b8 WHERE id >= 0 LIMIT 150)"
        df = spark.sql(
            f"SELECT count(*) n, count(b4.id) m FROM {limited} l JOIN b4 ON l.id = b4.id"
        )
        assert is_pruned(df)
        assert df.collect() == [(150, 150)]
        hold(spark, "SELECT l.id FROM b8 l JOIN b4 ON l.id = b4.id WHERE l.id IN (3, 77)", 5)
        hold(spark, "SELECT id FROM b8 WHERE id = 77", 5)


@pytest.fixture
def named(spark: SparkSession, t: str) -> Iterator[str]:
    """Make a catalog table over ``t``."""
    spark.sql(f"CREATE TABLE named USING parquet LOCATION '{Path(t).as_uri()}'")
    spark.sql("MSCK REPAIR TABLE named")
    yield "spark_catalog.default.named"
    spark.sql("DROP TABLE named")


def test_the_scan_names_the_table(spark: SparkSession, named: str, t: str) -> None:
    query = f"SELECT id FROM {named} WHERE id >= 100 LIMIT 3"
    assert f"LimitPrunedScan parquet {named} [id#" in physical(spark.sql(query))
    formatted = spark.sql(f"EXPLAIN FORMATTED {query}").head()
    assert formatted
    for part in (f"LimitPrunedScan parquet {named}", "Output", "ReadSchema: struct<id:bigint>", t):
        assert part in formatted[0]


@pytest.mark.usefixtures("t")
def test_secrets_are_redacted(spark: SparkSession) -> None:
    spark.range(3).selectExpr("id", "'secret-word' AS s").coalesce(1).write.saveAsTable("redacted")
    try:
        with conf(spark, {"spark.sql.redaction.string.regex": "secret-[a-z]+"}):
            for mode in ("", "FORMATTED "):
                query = "SELECT * FROM redacted WHERE s = 'secret-word' LIMIT 2"
                explained = spark.sql(f"EXPLAIN {mode}{query}").head()
                assert explained
                scan = explained[0][explained[0].index("LimitPrunedScan") :]
                assert "secret-word" not in re.sub(r"== Extended(.|\n)*", "", scan)
                assert "(redacted)" in scan
    finally:
        spark.sql("DROP TABLE redacted")


def size_in_bytes(df: DataFrame) -> int:
    execution: Any = df._jdf.queryExecution()
    return int(str(execution.optimizedPlan().stats().sizeInBytes()))


def test_statistics_of_the_plan(spark: SparkSession, named: str) -> None:
    """What is pruned is small, and later decisions are made by that."""
    whole = spark.sql(f"SELECT * FROM {named} WHERE id >= 0")
    limited = spark.sql(f"SELECT * FROM {named} WHERE id >= 0 LIMIT 100000")
    covered = spark.sql(f"SELECT * FROM {named} WHERE id >= 0 LIMIT 3")
    assert is_pruned(covered)
    assert size_in_bytes(covered) < size_in_bytes(whole)
    assert size_in_bytes(limited) <= size_in_bytes(whole)


def metric_values(df: DataFrame) -> dict[str, int]:
    """Return the metrics of the query's scan, by name, after it has run."""
    node: Any = df._jdf.queryExecution().executedPlan()
    leaf = node.collectLeaves().head()
    if "AdaptiveSparkPlan" in leaf.nodeName():
        leaf = leaf.executedPlan().collectLeaves().head()
    found = {}
    entries = leaf.metrics().iterator()
    while entries.hasNext():
        entry = entries.next()
        found[str(entry._1())] = int(entry._2().value())
    return found


def test_driver_metrics(spark: SparkSession, t: str) -> None:
    """Spark's own counts of a scan are there, by Spark's names."""
    with conf(spark, {"spark.sql.adaptive.enabled": "false"}):
        df = spark.sql("SELECT * FROM t WHERE id >= 100 AND p = 1 LIMIT 20")
        assert is_pruned(df)
        rows = df.collect()
    metrics = metric_values(df)
    sizes = spark.sql(f"SELECT _metadata.file_size s FROM parquet.`{t}` WHERE id = 101").collect()
    assert len(rows) == 20
    assert metrics["numFiles"] == 1
    assert metrics["filesSize"] == sizes[0].s
    assert metrics["numPartitions"] == 1
    assert metrics["numOutputRows"] >= 20


@pytest.mark.usefixtures("t")
def test_input_metrics_of_tasks(spark: SparkSession) -> None:
    """Tasks report the rows and bytes that they read, as those of Spark's scan do."""
    df = spark.sql("SELECT * FROM t WHERE id >= 100 LIMIT 50")
    assert is_pruned(df)
    spark.sparkContext.setJobGroup("input-metrics", "input metrics")
    try:
        assert len(df.collect()) == 50
    finally:
        spark.sparkContext._jsc.clearJobGroup()
    context: Any = spark.sparkContext._jsc.sc()
    context.listenerBus().waitUntilEmpty()
    store, tracker = context.statusStore(), spark.sparkContext.statusTracker()
    stages = [
        stage
        for job in tracker.getJobIdsForGroup("input-metrics")
        for stage in tracker.getJobInfo(job).stageIds  # type: ignore[union-attr]
    ]
    read = [store.lastStageAttempt(stage) for stage in stages]
    assert sum(stage.inputRecords() for stage in read) >= 50
    assert sum(stage.inputBytes() for stage in read) > 0
