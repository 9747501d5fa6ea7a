"""The hint NO_LIMIT_PRUNING switches pruning off for the tables of one SELECT, and no others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from support.sparks import needs_spark
from support.tables import Table

HINT = "/*+ NO_LIMIT_PRUNING */"
WHERE = "WHERE species LIKE 'Alpine%' AND s >= 50"
OFF, ON = "hint", None  # the reason of each LIMIT

pytestmark = pytest.mark.usefixtures("wildlife")


def reasons(df: DataFrame) -> list[str | None]:
    """Return the codes of the reasons of the LIMITs, None where the LIMIT is covered."""
    limits = limit_pruning.report(df).limits
    return [limit.reason.code if limit.reason else None for limit in limits]


QUERIES = {
    "a table": (f"SELECT {HINT} * FROM tracking_data {WHERE} LIMIT 3", [OFF]),
    "lower case": (f"SELECT /*+ no_limit_pruning */ * FROM tracking_data {WHERE} LIMIT 3", [OFF]),
    "no hint": (f"SELECT * FROM tracking_data {WHERE} LIMIT 3", [ON]),
    "at the root": (f"SELECT {HINT} * FROM tracking_data LIMIT 3", [OFF]),
    "ORDER BY": (f"SELECT {HINT} species FROM tracking_data ORDER BY s LIMIT 2", [OFF]),
    "an aggregate in ORDER BY": (
        f"SELECT {HINT} species FROM tracking_data GROUP BY species ORDER BY max(s) LIMIT 2",
        ["operator-between"],
    ),
    "DISTINCT": (f"SELECT {HINT} DISTINCT species FROM tracking_data LIMIT 2", [OFF]),
    "an alias and a star": (f"SELECT {HINT} t.* FROM tracking_data AS t {WHERE} LIMIT 3", [OFF]),
    "another hint": (
        f"SELECT /*+ NO_LIMIT_PRUNING, COALESCE(1) */ * FROM tracking_data {WHERE}",
        [],
    ),
    "a derived table": (
        f"SELECT {HINT} * FROM (SELECT * FROM tracking_data {WHERE} LIMIT 3) WHERE s > 0",
        [OFF],
    ),
    "a hint in a derived table": (
        f"SELECT * FROM (SELECT {HINT} * FROM tracking_data {WHERE}) LIMIT 3",
        [OFF],
    ),
    "a common table expression": (
        f"WITH c AS (SELECT * FROM tracking_data) SELECT {HINT} * FROM c {WHERE} LIMIT 3",
        [OFF],
    ),
    "nested common table expressions": (
        (
            "WITH a AS (SELECT * FROM tracking_data), b AS (SELECT * FROM a)"
            f" SELECT {HINT} * FROM b {WHERE} LIMIT 3"
        ),
        [OFF],
    ),
    "a hint in a common table expression": (
        f"WITH c AS (SELECT {HINT} * FROM tracking_data {WHERE}) SELECT * FROM c LIMIT 3",
        [OFF],
    ),
    "a view": (f"SELECT {HINT} * FROM alpine LIMIT 3", [OFF]),
    "a view with the hint": ("SELECT * FROM unpruned LIMIT 3", [OFF]),
    "one side of a UNION": (
        (
            f"(SELECT {HINT} * FROM alpine LIMIT 3) UNION ALL"
            " (SELECT * FROM alpine WHERE s > 0 LIMIT 3)"
        ),
        [OFF, ON],
    ),
    "a subquery in the predicate": (
        f"SELECT {HINT} * FROM range(1) WHERE id <= (SELECT s FROM alpine LIMIT 1)",
        [OFF],
    ),
    "a hint in a subquery of the predicate": (
        f"SELECT * FROM range(1) WHERE id <= (SELECT {HINT} s FROM alpine LIMIT 1)",
        [OFF],
    ),
    "a correlated subquery": (
        (
            f"SELECT {HINT} * FROM alpine a WHERE EXISTS"
            " (SELECT 1 FROM tracking_data t WHERE t.s = a.s) ORDER BY s LIMIT 2"
        ),
        [OFF],
    ),
    "one side of a join": (
        (
            f"SELECT * FROM (SELECT {HINT} * FROM alpine LIMIT 3) JOIN"
            " (SELECT s AS r FROM alpine WHERE s > 0 LIMIT 3) ON s = r"
        ),
        [OFF, ON],
    ),
    "a join of a table with itself": (
        (
            f"SELECT {HINT} * FROM (SELECT * FROM alpine LIMIT 3) JOIN"
            " (SELECT s AS r FROM alpine LIMIT 3) ON s = r"
        ),
        [OFF, OFF],
    ),
}


@pytest.fixture(autouse=True)
def views(spark: SparkSession, wildlife: Table) -> Iterator[None]:
    """A view without the hint, and one with it, over the table `wildlife`."""
    assert wildlife.rows
    spark.sql(f"CREATE TEMP VIEW alpine AS SELECT * FROM tracking_data {WHERE}")
    spark.sql(f"CREATE TEMP VIEW unpruned AS SELECT {HINT} * FROM tracking_data {WHERE}")
    yield
    spark.catalog.dropTempView("alpine")
    spark.catalog.dropTempView("unpruned")


@pytest.mark.parametrize("shape", QUERIES)
def test_the_tables_inside_a_select_with_the_hint(spark: SparkSession, shape: str) -> None:
    query, expected = QUERIES[shape]
    df = spark.sql(query)
    assert reasons(df) == expected
    # The analyzed plan of the DataFrame is planned again.
    assert reasons(df.where("true")) == expected
    rows = df.collect()
    with limit_pruning.disabled(spark):
        plain = spark.sql(query.replace("NO_LIMIT_PRUNING,", "").replace(HINT, "")).collect()
    assert sorted(map(str, rows)) == sorted(map(str, plain))


@pytest.mark.parametrize(
    "source", ["parquet.`{file}`", "parquet.`{file}` AS a", "named", "named a"]
)
def test_metadata_columns(spark: SparkSession, wildlife: Table, source: str) -> None:
    file = wildlife.files[0]
    spark.sql(f"CREATE TABLE named USING parquet LOCATION '{file}'")
    try:
        hinted = (
            f"SELECT {HINT} _metadata.file_name FROM {source.format(file=file)} {WHERE} LIMIT 3"
        )
        df = spark.sql(hinted)
        assert reasons(df) == [OFF]
        assert {row.file_name for row in df.collect()} == {file.name}
    finally:
        spark.sql("DROP TABLE named")


def test_data_frames(spark: SparkSession) -> None:
    table = spark.table("alpine")
    unpruned = table.hint("no_limit_pruning")
    assert reasons(unpruned.limit(3)) == [OFF]
    # The hint changes no other DataFrame of the same table.
    assert reasons(table.limit(3)) == [ON]
    both = unpruned.limit(3).join(table.where("s > 0").limit(2), "s")
    assert sorted(map(str, reasons(both))) == ["None", "hint"]
    itself = unpruned.limit(3).alias("a").join(unpruned.limit(3).alias("b"), "s")
    assert reasons(itself) == [OFF, OFF]


def test_catalog_tables_with_partitions(spark: SparkSession) -> None:
    rows = "SELECT id, id % 2 AS p FROM range(9)"
    spark.sql(f"CREATE TABLE hinted USING parquet PARTITIONED BY (p) AS {rows}")
    try:
        for adaptive in ("true", "false"):
            spark.conf.set("spark.sql.adaptive.enabled", adaptive)
            assert reasons(spark.sql(f"SELECT {HINT} * FROM hinted WHERE p = 1 LIMIT 2")) == [OFF]
            assert reasons(spark.sql("SELECT * FROM hinted WHERE p = 1 AND id > 0 LIMIT 2")) == [ON]
    finally:
        spark.conf.unset("spark.sql.adaptive.enabled")
        spark.sql("DROP TABLE hinted")


def test_cached_data_is_used_with_the_hint(spark: SparkSession) -> None:
    cached = spark.table("alpine").cache()
    try:
        plan = spark.sql(f"EXPLAIN SELECT {HINT} * FROM alpine LIMIT 3").first()
        assert "InMemoryTableScan" in str(plan)
    finally:
        cached.unpersist()


def test_a_write_of_a_query_with_the_hint(spark: SparkSession) -> None:
    before = limit_pruning.totals(spark)
    query = f"SELECT {HINT} * FROM tracking_data {WHERE} LIMIT 3"
    spark.sql(f"CREATE TABLE copied USING parquet AS {query}")
    try:
        assert spark.table("copied").count() == 3
        after = limit_pruning.totals(spark)
        assert after.limits_covered == before.limits_covered
        assert after.limits_not_pruned > before.limits_not_pruned
    finally:
        spark.sql("DROP TABLE copied")


@needs_spark("place for reasons in EXPLAIN")
def test_the_reason_is_shown(spark: SparkSession) -> None:
    (row,) = spark.sql(f"EXPLAIN SELECT {HINT} * FROM alpine LIMIT 3").collect()
    assert "(hint)" in row[0]
    assert "LimitPrunedScan" not in row[0]
    # Spark ignores a hint that it does not know, with a warning in its log.
    parameters = spark.sql("SELECT /*+ NO_LIMIT_PRUNING(alpine) */ * FROM alpine LIMIT 3")
    assert reasons(parameters) == [ON]
