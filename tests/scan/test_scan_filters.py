"""Every filter holds: on partitions, with subqueries, in another case, added later."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf

import limit_pruning
from limit_pruning import LimitReport
from support.runs import conf
from support.scan_tables import (
    EAGER_FILTERS,
    hold,
    is_pruned,
    one_value,
    partitioned,
    physical,
    plain,
)
from support.sparks import EXPLAINS_REASONS

FEW_FILES = {"spark.limitPruning.planning.maxFiles": "2"}
# Python UDFs over a partitioned table hang in plain PySpark 4.2.0 with Arrow.
NO_ARROW = {"spark.sql.execution.pythonUDF.arrow.enabled": "false"}


@pytest.fixture
def t(spark: SparkSession, tmp_path: Path) -> None:
    """Register ``t``, and ``x``, whose one value is its newest partition."""
    partitioned(spark, tmp_path / "t").createOrReplaceTempView("t")
    one_value(spark, 1)


def only(spark: SparkSession, query: str) -> LimitReport:
    return limit_pruning.report(spark.sql(query)).only


@pytest.mark.usefixtures("t")
@pytest.mark.parametrize(
    "predicate",
    [
        "p = (SELECT max(v) FROM x) AND id >= 100",
        "p = (SELECT max(v) FROM x)",
        "p IN (SELECT v FROM x) AND id >= 100",
        "id > (SELECT min(v) FROM x) AND id >= 100",
        "id >= 100 AND (id = 101 OR p = (SELECT max(v) FROM x))",
        "EXISTS (SELECT * FROM x WHERE v = p) AND id >= 100",
    ],
)
def test_subqueries_in_filters(spark: SparkSession, predicate: str) -> None:
    hold(spark, f"SELECT * FROM t WHERE {predicate}", 10)
    hold(spark, f"SELECT * FROM t WHERE {predicate} ORDER BY id", 10, ordered=True)
    with conf(spark, FEW_FILES):
        hold(spark, f"SELECT * FROM t WHERE {predicate}", 150)


@pytest.mark.usefixtures("t")
@pytest.mark.parametrize(("reuse", "code"), [("true", "decided-when-run"), ("false", "subquery")])
def test_a_limit_with_a_subquery_says_why_it_is_not_pruned_and_reads_no_footer(
    spark: SparkSession, reuse: str, code: str
) -> None:
    newest = "p = (SELECT max(p) FROM t)"
    for order in ("", " ORDER BY id"):
        query = f"SELECT * FROM t WHERE {newest} AND id > 1{order} LIMIT 5"
        with conf(spark, {"spark.sql.execution.reuseSubquery": reuse}):
            limit = only(spark, query)
            explained = spark.sql(f"EXPLAIN {query}").head()
        assert limit.reason
        assert limit.reason.code == code
        assert limit.files.inspected is None
        assert explained
        assert ("contains a subquery" in explained[0]) == EXPLAINS_REASONS


@pytest.mark.usefixtures("t")
def test_a_subquery_in_the_output_does_not_keep_a_limit_from_being_pruned(
    spark: SparkSession,
) -> None:
    df = hold(spark, "SELECT id, (SELECT max(v) FROM x) m FROM t WHERE id >= 100", 10)
    assert limit_pruning.report(df).only.covered
    query = "SELECT id, (SELECT max(v) FROM x) m FROM t ORDER BY m, id"
    assert only(spark, f"{query} LIMIT 3").reason
    hold(spark, query, 3, ordered=True)


def test_names_in_another_case(spark: SparkSession, tmp_path: Path) -> None:
    partitioned(spark, tmp_path / "t", rows=300, values=3).createOrReplaceTempView("t")
    with conf(spark, FEW_FILES):
        for limit in (3, 1000):
            hold(spark, "SELECT * FROM t WHERE P = 1", limit)
            hold(spark, "SELECT * FROM t WHERE P = 1 AND ID >= 40", limit)
            hold(spark, "SELECT Id FROM t WHERE P IN (0, 2) ORDER BY iD", limit, ordered=True)
    counts = limit_pruning.report(spark.sql("SELECT * FROM t WHERE P = 1 LIMIT 3")).only
    assert counts.files.total == 2


def test_partition_filters_stay_where_rows_are_not_proved(
    spark: SparkSession, tmp_path: Path
) -> None:
    partitioned(spark, tmp_path / "t", rows=300, values=3).createOrReplaceTempView("t")
    with conf(spark, FEW_FILES):
        df = hold(spark, "SELECT * FROM t WHERE p >= 1 AND id % 7 = 0 AND id >= 150", 100)
        ordered = hold(spark, "SELECT * FROM t WHERE p = 1 ORDER BY id DESC", 9, ordered=True)
    for one in (df, ordered):
        if is_pruned(one):
            assert re.search(r"Filter .*\(p#\d+L? >?= 1\)", physical(one)), physical(one)
    assert is_pruned(ordered)


@pytest.mark.usefixtures("t")
def test_data_filters_are_pushed_and_stay(spark: SparkSession) -> None:
    df = hold(spark, "SELECT * FROM t WHERE id >= 120 ORDER BY id", 7, ordered=True)
    assert is_pruned(df)
    assert re.search(r"Filter .*id#\d+L? >= 120", physical(df))
    hold(spark, "SELECT * FROM t WHERE id % 3 = 1 AND p = 0", 30)


def test_filters_that_stay_above(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.range(200).selectExpr("id", "concat('x', id) s").coalesce(1)
    frame.write.parquet(str(tmp_path / "t"))
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("t")
    named = "SELECT id, regexp_replace(s, 'a', 'b') u FROM t"
    for again in ("true", "false"):
        with conf(spark, {"spark.sql.optimizer.avoidDoubleFilterEval": again}):
            hold(spark, f"SELECT * FROM ({named}) WHERE id >= 0 AND u > 'x'", 5)
            hold(spark, f"SELECT id FROM ({named}) WHERE id >= 90 AND u > 'x9'", 5)
            hold(spark, f"SELECT * FROM ({named}) WHERE u > 'x' AND id < 20", 5)
    query = "SELECT * FROM (SELECT id, rand(1) r FROM t WHERE id > 10) WHERE r < 2 LIMIT 5"
    limit = only(spark, query)
    assert limit.reason
    assert limit.reason.code == "not-deterministic"
    assert len(spark.sql(query).collect()) == 5


@pytest.mark.usefixtures("t")
def test_a_python_udf_on_a_partition_column_is_planned_without_failing(spark: SparkSession) -> None:
    """Only Spark can evaluate it, so it prunes no partition while planning."""
    with conf(spark, NO_ARROW):
        is_one = udf(lambda p: p == 1, "boolean", useArrow=False)
        df = spark.table("t").where(is_one("p")).limit(5)
        rows = df.collect()
    assert len(rows) == 5
    assert {row.p for row in rows} == {1}


@pytest.mark.usefixtures("t")
def test_filters_that_come_in_later(spark: SparkSession, tmp_path: Path) -> None:
    """Dynamic partition pruning and bloom filters filter joins, never the rows of a LIMIT below."""
    spark.range(1).selectExpr("1L AS k", "'a' AS a").write.parquet(str(tmp_path / "d"))
    spark.read.parquet(str(tmp_path / "d")).createOrReplaceTempView("d")
    join = "SELECT t.id, t.p FROM t JOIN d ON t.p = d.k WHERE d.a = 'a' AND t.id >= 20"
    below = "(SELECT * FROM t WHERE id >= 20 LIMIT 3) s LEFT JOIN d ON s.p = d.k"
    with conf(spark, EAGER_FILTERS):
        hold(spark, join, 5)
        hold(spark, f"{join} ORDER BY t.id", 5, ordered=True)
        assert spark.sql(f"SELECT count(*) n FROM {below}").collect() == [(3,)]
    assert plain(spark, f"SELECT count(*) FROM {below}") == [(3,)]


@pytest.mark.parametrize("is_in_file", [True, False])
def test_the_column_that_sparks_reader_makes(
    spark: SparkSession, tmp_path: Path, is_in_file: bool
) -> None:
    """Spark's reader numbers rows in a column of this name, whatever a file has of it."""
    name = "_tmp_metadata_row_index"
    frame = spark.range(100).selectExpr("id", *([f"id + 1000 AS {name}"] if is_in_file else []))
    frame.coalesce(1).write.parquet(str(tmp_path / "t"))
    schema = f"id BIGINT, {name} BIGINT"
    spark.read.schema(schema).parquet(str(tmp_path / "t")).createOrReplaceTempView("t")
    for predicate in (f"id = {name}", f"{name} IS NULL", f"{name} >= 90", f"{name} < 1000"):
        hold(spark, f"SELECT id FROM t WHERE {predicate}", 5)
    hold(spark, f"SELECT id FROM t ORDER BY {name} DESC", 5, ordered=True)
