"""ORDER BY … LIMIT over Iceberg tables: the first rows, and each thing that could hide them."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from pyspark.sql import Row, SparkSession
from pyspark.sql.functions import col

import limit_pruning
from limit_pruning import LimitReport
from support.iceberg import tables
from support.iceberg.session import java_table
from support.iceberg.tables import hold_order, is_pruned, reason_of
from support.runs import ENABLED, conf
from support.scan_tables import hold_limits
from support.sessions import OURS_FIRST
from support.sparks import needs_spark

pytestmark = OURS_FIRST

NOT_CLUSTERED = "key-not-clustered-in-files"
MERGE_ON_READ = {"write_delete_mode": "merge-on-read", "write_update_mode": "merge-on-read"}


def hold_files(spark: SparkSession, query: str, files: int) -> LimitReport:
    """Hold a query to plain Spark, and require the number of files that it reads."""
    df = hold_order(spark, query)
    report = limit_pruning.report(df).only
    assert is_pruned(df), report
    assert report.covered
    assert report.files.scanned == files, report
    return report


def hold_all(spark: SparkSession, query: str, reason: str = NOT_CLUSTERED) -> None:
    """Hold a query to plain Spark, and require the reason why it reads all files."""
    df = hold_order(spark, query)
    assert not is_pruned(df)
    assert reason_of(df) == reason, limit_pruning.report(df)


@pytest.fixture(scope="module")
def table(spark: SparkSession) -> str:
    """A table of eight sorted files without deleted rows."""
    return tables.write(spark)


@pytest.mark.parametrize("key", ["id", "s", "ts", "tn", "d", "f", "r", "c", "i", "x"])
def test_files_are_skipped_by_each_type(spark: SparkSession, table: str, key: str) -> None:
    for direction in ("", "DESC", "ASC NULLS LAST", "DESC NULLS FIRST"):
        hold_files(spark, f"SELECT * FROM {table} ORDER BY {key} {direction} LIMIT 5", 1)
    hold_files(spark, f"SELECT id FROM {table} ORDER BY {key} LIMIT 251", 2)
    hold_files(spark, f"SELECT id FROM {table} WHERE id >= 600 ORDER BY {key} LIMIT 5", 2)


def test_booleans_have_many_ties(spark: SparkSession, table: str) -> None:
    hold_files(spark, f"SELECT * FROM {table} ORDER BY b, id LIMIT 5", 4)
    hold_files(spark, f"SELECT * FROM {table} ORDER BY b DESC, id LIMIT 5", 4)


def test_more_keys_decide_between_ties(spark: SparkSession) -> None:
    """Each value of ``k`` is in two files, and the better row by ``id`` is in the later one."""
    rows = spark.range(800).selectExpr("id", "CAST(id DIV 200 AS INT) AS k", "-id AS o")
    table = tables.write_frame(tables.in_files(rows, 8))
    hold_files(spark, f"SELECT * FROM {table} ORDER BY k, o LIMIT 5", 2)
    hold_files(spark, f"SELECT * FROM {table} ORDER BY k DESC, id LIMIT 5", 2)
    hold_files(spark, f"SELECT * FROM {table} ORDER BY k, o LIMIT 250", 4)
    assert spark.sql(f"SELECT k FROM {table} ORDER BY k LIMIT 150").collect() == [Row(k=0)] * 150


def test_an_offset_counts(spark: SparkSession, table: str) -> None:
    hold_files(spark, f"SELECT * FROM {table} ORDER BY id LIMIT 5 OFFSET 245", 1)
    hold_files(spark, f"SELECT * FROM {table} ORDER BY id LIMIT 6 OFFSET 245", 2)


def test_projections_and_names(spark: SparkSession, table: str) -> None:
    hold_files(spark, f"SELECT s AS u, id + 1 AS v FROM {table} ORDER BY u LIMIT 5", 1)
    hold_files(spark, f"SELECT m FROM {table} ORDER BY ID DESC LIMIT 5", 1)
    hold_files(spark, f"SELECT a FROM (SELECT Id AS a FROM {table}) ORDER BY a LIMIT 5", 1)
    hold_files(spark, f"SELECT id, _file FROM {table} ORDER BY id LIMIT 5", 1)


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT * FROM {} ORDER BY id + 1 LIMIT 5", "key-not-column"),
        ("SELECT *, -id AS o FROM {} ORDER BY o LIMIT 5", "key-not-column"),
        ("SELECT * FROM {} ORDER BY p.x LIMIT 5", "key-not-column"),
        ("SELECT * FROM {} ORDER BY m, id LIMIT 5", NOT_CLUSTERED),
        ("SELECT id, _pos FROM {} ORDER BY _pos, id LIMIT 5", NOT_CLUSTERED),
        ("SELECT * FROM {} WHERE m = 3 ORDER BY id LIMIT 5", NOT_CLUSTERED),
        ("SELECT * FROM {} WHERE p.x >= 3 ORDER BY id LIMIT 5", NOT_CLUSTERED),
        ("SELECT * FROM {} ORDER BY id LIMIT 1999", NOT_CLUSTERED),
        pytest.param(
            "SELECT * FROM {} ORDER BY s COLLATE UTF8_LCASE LIMIT 5",
            "key-not-ordered",
            marks=needs_spark("collations"),
        ),
        ("SELECT * FROM {} ORDER BY p LIMIT 5", "key-not-ordered"),
        ("SELECT m, count(*) AS n FROM {} GROUP BY m ORDER BY m LIMIT 5", "operator-between"),
        ("SELECT * FROM {} WHERE id < -5 ORDER BY id LIMIT 5", "no-files"),
        ("SELECT * FROM {} WHERE id < 9 ORDER BY id LIMIT 5", "nothing-to-skip"),
    ],
)
def test_an_order_that_is_not_pruned_has_a_reason(
    spark: SparkSession, table: str, query: str, reason: str
) -> None:
    hold_all(spark, query.format(table), reason)


def test_line_65_nulls(spark: SparkSession) -> None:
    """Two files have a null among their values, and one has nothing else."""
    rows = spark.range(1000).selectExpr(
        "id", "IF(id % 250 = 7 AND id < 500 OR id >= 750, NULL, id) AS v", "-id AS o"
    )
    table = tables.write_frame(tables.in_files(rows, 4))
    hold_files(spark, f"SELECT * FROM {table} ORDER BY v, o LIMIT 252", 3)
    hold_files(spark, f"SELECT * FROM {table} ORDER BY v, o LIMIT 253", 3)
    hold_files(spark, f"SELECT * FROM {table} ORDER BY v NULLS LAST LIMIT 249", 1)
    hold_files(spark, f"SELECT * FROM {table} ORDER BY v NULLS LAST LIMIT 250", 2)
    hold_files(spark, f"SELECT * FROM {table} ORDER BY v DESC LIMIT 250", 1)
    hold_files(spark, f"SELECT * FROM {table} ORDER BY v DESC LIMIT 251", 2)
    hold_files(spark, f"SELECT * FROM {table} ORDER BY v DESC NULLS FIRST, o LIMIT 5", 3)
    hold_all(spark, f"SELECT * FROM {table} ORDER BY v DESC, id LIMIT 749")
    query = f"SELECT * FROM {table} WHERE v IS NOT NULL ORDER BY v DESC"
    hold_files(spark, f"{query} NULLS FIRST LIMIT 5", 1)


@pytest.mark.parametrize("kind", ["DOUBLE", "FLOAT"])
def test_line_66_nan(spark: SparkSession, kind: str) -> None:
    rows = spark.range(1000).selectExpr(
        "id",
        f"CAST(IF(id % 250 = 7 AND id < 500, 'NaN', CAST(id AS STRING)) AS {kind}) AS v",
        f"CAST(IF(id < 250, 'NaN', CAST(id AS STRING)) AS {kind}) AS w",
        f"CAST(IF(id < 500, -0.0D, 0.0D) AS {kind}) AS z",
    )
    table = tables.write_frame(tables.in_files(rows, 4))
    hold_files(spark, f"SELECT * FROM {table} ORDER BY v DESC, id LIMIT 1", 3)
    hold_files(spark, f"SELECT * FROM {table} ORDER BY v DESC, id LIMIT 3", 3)
    hold_files(spark, f"SELECT * FROM {table} ORDER BY v, id LIMIT 3", 3)
    hold_files(spark, f"SELECT * FROM {table} WHERE id >= 500 ORDER BY v, id LIMIT 3", 1)
    hold_files(spark, f"SELECT * FROM {table} ORDER BY w DESC, id LIMIT 251", 3)
    hold_files(spark, f"SELECT * FROM {table} ORDER BY w, id LIMIT 3", 2)
    hold_all(spark, f"SELECT * FROM {table} ORDER BY z, id DESC LIMIT 3")


def test_line_66_nan_that_is_not_counted(spark: SparkSession, tmp_path: Any) -> None:
    """Imported files have bounds, and no count of NaN."""
    path = tmp_path / "plain"
    rows = spark.range(1000).selectExpr("id", "IF(id = 7, DOUBLE('NaN'), DOUBLE(id)) AS v")
    tables.in_files(rows, 4).write.parquet(str(path))
    name = tables.new_name()
    spark.sql(f"CREATE TABLE {name} (id BIGINT, v DOUBLE) USING iceberg")
    spark.sql(
        f"CALL ice.system.add_files(table => '{name.removeprefix('ice.')}', "
        f"source_table => '`parquet`.`{path}`')"
    )
    hold_order(spark, f"SELECT * FROM {name} ORDER BY v DESC LIMIT 3")
    hold_order(spark, f"SELECT * FROM {name} ORDER BY v LIMIT 300")
    hold_files(spark, f"SELECT * FROM {name} ORDER BY id DESC LIMIT 3", 1)


def test_line_68_files_that_match_partially_do_not_count(spark: SparkSession, table: str) -> None:
    where = "WHERE id >= 600 AND id < 1600"
    hold_files(spark, f"SELECT * FROM {table} {where} ORDER BY id LIMIT 5", 2)
    hold_files(spark, f"SELECT * FROM {table} {where} ORDER BY id LIMIT 251", 3)
    hold_files(spark, f"SELECT * FROM {table} {where} ORDER BY id DESC LIMIT 5", 2)
    hold_all(spark, f"SELECT * FROM {table} {where} ORDER BY id LIMIT 751")


@pytest.mark.parametrize("version", ["2", "3"])
def test_line_69_deleted_rows(spark: SparkSession, version: str) -> None:
    """The first file lacks 50 of its 250 rows; which, only a deletion vector says exactly."""
    table = tables.write(spark, format__version=version, **MERGE_ON_READ)
    spark.sql(f"DELETE FROM {table} WHERE id < 250 AND id % 5 = 0")
    deletes = spark.sql(f"SELECT file_format FROM {table}.delete_files").collect()
    assert {row.file_format for row in deletes} == {"PARQUET" if version == "2" else "PUFFIN"}
    known = version == "3"
    hold_files(spark, f"SELECT * FROM {table} ORDER BY id LIMIT 200", 1 if known else 2)
    hold_files(spark, f"SELECT * FROM {table} ORDER BY id LIMIT 201", 2)
    hold_files(spark, f"SELECT * FROM {table} ORDER BY id LIMIT 250", 2)
    hold_files(spark, f"SELECT * FROM {table} ORDER BY id LIMIT 251", 3 if not known else 2)
    hold_files(spark, f"SELECT * FROM {table} ORDER BY id DESC LIMIT 250", 1)
    spark.sql(f"DELETE FROM {table} WHERE id < 250 AND id % 5 = 1")
    hold_files(spark, f"SELECT * FROM {table} ORDER BY id LIMIT 150", 1 if known else 2)
    hold_files(spark, f"SELECT * FROM {table} ORDER BY id LIMIT 151", 2)


def test_line_69_equality_deletes(spark: SparkSession) -> None:
    table = tables.write(spark, format__version="2")
    tables.delete_by_equality(spark, table, "i", 100)
    hold_files(spark, f"SELECT * FROM {table} ORDER BY id LIMIT 101", 2)
    hold_files(spark, f"SELECT * FROM {table} ORDER BY id DESC LIMIT 101", 1)


def test_line_69_equality_deletes_beside_a_deletion_vector(spark: SparkSession) -> None:
    table = tables.write(spark, format__version="3", **MERGE_ON_READ)
    spark.sql(f"DELETE FROM {table} WHERE id = 3")
    hold_files(spark, f"SELECT * FROM {table} ORDER BY id LIMIT 249", 1)
    tables.delete_by_equality(spark, table, "i", 100)
    hold_files(spark, f"SELECT * FROM {table} ORDER BY id LIMIT 248", 2)


@pytest.mark.parametrize("mode", ["truncate(2)", "truncate(4)", "full", "counts", "none"])
def test_line_71_truncated_and_missing_bounds(spark: SparkSession, mode: str) -> None:
    """The first rows by ``s`` are in a file whose truncated bounds end after those of others."""
    one = spark.range(400).selectExpr("id", "CONCAT('aa', LPAD(CAST(id AS STRING), 4, '0')) AS s")
    table = tables.write_frame(tables.in_files(one, 4), write_metadata_metrics_default=mode)
    orders = ["s", "s DESC", "id", "id DESC"]
    for order in orders:
        df = hold_order(spark, f"SELECT * FROM {table} ORDER BY {order} LIMIT 5")
        by_id = order.startswith("id") and mode == "truncate(2)"
        assert is_pruned(df) == (mode in ("full", "truncate(4)") or by_id)
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('write.metadata.metrics.default' = 'full')")
    ids = itertools.count(-1, -1)
    for texts in (["aa0000"], ["aa", "aa0"], ["aa9", "ab", "b"], [""]):
        for text in texts:  # each in a file of its own
            spark.sql(f"INSERT INTO {table} VALUES ({next(ids)}, '{text}')")
        for order in orders:
            if order.startswith("s") or texts == [""]:
                query = f"SELECT s FROM {table} ORDER BY {order}"
                hold_limits(spark, query, (1, 2, 5), ordered=True)


def test_characters_beyond_ascii(spark: SparkSession) -> None:
    texts = spark.range(400).selectExpr(
        "id", "CONCAT(IF(id < 200, '\uffee', '\U0001f600'), LPAD(CAST(id AS STRING), 3, '0')) AS s"
    )
    table = tables.write_frame(
        tables.in_files(texts, 4), write_metadata_metrics_default="truncate(1)"
    )
    hold_files(spark, f"SELECT * FROM {table} ORDER BY s DESC LIMIT 3", 2)
    hold_files(spark, f"SELECT * FROM {table} ORDER BY s LIMIT 3", 2)


def test_line_71_columns_that_old_files_lack(spark: SparkSession) -> None:
    table = tables.write(spark, format__version="3")
    spark.sql(f"ALTER TABLE {table} ADD COLUMNS (later BIGINT)")
    update = java_table(spark, table).updateSchema()
    jvm: Any = spark._jvm
    iceberg = jvm.org.apache.iceberg
    update.addColumn(
        "with_default",
        iceberg.types.Types.IntegerType.get(),
        iceberg.expressions.Expressions.lit(jvm.java.lang.Integer.valueOf(34)),
    ).commit()
    spark.sql(f"REFRESH TABLE {table}")
    columns = ", ".join(spark.table(table).columns[:-2])
    for low, later in ((0, 1), (500, 90)):
        spark.sql(
            f"INSERT INTO {table} SELECT /*+ COALESCE(1) */ {columns}, {later}, {later} "
            f"FROM {table} WHERE id BETWEEN {low} AND {low} + 99"
        )
    for order in ("later", "later DESC", "with_default", "with_default DESC", "later NULLS LAST"):
        for limit in (5, 101):
            hold_order(
                spark, f"SELECT later, with_default FROM {table} ORDER BY {order} LIMIT {limit}"
            )
    # Both new files have one value; the old files have the default, or null.
    df = hold_order(spark, f"SELECT later FROM {table} ORDER BY later DESC LIMIT 5")
    assert limit_pruning.report(df).only.files.scanned == 9


def test_renamed_and_widened_columns(spark: SparkSession) -> None:
    table = tables.write(spark)
    for old, new in (("id", "swap"), ("n", "id"), ("swap", "n")):
        spark.sql(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")
    hold_files(spark, f"SELECT n FROM {table} ORDER BY n LIMIT 5", 1)
    hold_files(spark, f"SELECT id, n FROM {table} ORDER BY id NULLS LAST LIMIT 5", 1)
    for column, wider in (("i", "BIGINT"), ("r", "DOUBLE"), ("c", "DECIMAL(20, 2)")):
        spark.sql(f"ALTER TABLE {table} ALTER COLUMN {column} TYPE {wider}")
    spark.sql(f"INSERT INTO {table} SELECT * FROM {table} WHERE n = 1")
    spark.sql(f"UPDATE {table} SET i = 5000000000, r = 5e100, c = 123456789012345.67 WHERE n = 3")
    for column in ("i", "r", "c"):
        for direction in ("", "DESC"):
            df = hold_order(
                spark, f"SELECT {column} FROM {table} ORDER BY {column} {direction} LIMIT 5"
            )
            assert is_pruned(df)


@pytest.mark.parametrize("metrics", ["truncate(16)", "none"])
def test_partition_values_are_facts(spark: SparkSession, metrics: str) -> None:
    name = tables.new_name()
    spark.sql(
        f"CREATE TABLE {name} USING iceberg PARTITIONED BY (k) "
        f"TBLPROPERTIES ('write.metadata.metrics.default' = '{metrics}') AS "
        "SELECT id, IF(id % 5 = 0, NULL, id % 5) AS k FROM range(1000)"
    )
    hold_files(spark, f"SELECT * FROM {name} ORDER BY k DESC, id LIMIT 5", 1)
    hold_files(spark, f"SELECT * FROM {name} ORDER BY k, id LIMIT 5", 1)
    hold_files(spark, f"SELECT * FROM {name} ORDER BY k NULLS LAST, id LIMIT 201", 2)
    hold_files(spark, f"SELECT * FROM {name} WHERE k > 1 ORDER BY k, id LIMIT 5", 1)


def test_files_of_other_formats(spark: SparkSession) -> None:
    avro = tables.write(spark, write_format_default="avro")
    hold_all(spark, f"SELECT * FROM {avro} ORDER BY id LIMIT 5")
    orc = tables.write(spark, write_format_default="orc")
    for key in ("id", "i DESC", "s", "c DESC"):
        hold_files(spark, f"SELECT * FROM {orc} ORDER BY {key} LIMIT 5", 1)
    for key in ("ts", "d DESC", "f", "r DESC", "x"):
        hold_all(spark, f"SELECT * FROM {orc} ORDER BY {key} LIMIT 5")


def test_line_70_files_that_were_not_inspected_are_read(spark: SparkSession, table: str) -> None:
    with conf(spark, {"spark.limitPruning.planning.maxTime": "0"}):
        df = hold_order(spark, f"SELECT * FROM {table} ORDER BY id LIMIT 5")
        assert is_pruned(df) or reason_of(df) == "out-of-budget"
    no_bounds = tables.write(spark, write_metadata_metrics_column_id="counts")
    with conf(spark, {"spark.limitPruning.planning.maxFiles": "3"}):
        hold_all(spark, f"SELECT * FROM {no_bounds} ORDER BY id LIMIT 5", "out-of-budget")
        hold_files(spark, f"SELECT * FROM {table} ORDER BY id LIMIT 5", 1)


def test_snapshots_branches_and_commits(spark: SparkSession) -> None:
    table = tables.write(spark)
    first = java_table(spark, table).currentSnapshot().snapshotId()
    spark.sql(f"ALTER TABLE {table} CREATE BRANCH b1")
    planned = spark.sql(f"SELECT id FROM {table} ORDER BY id LIMIT 3")
    planned._jdf.queryExecution().executedPlan()
    one_row = spark.table(table).where("id = 5").withColumn("id", col("id") - 12)
    one_row.writeTo(table).append()
    assert [row.id for row in planned.collect()] == [0, 1, 2]
    hold_files(spark, f"SELECT id FROM {table} ORDER BY id LIMIT 3", 2)
    hold_files(spark, f"SELECT id FROM {table} VERSION AS OF {first} ORDER BY id LIMIT 3", 1)
    hold_files(spark, f"SELECT id FROM {table} VERSION AS OF 'b1' ORDER BY id LIMIT 3", 1)


def test_a_dropped_table_of_the_same_name(spark: SparkSession) -> None:
    """The cache of manifests does not mix up two tables."""
    name = tables.new_name()
    for shift in (0, 5000, -5000):
        rows = spark.range(400).selectExpr(f"id + {shift} AS id")
        tables.in_files(rows, 4).writeTo(name).using("iceberg").create()
        hold_files(spark, f"SELECT id FROM {name} ORDER BY id LIMIT 3", 1)
        hold_files(
            spark, f"SELECT id FROM {name} WHERE id > {shift} + 50 ORDER BY id DESC LIMIT 3", 1
        )
        spark.sql(f"DROP TABLE {name} PURGE")


def test_inside_of_other_plans(spark: SparkSession, table: str) -> None:
    top = f"SELECT id, m FROM {table} ORDER BY id DESC LIMIT 7"
    hold_order(spark, f"SELECT m, count(*) AS n FROM ({top}) GROUP BY m ORDER BY m")
    hold_order(spark, f"SELECT * FROM ({top}) UNION ALL SELECT id, m FROM {table} WHERE id = 3")
    hold_order(spark, f"SELECT a.id FROM ({top}) a JOIN {table} b USING (id) ORDER BY id")
    target = tables.new_name()
    spark.sql(f"CREATE TABLE {target} USING iceberg AS {top}")
    assert [row.id for row in spark.sql(f"SELECT id FROM {target} ORDER BY id").collect()] == list(
        range(1993, 2000)
    )
    spark.sql(f"DELETE FROM {target} WHERE id IN (SELECT id FROM {target} ORDER BY id LIMIT 3)")
    assert spark.table(target).count() == 4
    one = f"SELECT max(id) AS v FROM ({top})"
    other = f"SELECT min(id) AS v FROM (SELECT id FROM {table} ORDER BY id LIMIT 7)"
    assert spark.sql(f"{one} UNION ALL {other}").collect() == [Row(v=1999), Row(v=0)]


def test_the_report_and_explain(spark: SparkSession, table: str) -> None:
    query = f"SELECT * FROM {table} WHERE id >= 100 ORDER BY id DESC LIMIT 300"
    report = hold_files(spark, query, 2)
    assert report.order_by == f"{table}.id DESC NULLS LAST"
    assert report.threshold == "1500L"
    assert report.rows.certain == 500
    assert report.rows.to_read == 500
    assert len(report.files.chosen) == 2
    assert report.files.inspected == report.files.total == 8
    assert "threshold: 1500L; 500 rows certain" in str(report)
    plan = spark.sql(query)._jdf.queryExecution().toString()
    assert f"LimitPruned(files=2 of 8, rows=500, orderBy={table}.id DESC NULLS LAST" in plan
    with conf(spark, {ENABLED: "false"}):
        assert reason_of(spark.sql(query)) == "disabled"
    refused = limit_pruning.report(spark.sql(f"SELECT * FROM {table} ORDER BY m LIMIT 3")).only
    assert refused.order_by == f"{table}.m ASC NULLS FIRST"
    assert refused.table == table
