"""Columns of Iceberg tables: changed schemas, missing and truncated metrics, NaN and nulls."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from support.iceberg import tables
from support.iceberg.session import java_table, reads_defaults
from support.iceberg.tables import hold_order, hold_pruned, hold_unpruned, is_pruned
from support.sessions import OURS_FIRST

pytestmark = OURS_FIRST

NOT_ENOUGH = "not-enough-rows-in-files"


def test_renamed_columns_keep_their_metrics(spark: SparkSession) -> None:
    table = tables.write(spark)
    spark.sql(f"ALTER TABLE {table} RENAME COLUMN id TO number")
    hold_pruned(spark, f"SELECT * FROM {table} WHERE number >= 900", 300)
    # Two columns of one type swap their names.
    for old, new in (("number", "swap"), ("n", "number"), ("swap", "n")):
        spark.sql(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")
    hold_pruned(spark, f"SELECT * FROM {table} WHERE number IS NULL", 200)
    hold_pruned(spark, f"SELECT * FROM {table} WHERE n >= 900", 300)
    hold_unpruned(spark, f"SELECT * FROM {table} WHERE n IS NULL", 300, "no-files")
    spark.sql(f"INSERT INTO {table} SELECT * FROM {table} WHERE n >= 1900")
    hold_pruned(spark, f"SELECT * FROM {table} WHERE n >= 1900", 30)


def test_a_column_that_is_dropped_and_added_again_is_another_one(spark: SparkSession) -> None:
    table = tables.write(spark)
    spark.sql(f"ALTER TABLE {table} DROP COLUMN i")
    spark.sql(f"ALTER TABLE {table} ADD COLUMN i INT")
    hold_unpruned(spark, f"SELECT id, i FROM {table} WHERE i >= 500", 10, NOT_ENOUGH)
    hold_unpruned(spark, f"SELECT id, i FROM {table} WHERE i IS NULL", 10, NOT_ENOUGH)
    columns = ", ".join(spark.table(table).columns[:-1])
    for low in (0, 500):
        spark.sql(
            f"INSERT INTO {table} SELECT /*+ COALESCE(1) */ {columns}, -5 FROM {table} "
            f"WHERE id BETWEEN {low} AND {low} + 99"
        )
    hold_pruned(spark, f"SELECT id, i FROM {table} WHERE i = -5", 10)


def test_added_columns_are_null_or_have_their_default(spark: SparkSession) -> None:
    table = tables.write(spark, format__version="3")
    spark.sql(f"ALTER TABLE {table} ADD COLUMNS (later BIGINT)")
    update = java_table(spark, table).updateSchema()
    jvm = spark._jvm
    assert jvm is not None
    iceberg = jvm.org.apache.iceberg
    update.addColumn(
        "with_default",
        iceberg.types.Types.IntegerType.get(),
        iceberg.expressions.Expressions.lit(jvm.java.lang.Integer.valueOf(34)),
    ).commit()
    spark.sql(f"REFRESH TABLE {table}")
    hold_unpruned(spark, f"SELECT * FROM {table} WHERE later IS NULL", 10, NOT_ENOUGH)
    for condition in ("with_default = 34", "with_default IS NOT NULL", "with_default >= 30"):
        query = f"SELECT * FROM {table} WHERE {condition}"
        if reads_defaults():
            report = hold_pruned(spark, query, 300)
            assert report.row_groups.scanned == 2
        else:
            hold_unpruned(spark, query, 10, NOT_ENOUGH)
    for condition in ("later IS NOT NULL", "with_default < 30", "with_default IS NULL"):
        assert spark.sql(f"SELECT * FROM {table} WHERE {condition} LIMIT 10").collect() == []
    hold_pruned(spark, f"SELECT id, later, with_default FROM {table} WHERE id >= 700", 10)
    columns = ", ".join(spark.table(table).columns[:-2])
    for low in (0, 500):
        spark.sql(
            f"INSERT INTO {table} SELECT /*+ COALESCE(1) */ {columns}, id, 7 FROM {table} "
            f"WHERE id BETWEEN {low} AND {low} + 99"
        )
    hold_pruned(spark, f"SELECT * FROM {table} WHERE with_default = 7", 50)
    hold_pruned(spark, f"SELECT * FROM {table} WHERE later >= 300", 50)
    tables.hold(spark, f"SELECT * FROM {table} WHERE with_default > 6", 2100)
    for order in ("with_default DESC, id", "with_default, id"):
        query = f"SELECT id, with_default FROM {table} ORDER BY {order}"
        assert is_pruned(hold_order(spark, f"{query} LIMIT 9")) or not reads_defaults()


def test_widened_types(spark: SparkSession) -> None:
    table = tables.write(spark)
    for column, wider in (("i", "BIGINT"), ("r", "DOUBLE"), ("c", "DECIMAL(20, 2)")):
        spark.sql(f"ALTER TABLE {table} ALTER COLUMN {column} TYPE {wider}")
    for condition in ("i >= 900", "r >= 900", "c >= 900", "i < 0", "r < 900.5", "c <> 7"):
        if condition == "i < 0":
            hold_unpruned(spark, f"SELECT * FROM {table} WHERE {condition}", 10, "no-files")
        else:
            hold_pruned(spark, f"SELECT * FROM {table} WHERE {condition}", 10)
    wide = tables.in_files(tables.rows(spark), 2)
    wide.selectExpr(
        *(
            {"i": "i + 5000000000 AS i", "r": "r + 0.1D AS r", "c": "c * 1000000000000 AS c"}.get(
                name, name
            )
            for name in wide.columns
        )
    ).selectExpr(
        *({"c": "CAST(c AS DECIMAL(20, 2)) AS c"}.get(name, name) for name in wide.columns)
    ).writeTo(table).append()
    for condition in ("i >= 5000000000", "i < 900", "c >= 900", "r BETWEEN 300 AND 1600"):
        hold_pruned(spark, f"SELECT * FROM {table} WHERE {condition}", 10)


@pytest.mark.parametrize("mode", ["none", "counts", "truncate(2)", "full"])
def test_metrics_modes(spark: SparkSession, mode: str) -> None:
    table = tables.write(spark, write_metadata_metrics_default=mode)
    has_bounds = mode in ("truncate(2)", "full")
    has_counts = mode != "none"
    hold_pruned(spark, f"SELECT * FROM {table}", 300)
    for condition, proved in (
        ("id >= 900", has_bounds),
        ("n IS NULL", has_counts),
        ("n IS NOT NULL", has_counts),
        ("s >= 's0'", has_bounds),
        ("s >= 's1'", has_bounds),
        ("s < 's05'", mode == "full"),
        ("s <> 's'", has_bounds),
        ("x >= X'73'", has_bounds),
        ("f > 300", has_bounds),
    ):
        query = f"SELECT * FROM {table} WHERE {condition}"
        if proved:
            hold_pruned(spark, query, 20)
        else:
            hold_unpruned(spark, query, 20, NOT_ENOUGH)


def test_a_mode_for_one_column(spark: SparkSession) -> None:
    properties = {"write_metadata_metrics_column_id": "counts"}
    table = tables.write(spark, **properties)
    hold_unpruned(spark, f"SELECT * FROM {table} WHERE id >= 900", 20, NOT_ENOUGH)
    hold_pruned(spark, f"SELECT * FROM {table} WHERE i >= 900", 20)


def test_truncated_bounds_are_not_values(spark: SparkSession) -> None:
    """All strings of a file have one prefix, so both bounds are short, and neither occurs."""
    texts = spark.range(1200).selectExpr(
        "id", "CONCAT(IF(id < 600, 'aaaa', 'bbbb'), LPAD(CAST(id AS STRING), 5, '0')) AS s"
    )
    table = tables.write_frame(
        tables.in_files(texts, 4), write_metadata_metrics_default="truncate(4)"
    )
    for condition in ("s = 'aaaa'", "s = 'bbbb'", "s IN ('aaaa', 'bbbb', 'bbbc')", "s = 'aaab'"):
        assert spark.sql(f"SELECT * FROM {table} WHERE {condition} LIMIT 3").collect() == []
    hold_pruned(spark, f"SELECT * FROM {table} WHERE s >= 'aaaa' AND s <= 'aaab'", 20)
    hold_pruned(spark, f"SELECT * FROM {table} WHERE s > 'aaab'", 20)
    hold_unpruned(spark, f"SELECT * FROM {table} WHERE s > 'aaaa' AND s < 'b'", 20, NOT_ENOUGH)


def test_characters_beyond_ascii(spark: SparkSession) -> None:
    texts = spark.range(400).selectExpr(
        "id", "CONCAT(IF(id < 200, '\uffee', '\U0001f600'), CAST(id AS STRING)) AS s"
    )
    table = tables.write_frame(
        tables.in_files(texts, 4), write_metadata_metrics_default="truncate(1)"
    )
    for condition in ("s > '\uffff'", "s < '\U0001f600'", "s >= 'z'", "s > '\U0001f5ff'"):
        hold_pruned(spark, f"SELECT * FROM {table} WHERE {condition}", 20)


FF = "CAST(X'FF' AS STRING)"
LAST = "'\U0010ffff'"


@pytest.mark.parametrize("kind", ["parquet", "orc"])
def test_bytes_that_are_not_utf8_are_other_characters_in_bounds(
    spark: SparkSession, kind: str
) -> None:
    """In a bound, the byte FF is U+FFFD. It sorts after all characters, and U+FFFD does not."""
    table = _in_commits(
        spark, [FF, "'a'", f"IF(id % 2 = 0, 'b', {FF})", LAST], write_format_default=kind
    )
    for order in ("s DESC LIMIT 3", "s DESC LIMIT 160", "s LIMIT 120", "s LIMIT 160"):
        hold_order(spark, f"SELECT hex(s) FROM {table} ORDER BY {order}")
    for condition in (f"s < {LAST}", f"s >= {LAST}", "s > 'a'", f"s = {FF}"):
        tables.hold(spark, f"SELECT hex(s) FROM {table} WHERE {condition}", 150)
    below = f"(SELECT * FROM {table} WHERE s < {LAST} LIMIT 150)"
    assert spark.sql(f"SELECT count(*) FROM {below}").first() == (150,)
    hold_pruned(spark, f"SELECT hex(s) FROM {table} WHERE s <= 'b'", 100)


def test_bounds_of_several_row_groups_were_compared_as_characters(spark: SparkSession) -> None:
    """The bounds of a file are those of row groups with characters; others have bytes beyond."""
    texts = f"IF(id < 100, CAST(X'80' AS STRING), IF(id < 200, {FF}, IF(id < 300, 'é', {LAST})))"
    table = _in_commits(spark, [texts, texts, "'À'"], **tables.SMALL_ROW_GROUPS)
    # By some of these, Iceberg's reader skips row groups whose rows match.
    for condition in ("s >= 'é'", f"s <= {LAST}", f"s >= {LAST}", "s <= 'À'", "s <= 'é'"):
        for limit in (3, 150, 350, 450):
            tables.hold(spark, f"SELECT hex(s) FROM {table} WHERE {condition}", limit)
    for order in ("s DESC LIMIT 3", "s DESC LIMIT 700", "s LIMIT 3", "s LIMIT 700"):
        hold_order(spark, f"SELECT hex(s) FROM {table} ORDER BY {order}")


def _in_commits(spark: SparkSession, strings: list[str], **properties: str) -> str:
    """Write files of 100 rows (with small row groups, of 400), one for each expression."""
    rows = 400 if properties.keys() >= tables.SMALL_ROW_GROUPS.keys() else 100
    table = ""
    for string in strings:
        frame = spark.range(0, rows, 1, 1).selectExpr("id", f"{string} AS s")
        if table:
            frame.writeTo(table).append()
        else:
            table = tables.write_frame(frame, **properties)
    return table


@pytest.mark.parametrize("kind", ["DOUBLE", "FLOAT"])
def test_nan(spark: SparkSession, kind: str) -> None:
    numbers = spark.range(1000).selectExpr(
        "id",
        f"CAST(IF(id % 250 = 7 AND id < 500, 'NaN', CAST(id AS STRING)) AS {kind}) AS v",
        f"CAST('NaN' AS {kind}) AS w",
    )
    table = tables.write_frame(tables.in_files(numbers, 4))
    hold_unpruned(spark, f"SELECT * FROM {table} WHERE v < 500", 20, NOT_ENOUGH)
    hold_unpruned(spark, f"SELECT * FROM {table} WHERE v <= 499 AND id < 500", 20, NOT_ENOUGH)
    hold_pruned(spark, f"SELECT * FROM {table} WHERE v < 900 AND id >= 500", 20)
    hold_pruned(spark, f"SELECT * FROM {table} WHERE v >= 500 AND id >= 500", 20)
    hold_unpruned(spark, f"SELECT * FROM {table} WHERE NOT isnan(v) AND id >= 500", 20, NOT_ENOUGH)
    assert spark.sql(f"SELECT * FROM {table} WHERE w < 5 LIMIT 9").collect() == []


def test_nulls(spark: SparkSession) -> None:
    some = spark.range(1000).selectExpr(
        "id", "IF(id % 250 = 7 AND id < 500, NULL, id) AS v", "CAST(NULL AS INT) AS w"
    )
    table = tables.write_frame(tables.in_files(some, 4))
    hold_unpruned(spark, f"SELECT * FROM {table} WHERE v < 500", 20, NOT_ENOUGH)
    hold_unpruned(spark, f"SELECT * FROM {table} WHERE v IS NULL", 2, NOT_ENOUGH)
    hold_pruned(spark, f"SELECT * FROM {table} WHERE v >= 500", 20)
    hold_pruned(spark, f"SELECT * FROM {table} WHERE v IS NOT NULL", 20)
    hold_pruned(spark, f"SELECT * FROM {table} WHERE w IS NULL", 20)
    hold_pruned(spark, f"SELECT * FROM {table} WHERE v IS NOT NULL OR id < 500", 20)
    assert spark.sql(f"SELECT * FROM {table} WHERE w = 1 LIMIT 9").collect() == []


def test_names_that_look_like_paths(spark: SparkSession) -> None:
    rows = spark.range(1000).selectExpr(
        "id", "id + 5000 AS `p.x`", "NAMED_STRUCT('x', -id) AS q", "-id AS `Größe`"
    )
    table = tables.write_frame(tables.in_files(rows, 4))
    hold_pruned(spark, f"SELECT * FROM {table} WHERE `p.x` >= 5400", 20)
    hold_pruned(spark, f"SELECT * FROM {table} WHERE `größe` <= -400", 20)
    hold_unpruned(spark, f"SELECT * FROM {table} WHERE q.x <= -400", 20, NOT_ENOUGH)


def test_files_of_avro_are_counted_but_have_no_metrics(spark: SparkSession) -> None:
    table = tables.write(spark, write_format_default="avro")
    hold_pruned(spark, f"SELECT * FROM {table}", 300)
    hold_unpruned(spark, f"SELECT * FROM {table} WHERE id >= 900", 20, NOT_ENOUGH)


def test_files_of_orc_are_proved_by_some_types(spark: SparkSession) -> None:
    table = tables.write(spark, write_format_default="orc")
    hold_pruned(spark, f"SELECT * FROM {table}", 300)
    for proved in ("id >= 900", "i < 700", "c >= 1234.5", "s >= 's0900'", "b", "n IS NOT NULL"):
        hold_pruned(spark, f"SELECT * FROM {table} WHERE {proved}", 300)
    others = ["ts >= '2024-01-01 00:10:00'", "d >= DATE'2025-01-01'", "f >= 100D", "r >= 1000F"]
    for unproved in others:
        hold_unpruned(spark, f"SELECT * FROM {table} WHERE {unproved}", 20, NOT_ENOUGH)
