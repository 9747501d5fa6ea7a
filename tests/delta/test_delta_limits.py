"""LIMITs over Delta tables: each way to name a table, each kind of predicate, each order."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from support.copied_limits import READ_TWICE, hold_read_twice
from support.delta import tables
from support.runs import conf
from support.scan_tables import hold, hold_frame, is_pruned
from support.sessions import OURS_FIRST
from support.shared_cte import DEFINITIONS, unmatched
from support.sparks import needs_spark


@pytest.fixture(scope="module")
def table(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table of eight sorted files without deleted rows."""
    return tables.write(spark, tmp_path_factory.mktemp("delta") / "t")


@pytest.mark.core
@pytest.mark.parametrize(
    ("query", "limit"),
    [
        ("SELECT * FROM {}", 10),
        ("SELECT s FROM {} WHERE id >= 900", 20),
        ("SELECT * FROM {} WHERE id BETWEEN 300 AND 1700 AND s IS NOT NULL", 300),
        ("SELECT id, p.x FROM {} WHERE p.x > 1000", 15),
        ("SELECT id FROM {} WHERE s LIKE 's1%' AND s >= 's10' AND s < 's19'", 3),
    ],
)
def test_a_covered_limit_reads_less(
    spark: SparkSession, table: str, query: str, limit: int
) -> None:
    df = hold(spark, query.format(table), limit)
    assert is_pruned(df), limit_pruning.report(df)
    assert limit_pruning.report(df).only.covered


def reason_of(df: DataFrame) -> str | None:
    """Return why the query's one LIMIT is not covered."""
    reason = limit_pruning.report(df).only.reason
    return reason.code if reason else None


def test_timestamps_without_statistics_in_footers_are_proved_by_the_log(
    spark: SparkSession, table: str
) -> None:
    df = hold(spark, f"SELECT id FROM {table} WHERE ts >= TIMESTAMP'2024-01-01 00:10:00'", 20)
    assert is_pruned(df)
    assert limit_pruning.report(df).only.row_groups.fully_matched


@pytest.mark.core
def test_order_by_reads_the_best_files(spark: SparkSession, table: str) -> None:
    for key in ("id DESC", "id", "ts DESC", "ts", "p.x DESC"):
        df = hold(spark, f"SELECT id, s FROM {table} ORDER BY {key}", 7, ordered=True)
        assert is_pruned(df), key
        assert limit_pruning.report(df).only.files.scanned == 1


def test_an_unprovable_predicate_is_planned_as_without_the_extension(
    spark: SparkSession, table: str
) -> None:
    df = hold(spark, f"SELECT * FROM {table} WHERE m = 3", 20)
    assert not is_pruned(df)
    assert reason_of(df) == "not-clustered"


def test_each_way_to_name_a_table(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    tables.write(spark, path)
    spark.sql("DROP TABLE IF EXISTS named")
    spark.sql(f"CREATE TABLE named USING delta LOCATION '{path}'")
    spark.sql("CREATE OR REPLACE TEMP VIEW viewed AS SELECT id + 0 AS a, id, s FROM named")
    spark.sql("DELETE FROM named WHERE id < 1000")
    by_name = f"delta.`{path}`"
    for query in (
        f"SELECT id FROM {by_name} WHERE id >= 1200",
        "SELECT id FROM named WHERE id >= 1200",
        "SELECT s FROM viewed WHERE id >= 1200",
        f"SELECT id FROM {by_name} VERSION AS OF 0 WHERE id >= 100",
        "SELECT id FROM named VERSION AS OF 0 WHERE id < 700",
    ):
        df = hold(spark, query, 30)
        assert is_pruned(df), query
    loaded = spark.read.format("delta").load(str(path)).where("id >= 1500").limit(30)
    hold_frame(spark, loaded, f"SELECT * FROM {by_name} WHERE id >= 1500", 30)
    assert is_pruned(loaded)
    old = spark.read.format("delta").option("versionAsOf", "0").load(str(path))
    old = old.where("id < 500").limit(30)
    hold_frame(spark, old, f"SELECT * FROM {by_name} VERSION AS OF 0 WHERE id < 500", 30)
    assert is_pruned(old)
    assert spark._jvm is not None
    loader = spark._jvm.io.delta.tables.DeltaTable
    to_df = DataFrame(loader.forPath(str(path)).toDF(), spark).where("id >= 1500").limit(30)
    hold_frame(spark, to_df, f"SELECT * FROM {by_name} WHERE id >= 1500", 30)
    assert is_pruned(to_df)
    spark.sql("DROP TABLE named")


def test_limits_in_the_middle_of_a_plan(spark: SparkSession, table: str) -> None:
    limited = f"SELECT id, m FROM {table} WHERE id >= 1600 LIMIT 50"
    for query in (
        f"SELECT count(*), min(id) >= 1600 FROM ({limited})",
        f"SELECT count(*) FROM ({limited}) a JOIN (SELECT DISTINCT m FROM {table}) b USING (m)",
        f"SELECT count(*) FROM ({limited}) UNION ALL SELECT count(*) FROM {table}",
        f"WITH c AS ({limited}) SELECT count(*) FROM c UNION ALL SELECT count(*) FROM {table}",
    ):
        df = spark.sql(query)
        with conf(spark, {"spark.limitPruning.enabled": "false"}):
            wanted = spark.sql(query).collect()
        assert df.collect() == wanted
        assert is_pruned(df), query


def test_limits_in_subqueries(spark: SparkSession, table: str) -> None:
    high = f"SELECT id FROM {table} ORDER BY id DESC LIMIT 10"
    some = f"SELECT id FROM {table} WHERE id >= 1000 LIMIT 20"
    least = f"SELECT min(id) FROM ({high})"
    nested = f"SELECT id FROM {table} WHERE id < ({least}) ORDER BY id DESC LIMIT 1"
    for query, rows in (
        (f"SELECT id FROM {table} WHERE id IN ({high})", list(range(1990, 2000))),
        (f"SELECT (SELECT count(*) FROM ({some}) WHERE id >= 1000) AS id", [20]),
        (f"SELECT (SELECT id FROM {table} ORDER BY id DESC LIMIT 1) AS id", [1999]),
        (f"SELECT id FROM {table} WHERE id > ({least}) + 7", [1998, 1999]),
        (f"SELECT id FROM {table} WHERE id > ({nested}) + 8", [1998, 1999]),
        (f"SELECT id FROM VALUES (1), (2) AS v(id) WHERE EXISTS ({some}) OR id = 2", [1, 2]),
    ):
        df = spark.sql(query)
        assert sorted(row.id for row in df.collect()) == rows
        assert is_pruned(df), query


def test_plain_parquet_is_pruned_beside_delta(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "plain"
    tables.in_files(spark.range(tables.ROWS).toDF("id")).write.parquet(str(path))
    df = hold(spark, f"SELECT id FROM parquet.`{path}` WHERE id >= 900", 20)
    assert is_pruned(df)


def test_partitions_and_deltas_own_limit_push_down(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    rows = spark.range(tables.ROWS).selectExpr(
        "id",
        "CAST(id % 4 AS INT) AS a",
        "IF(id % 5 = 0, NULL, DATE'2024-01-01' + CAST(id % 5 AS INT)) AS d",
    )
    rows.write.format("delta").partitionBy("a", "d").save(str(path))
    table = f"delta.`{path}`"
    for where in (
        "a = 3",
        "a >= 2 AND d IS NULL",
        "d > DATE'2024-01-02' AND id > 100",
        "a = 1 OR id < 10",
    ):
        hold(spark, f"SELECT * FROM {table} WHERE {where}", 25)
        hold(spark, f"SELECT * FROM {table} WHERE {where} ORDER BY id DESC", 5, ordered=True)
    df = hold(spark, f"SELECT * FROM {table} WHERE a = 3", 25)
    assert is_pruned(df)


def test_explain_names_the_reason_for_a_table_that_is_not_pruned(
    spark: SparkSession, table: str
) -> None:
    with conf(spark, {"spark.databricks.delta.stats.skipping": "false"}):
        df = hold(spark, f"SELECT * FROM {table} WHERE id > 5", 10)
        assert reason_of(df) == "delta-not-prepared"


def test_inspect_shows_the_files(spark: SparkSession, table: str) -> None:
    found = limit_pruning.inspect(spark, table, "id >= 1500")
    assert found.files.total == found.files.inspected


@needs_spark("Delta Lake that can read tables by data source V2")
def test_data_source_v2_is_named_as_the_reason(
    spark: SparkSession, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    tables.write(spark, tmp_path / "t")
    request.addfinalizer(lambda: spark.sql("DROP TABLE IF EXISTS by_v2"))
    spark.sql(f"CREATE TABLE by_v2 USING delta LOCATION '{tmp_path / 't'}'")
    with conf(spark, {"spark.databricks.delta.v2.enableMode": "STRICT"}):
        df = hold(spark, "SELECT * FROM by_v2 WHERE id >= 900", 30)
        report = limit_pruning.report(df).only
    reason = report.reason
    assert reason is not None
    assert reason.code == "data-source-v2"
    assert report.table.endswith("by_v2")
    assert reason.message.startswith("Delta Lake reads the table")


@OURS_FIRST
@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.parametrize(
    "limited",
    [
        "SELECT id FROM {} WHERE m = 3 LIMIT 10",
        "SELECT id FROM {} WHERE id >= 900 LIMIT 10",
        "SELECT id FROM {} WHERE m = 3 ORDER BY s LIMIT 10",
    ],
)
def test_line_104_references_see_the_same_rows(
    spark: SparkSession, table: str, definition: str, limited: str
) -> None:
    with conf(spark, {"spark.limitPruning.rows.minBytes": "0"}):
        assert unmatched(spark, definition, limited.format(table)) == 0


@OURS_FIRST
@pytest.mark.parametrize("twice", READ_TWICE)
def test_line_105_copies_see_the_same_rows(spark: SparkSession, table: str, twice: str) -> None:
    with conf(spark, {"spark.limitPruning.rows.minBytes": "0"}):
        hold_read_twice(
            spark,
            twice,
            (
                f"SELECT * FROM {table} WHERE m = 3 LIMIT 10",
                f"SELECT * FROM {table} WHERE id >= 900 LIMIT 10",
                f"SELECT * FROM {table} WHERE m = 3 ORDER BY s LIMIT 10",
            ),
        )
