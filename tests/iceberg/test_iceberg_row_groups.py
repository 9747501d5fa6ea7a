"""Row groups within Iceberg's data files: which are read, and each thing that could hide rows."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

import limit_pruning
from limit_pruning import LimitReport
from support.iceberg import tables
from support.iceberg.tables import hold_order, is_pruned, reason_of
from support.runs import conf
from support.scan_tables import physical
from support.sessions import OURS_FIRST

pytestmark = OURS_FIRST

MERGE_ON_READ = {"write_delete_mode": "merge-on-read", "write_update_mode": "merge-on-read"}


def write(spark: SparkSession, files: int = 2, /, **properties: str) -> str:
    """2,000 rows in files with row groups of 100 rows, sorted by ``id``."""
    rows = spark.range(0, 2000, 1, files).selectExpr(*tables.COLUMNS)
    return tables.write_frame(rows, **{**tables.SMALL_ROW_GROUPS, **properties})


@pytest.fixture(scope="module")
def table(spark: SparkSession) -> str:
    """A table of two files with ten row groups each, without deleted rows."""
    return write(spark)


def hold_row_groups(spark: SparkSession, query: str, row_groups: int) -> LimitReport:
    """Hold a query to plain Spark, and require the number of row groups that it reads."""
    df = hold_order(spark, query)
    assert is_pruned(df), limit_pruning.report(df)
    report = limit_pruning.report(df).only
    assert report.row_groups.scanned == row_groups, report
    assert f"rowGroups={row_groups} of " in physical(df)
    return report


@pytest.mark.parametrize("key", ["id", "s", "ts", "tn", "d", "c", "i", "x", "f", "r"])
def test_an_order_reads_row_groups(spark: SparkSession, table: str, key: str) -> None:
    for direction in ("", "DESC", "ASC NULLS LAST", "DESC NULLS FIRST"):
        query = f"SELECT * FROM {table} ORDER BY {key} {direction}"
        report = hold_row_groups(spark, f"{query} LIMIT 5", 1)
        assert report.rows.to_read == 100
        assert report.files.scanned == 1
        assert report.row_groups.total == 10
        hold_row_groups(spark, f"{query} LIMIT 101", 2)
    where = f"SELECT id FROM {table} WHERE id >= 650 ORDER BY {key}"
    hold_row_groups(spark, f"{where} LIMIT 5", 2)


@pytest.mark.parametrize("kind", ["DOUBLE", "FLOAT"])
def test_line_66_nan_in_a_file_may_be_in_each_of_its_row_groups(
    spark: SparkSession, kind: str
) -> None:
    """The manifest counts NaN in a file. Footers count none."""
    rows = spark.range(0, 2000, 1, 2).selectExpr(
        "id",
        f"CAST(IF(id IN (5, 350), 'NaN', CAST(id AS STRING)) AS {kind}) AS v",
        f"CAST(IF(id < 1000, -0.0D, 0.0D) AS {kind}) AS z",
    )
    table = tables.write_frame(rows, **tables.SMALL_ROW_GROUPS)
    for order in ("v", "v DESC", "v DESC NULLS FIRST", "z", "z DESC"):
        for limit in (1, 2, 3, 150, 1001):
            hold_order(spark, f"SELECT * FROM {table} ORDER BY {order}, id LIMIT {limit}")
    # Only the second file has no NaN.
    where = f"SELECT * FROM {table} WHERE id >= 1000"
    hold_row_groups(spark, f"{where} ORDER BY v, id LIMIT 5", 1)
    hold_row_groups(spark, f"{where} ORDER BY v DESC, id LIMIT 5", 1)
    for predicate in ("v < 1150", "v <= 350", "v >= 1100 AND v < 1300", "v > 1998", "isnan(v)"):
        tables.hold(spark, f"SELECT id, v FROM {table} WHERE {predicate}", 120)
    df = tables.hold(spark, f"SELECT id, v FROM {table} WHERE v >= 1000 AND v < 1150", 99)
    assert limit_pruning.report(df).only.row_groups.scanned == 1


def test_an_order_over_both_files(spark: SparkSession, table: str) -> None:
    report = hold_row_groups(
        spark, f"SELECT id FROM {table} WHERE id >= 950 ORDER BY id LIMIT 60", 2
    )
    assert report.files.scanned == 2


@pytest.mark.parametrize(
    "where", ["id BETWEEN 250 AND 777", "s >= 's1850'", "d < DATE'2024-04-15'"]
)
def test_a_limit_reads_row_groups(spark: SparkSession, table: str, where: str) -> None:
    query = f"SELECT id, s, ts FROM {table} WHERE {where}"
    df = tables.hold(spark, query, 50)
    report = limit_pruning.report(df).only
    assert report.covered
    assert report.row_groups.scanned == 1
    assert "rowGroups=1 of " in physical(df)


def test_a_limit_that_row_groups_do_not_cover(spark: SparkSession, table: str) -> None:
    tables.hold_unpruned(spark, f"SELECT * FROM {table} WHERE m = 3", 5, "not-enough-rows-in-files")
    inside = f"SELECT * FROM {table} WHERE id BETWEEN 210 AND 390"
    tables.hold_unpruned(spark, inside, 5, "not-enough-rows-in-files")
    tables.hold_unpruned(
        spark,
        f"SELECT * FROM {table} WHERE id BETWEEN 210 AND 1590",
        1301,
        "not-enough-rows-in-files",
    )


def test_one_file(spark: SparkSession) -> None:
    one = write(spark, 1)
    hold_row_groups(spark, f"SELECT * FROM {one} ORDER BY id DESC LIMIT 5", 1)
    df = tables.hold(spark, f"SELECT * FROM {one} WHERE id >= 1234", 50)
    assert limit_pruning.report(df).only.row_groups.scanned == 1
    assert reason_of(tables.hold(spark, f"SELECT * FROM {one}", 5)) == "nothing-to-skip"


def test_positions_are_those_in_the_file(spark: SparkSession, table: str) -> None:
    """Iceberg numbers rows of a part of a file as in the whole file."""
    hold_row_groups(spark, f"SELECT id, _pos, _file FROM {table} ORDER BY id DESC LIMIT 7", 1)


@pytest.mark.parametrize("version", ["2", "3"])
def test_deleted_rows_stay_deleted(spark: SparkSession, version: str) -> None:
    """Iceberg finds deleted rows by their position in the file."""
    deletes = write(spark, format__version=version, **MERGE_ON_READ)
    spark.sql(f"DELETE FROM {deletes} WHERE id BETWEEN 1940 AND 1994 OR id IN (3, 250)")
    for order in ("id", "id DESC", "s DESC", "ts"):
        for limit in (1, 5, 40, 45, 46, 99, 100, 300):
            hold_order(spark, f"SELECT * FROM {deletes} ORDER BY {order} LIMIT {limit}")
    for limit in (1, 44, 45, 46, 100, 145, 146):
        tables.hold(spark, f"SELECT * FROM {deletes} WHERE id >= 1800", limit)


def test_deleted_rows_of_a_row_group_do_not_count(spark: SparkSession) -> None:
    """Of the first row group that matches, 55 rows are deleted."""
    vectors = write(spark, format__version="3", **MERGE_ON_READ)
    spark.sql(f"DELETE FROM {vectors} WHERE id BETWEEN 1540 AND 1594")
    for limit in (40, 45, 46, 60, 100, 225, 226):
        df = tables.hold(spark, f"SELECT * FROM {vectors} WHERE id >= 1500", limit)
        assert is_pruned(df) == (limit <= 225), limit_pruning.report(df)


def test_row_groups_of_files_with_deletion_vectors_are_skipped(spark: SparkSession) -> None:
    vectors = write(spark, format__version="3", **MERGE_ON_READ)
    spark.sql(f"DELETE FROM {vectors} WHERE id IN (3, 250, 1990)")
    hold_row_groups(spark, f"SELECT * FROM {vectors} ORDER BY id LIMIT 98", 1)
    hold_row_groups(spark, f"SELECT * FROM {vectors} ORDER BY id LIMIT 99", 2)
    hold_row_groups(spark, f"SELECT * FROM {vectors} ORDER BY id DESC LIMIT 99", 1)


def test_files_with_equality_deletes_are_never_counted_on(spark: SparkSession) -> None:
    equality = write(spark, format__version="2")
    tables.delete_by_equality(spark, equality, "i", 1999)
    hold_order(spark, f"SELECT * FROM {equality} ORDER BY id DESC LIMIT 5")
    hold_order(spark, f"SELECT * FROM {equality} ORDER BY id LIMIT 5")
    tables.hold(spark, f"SELECT * FROM {equality} WHERE id >= 1900", 99)


def test_columns_are_found_by_field_id(spark: SparkSession) -> None:
    """After the columns have exchanged their names, the names in the file are wrong."""
    swapped = write(spark)
    for old, new in [("id", "t"), ("i", "id"), ("t", "i")]:
        spark.sql(f"ALTER TABLE {swapped} RENAME COLUMN {old} TO {new}")
    spark.sql(f"ALTER TABLE {swapped} RENAME COLUMN m TO q")
    spark.sql(f"ALTER TABLE {swapped} ADD COLUMN m INT")
    hold_row_groups(spark, f"SELECT id, i, m, q FROM {swapped} ORDER BY i DESC LIMIT 5", 1)
    hold_row_groups(spark, f"SELECT id, i, m, q FROM {swapped} ORDER BY id LIMIT 5", 1)
    hold_order(spark, f"SELECT i, m FROM {swapped} WHERE m IS NULL ORDER BY i LIMIT 5")
    tables.hold(spark, f"SELECT m, q FROM {swapped} WHERE m IS NULL AND i >= 250", 5)


def test_widened_types(spark: SparkSession) -> None:
    wide = write(spark)
    spark.sql(f"ALTER TABLE {wide} ALTER COLUMN i TYPE BIGINT")
    spark.sql(f"ALTER TABLE {wide} ALTER COLUMN r TYPE DOUBLE")
    spark.sql(f"ALTER TABLE {wide} ALTER COLUMN c TYPE DECIMAL(20, 2)")
    for key in ("i", "r", "c"):
        hold_order(spark, f"SELECT * FROM {wide} ORDER BY {key} DESC LIMIT 5")
        tables.hold(spark, f"SELECT * FROM {wide} WHERE {key} >= 1234", 5)


def test_nulls_in_row_groups(spark: SparkSession, table: str) -> None:
    """``n`` is null in the first five row groups."""
    hold_order(spark, f"SELECT n, id FROM {table} ORDER BY n, id LIMIT 5")
    hold_row_groups(spark, f"SELECT n, id FROM {table} ORDER BY n NULLS LAST LIMIT 5", 1)
    hold_row_groups(spark, f"SELECT n, id FROM {table} ORDER BY n DESC LIMIT 5", 1)
    df = tables.hold(spark, f"SELECT id FROM {table} WHERE n IS NULL", 500)
    assert limit_pruning.report(df).only.row_groups.scanned == 5


def test_partition_values_are_not_in_footers(spark: SparkSession) -> None:
    parts = tables.new_name()
    spark.sql(
        f"CREATE TABLE {parts} (id BIGINT, p INT) USING iceberg PARTITIONED BY (p) TBLPROPERTIES ("
        "'write.parquet.row-group-size-bytes' = '1',"
        "'write.parquet.row-group-check-min-record-count' = '100',"
        "'write.parquet.row-group-check-max-record-count' = '100')"
    )
    spark.sql(f"INSERT INTO {parts} SELECT id, CAST(id DIV 500 AS INT) FROM range(2000)")
    hold_row_groups(spark, f"SELECT * FROM {parts} ORDER BY id DESC LIMIT 5", 1)
    hold_row_groups(spark, f"SELECT * FROM {parts} WHERE p = 2 ORDER BY id LIMIT 5", 1)
    df = tables.hold(spark, f"SELECT * FROM {parts} WHERE p >= 1 AND id >= 1650", 50)
    assert is_pruned(df)


def test_metrics_modes_that_have_no_bounds(spark: SparkSession) -> None:
    """Footers say what manifests do not."""
    none = write(spark, write_metadata_metrics_default="none")
    hold_row_groups(spark, f"SELECT * FROM {none} ORDER BY id LIMIT 5", 1)
    df = tables.hold(spark, f"SELECT * FROM {none} WHERE id >= 1234", 50)
    assert limit_pruning.report(df).only.row_groups.scanned == 1


@pytest.mark.parametrize(
    "setting",
    [("spark.limitPruning.planning.maxFiles", "0"), ("spark.limitPruning.planning.maxTime", "0")],
)
def test_without_a_budget_no_footer_is_read(
    spark: SparkSession, table: str, setting: tuple[str, str]
) -> None:
    with conf(spark, dict([setting])):
        hold_order(spark, f"SELECT * FROM {table} ORDER BY id LIMIT 7")
        df = spark.sql(f"SELECT * FROM {table} ORDER BY id LIMIT 7")
        assert limit_pruning.report(df).only.row_groups.scanned is None


def test_reads_of_all_kinds(spark: SparkSession, table: str) -> None:
    """A copy of the rows that a subquery, a join, an INSERT and a time travel read."""
    snapshot = spark.sql(f"SELECT snapshot_id FROM {table}.snapshots").collect()[0][0]
    queries = [
        f"SELECT * FROM (SELECT * FROM {table} WHERE id >= 1234 LIMIT 50) WHERE id < 0",
        f"SELECT * FROM {table} VERSION AS OF {snapshot} ORDER BY id DESC LIMIT 5",
        (
            f"SELECT a.id FROM (SELECT id FROM {table} ORDER BY id LIMIT 5) a "
            f"JOIN (SELECT id FROM {table} ORDER BY id DESC LIMIT 1999) b USING (id) ORDER BY 1"
        ),
    ]
    for query in queries:
        hold_order(spark, query)
    count = f"SELECT COUNT(*) FROM (SELECT * FROM {table} WHERE id >= 1234 LIMIT 50)"
    assert spark.sql(count).collect()[0][0] == 50
    with conf(spark, {"spark.sql.iceberg.vectorization.enabled": "false"}):
        hold_row_groups(spark, f"SELECT * FROM {table} ORDER BY id DESC LIMIT 5", 1)


def test_splits_of_many_files(spark: SparkSession) -> None:
    """Parts of files are packed into tasks as whole files are."""
    many = write(spark, 4, read_split_target__size="3000")
    df = tables.hold(spark, f"SELECT id FROM {many} WHERE id % 500 >= 0 AND id >= 130", 1500)
    assert limit_pruning.report(df).only.limit == 1500
    df = tables.hold(spark, f"SELECT id FROM {many} WHERE id BETWEEN 130 AND 1870", 1500)
    assert limit_pruning.report(df).only.row_groups.scanned is not None
