"""A query that reads the result of a LIMIT more than once sees the same rows each time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.functions import col

import limit_pruning
from support.copied_limits import LIMITED, READ_TWICE, SETTINGS, codes, register_wide
from support.runs import conf, on_off
from support.sparks import needs_spark


@pytest.fixture(scope="module", autouse=True)
def wide(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Register `wide`."""
    register_wide(spark, tmp_path_factory.mktemp("wide"))
    yield
    spark.catalog.dropTempView("wide")


@pytest.mark.parametrize("limited", LIMITED.values(), ids=list(LIMITED))
@pytest.mark.parametrize("twice", READ_TWICE)
def test_line_105_a_cte_that_is_read_twice(spark: SparkSession, limited: str, twice: str) -> None:
    query, count = READ_TWICE[twice]
    if twice == "smaller" and "OFFSET" in limited:
        pytest.skip("Spark alone loses the smaller limit")
    with conf(spark, SETTINGS):
        runs = on_off(spark, f"WITH s AS ({limited}) {query}")
        # Spark pushes this LIMIT down into joins.
        more = spark.sql(f"WITH s AS ({limited}) {query} LIMIT 50").collect()
    assert len(runs.off) == count
    assert len(runs.on) == count
    assert len(more) == count


def test_line_105_groups_that_are_read_twice(spark: SparkSession) -> None:
    groups = "SELECT n, max(c3) AS c FROM wide WHERE day BETWEEN 2 AND 3 GROUP BY n LIMIT 5"
    with conf(spark, SETTINGS):
        df = spark.sql(f"WITH s AS ({groups}) SELECT * FROM s x JOIN (SELECT n FROM s) USING (n)")
        assert df.count() == 5


@pytest.mark.parametrize("limited", LIMITED.values(), ids=list(LIMITED))
@pytest.mark.parametrize("cte", [False, True])
def test_line_105_several_inserts(
    spark: SparkSession, tmp_path: Path, limited: str, cte: bool
) -> None:
    source = f"WITH s AS ({limited}) FROM s" if cte else f"FROM ({limited}) s"
    inserts = [
        f"INSERT OVERWRITE DIRECTORY '{tmp_path / name}' USING parquet SELECT {columns}"
        for name, columns in (("every", "*"), ("ids", "id"))
    ]
    with conf(spark, SETTINGS):
        spark.sql(f"{source} {' '.join(inserts)}")
        every, ids = (spark.read.parquet(str(tmp_path / name)) for name in ("every", "ids"))
        assert (every.count(), ids.count(), every.join(ids, "id").count()) == (10, 10, 10)
        assert limit_pruning.report(spark.sql(LIMITED["proved"])).only.covered


def test_line_105_a_data_frame_that_is_read_twice(spark: SparkSession) -> None:
    with conf(spark, SETTINGS):
        few = spark.sql(LIMITED["nothing proved"])
        assert few.join(few.select("id"), "id").count() == 10
        assert few.select("id").exceptAll(few.where("id >= 0").select("id")).count() == 0
        few.createOrReplaceTempView("few_wide")
        try:
            joined = spark.sql("SELECT * FROM few_wide JOIN (SELECT id FROM few_wide) USING (id)")
            assert joined.count() == 10
        finally:
            spark.catalog.dropTempView("few_wide")
        assert codes(joined) == {"repeated-limit"}


@needs_spark("recursive CTEs", since=(4, 1))
@pytest.mark.parametrize("limited", LIMITED.values(), ids=list(LIMITED))
def test_line_105_iterations_of_a_recursive_cte(spark: SparkSession, limited: str) -> None:
    columns = ", ".join(f"s.c{c}" for c in range(12))
    with conf(spark, SETTINGS):
        df = spark.sql(
            f"WITH RECURSIVE s AS ({limited}), r(id, d) AS (SELECT id, 0 FROM s UNION ALL "
            "SELECT s.id, d + 1 FROM r JOIN s ON r.id = s.id "
            f"WHERE d < 3 AND length(concat({columns})) > 0) SELECT count(*) FROM r"
        )
        assert df.collect() == [(40,)]
        once = spark.sql(
            f"WITH RECURSIVE s AS ({limited}), r(id, d) AS (SELECT 0L, 0 UNION ALL "
            "SELECT s.id, d + 1 FROM r JOIN s ON d < 1) SELECT count(*) FROM r"
        )
        assert once.collect() == [(11,)]
        assert codes(once) == {"repeated-limit"}


@pytest.mark.core
@needs_spark("recursive CTEs", since=(4, 1))
def test_line_105_first_rows_of_groups_in_iterations(spark: SparkSession) -> None:
    """Only an iteration reads so many columns that its keys are read first."""
    numbered = "SELECT *, row_number() OVER (PARTITION BY n ORDER BY day) AS r FROM wide"
    columns = ", ".join(f"s.c{c}" for c in range(12))
    with conf(spark, SETTINGS):
        df = spark.sql(
            f"WITH RECURSIVE s AS (SELECT * FROM ({numbered}) WHERE r = 1), r(id, d) AS "
            "(SELECT id, 0 FROM s UNION ALL SELECT s.id, d + 1 FROM r JOIN s ON r.id = s.id "
            f"WHERE d < 3 AND length(concat({columns})) > 0) SELECT count(*) FROM r"
        )
        groups = spark.table("wide").select("n").distinct().count()
        assert df.collect() == [(4 * groups,)]


def test_line_105_keys_that_grow_with_each_projection(spark: SparkSession) -> None:
    df = spark.table("wide").select("id", col("v").alias("x"))
    for _ in range(40):
        df = df.withColumn("x", col("x") * col("x") % 97)
    few = df.orderBy("x", "id").limit(10)
    assert few.count() == 10
    assert few.join(few.select("id"), "id").count() == 10


def test_line_105_branches_of_a_union_are_not_copies(spark: SparkSession) -> None:
    branches = "SELECT id, c1 AS c FROM wide UNION ALL SELECT id, c2 FROM wide"
    df = spark.sql(f"SELECT count(*) FROM (SELECT * FROM ({branches}) LIMIT 10)")
    assert df.collect() == [(10,)]
    assert not codes(df)
    subquery = spark.sql(
        f"SELECT id FROM range(99) WHERE id IN (SELECT id FROM ({branches}) LIMIT 10 OFFSET 1)"
    )
    subquery.collect()
    assert not codes(subquery)
    with conf(spark, SETTINGS):
        limited = f"SELECT * FROM ({branches}) LIMIT 10"
        query = "SELECT count(*) FROM s JOIN (SELECT id FROM s) USING (id)"
        assert spark.sql(f"WITH s AS ({limited}) {query}").collect() == [(10,)]


def test_line_105_names_in_another_case(spark: SparkSession, tmp_path: Path) -> None:
    columns = "id", "id % 7 AS day", "named_struct('a', id, 'b', id) AS st"
    rows = spark.range(0, 3000, 1, 3).selectExpr(*columns)
    rows.write.option("parquet.block.size", "2000").parquet(str(tmp_path / "t"))
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("structs")
    limited = "SELECT * FROM structs WHERE DAY = 2 AND ST.B % 5 = 1 LIMIT 10"
    query = "SELECT * FROM s WHERE id IN (SELECT id FROM s WHERE st.a >= 0)"
    with conf(spark, SETTINGS | {"spark.limitPruning.rows.minBytes": "0"}):
        df = spark.sql(f"WITH s AS ({limited}) {query}")
        assert len(df.collect()) == 10
        assert codes(df) == {"repeated-limit"}
    spark.catalog.dropTempView("structs")


def test_line_105_a_scalar_subquery_that_is_written_twice(spark: SparkSession) -> None:
    newest = "(SELECT day FROM wide ORDER BY day DESC LIMIT 1)"
    df = spark.sql(
        f"SELECT count(*) FROM wide a JOIN wide b USING (id) WHERE a.day = {newest} "
        f"AND b.day = {newest}"
    )
    assert df.collect()[0][0] > 0
    assert not codes(df)


@pytest.mark.parametrize("reuse_only", ["true", "false"])
def test_line_105_copies_for_dynamic_partition_pruning(
    spark: SparkSession, tmp_path: Path, reuse_only: str
) -> None:
    parts = spark.range(0, 13000, 1, 2).selectExpr("id AS k", "id % 13 AS p")
    parts.write.partitionBy("p").parquet(str(tmp_path / "parts"))
    spark.read.parquet(str(tmp_path / "parts")).createOrReplaceTempView("parts")
    prune = "spark.sql.optimizer.dynamicPartitionPruning"
    with conf(spark, SETTINGS | {f"{prune}.reuseBroadcastOnly": reuse_only}):
        for limited in LIMITED.values():
            df = spark.sql(f"SELECT count(DISTINCT x.id) FROM parts JOIN ({limited}) x ON p = n")
            assert df.collect() == [(10,)]
            # It has the same columns, so it counts as the same LIMIT.
            assert "repeated-limit" not in codes(df)
            assert "dynamicpruning" in df._jdf.queryExecution().executedPlan().toString()
    spark.catalog.dropTempView("parts")


@pytest.mark.parametrize(
    "query",
    [
        (
            "(SELECT id FROM wide WHERE day = 2 LIMIT 5) UNION ALL "
            "(SELECT id FROM wide WHERE day = 3 LIMIT 5)"
        ),
        (
            "(SELECT id FROM wide ORDER BY id LIMIT 5) UNION ALL "
            "(SELECT id FROM wide ORDER BY id DESC LIMIT 5)"
        ),
        (
            "SELECT * FROM (SELECT DISTINCT n FROM wide LIMIT 5), "
            "(SELECT DISTINCT day FROM wide LIMIT 5)"
        ),
        (
            "SELECT * FROM (SELECT id FROM wide WHERE day = 2 LIMIT 5) WHERE id > "
            "(SELECT min(id) FROM (SELECT id FROM wide WHERE day = 3 LIMIT 5))"
        ),
    ],
    ids=["predicates", "orders", "groups", "subquery"],
)
def test_other_limits_over_the_same_table_are_pruned(spark: SparkSession, query: str) -> None:
    df = spark.sql(query)
    df.collect()
    assert len(limit_pruning.report(df).limits) == 2
    assert "repeated-limit" not in codes(df)
