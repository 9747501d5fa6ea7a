"""Random Delta tables: a history of writes, by statements of SQL."""

from __future__ import annotations

from pathlib import Path

from hypothesis import strategies as st
from pyspark.sql import SparkSession

from support.delta.history import COLUMNS, Draw, History
from support.delta.random_queries import predicate


def create(spark: SparkSession, path: Path, draw: Draw) -> History:
    """Create a table with random properties and its first rows, and change it a few times."""
    history = History(
        path,
        mapping=draw(st.sampled_from(["none", "name", "name", "id"])),
        vectors=draw(st.sampled_from([True, True, False])),
        partitioned=draw(st.sampled_from([False, False, True])),
    )
    properties = {"enableDeletionVectors": str(history.vectors).lower()}
    if history.mapping != "none":
        properties["columnMapping.mode"] = history.mapping
    if draw(st.sampled_from([False, False, False, True])):
        properties["dataSkippingNumIndexedCols"] = "2"
    if draw(st.booleans()):
        properties["enableTypeWidening"] = "true"
    table = ", ".join(f"'delta.{key}' = '{value}'" for key, value in properties.items())
    first = rows(history, draw)
    partition = "PARTITIONED BY (p)" if history.partitioned else ""
    history.run(
        spark,
        f"CREATE TABLE {history.table} USING delta {partition} TBLPROPERTIES ({table}) AS {first}",
    )
    for change in draw(st.lists(st.sampled_from(CHANGES), min_size=2, max_size=5)):
        change(spark, history, draw)
    return history


def rows(history: History, draw: Draw) -> str:
    """Return a query for random rows of the table."""
    values = {
        "start": draw(st.sampled_from([0, 100, 1000, 5000])),
        "step": draw(st.sampled_from([1, 1, 3, 86400])),
        "modulus": draw(st.sampled_from([2, 50, 100000])),
        "prefix": draw(st.sampled_from(["a", "b", "long" * 12])),
        "year": draw(st.sampled_from([1850, 1971, 2024])),
    }
    count = draw(st.sampled_from([400, 60, 1]))
    files = draw(st.sampled_from([6, 3, 1]))
    columns = [
        f"{COLUMNS[first].format(**values)} AS `{now}`" for first, now in history.names.items()
    ]
    partition = ", CAST(id % 3 AS INT) AS p" if history.partitioned else ""
    is_sorted = draw(st.sampled_from([True, True, False]))
    hint = (
        f"/*+ REPARTITION_BY_RANGE({files}, id) */" if is_sorted else f"/*+ REPARTITION({files}) */"
    )
    return f"SELECT {hint} {', '.join(columns)}{partition} FROM range({count})"


def append(spark: SparkSession, history: History, draw: Draw) -> None:
    more = rows(history, draw)
    columns = ", ".join(f"`{name}`" for name in history.names.values()) + (
        ", p" if history.partitioned else ""
    )
    history.run(spark, f"INSERT INTO {history.table} ({columns}) {more}")


def delete(spark: SparkSession, history: History, draw: Draw) -> None:
    some = f"`{history.names['id']}` % {draw(st.sampled_from([2, 10, 97]))} = 1"
    where = draw(st.sampled_from([some, some, predicate(history, draw)]))
    history.run(spark, f"DELETE FROM {history.table} WHERE {where}")


def update(spark: SparkSession, history: History, draw: Draw) -> None:
    where = predicate(history, draw)
    history.run(spark, f"UPDATE {history.table} SET `{history.names['k']}` = 7 WHERE {where}")


def merge(spark: SparkSession, history: History, draw: Draw) -> None:
    low = draw(st.sampled_from([0, 100, 1000]))
    history.run(
        spark,
        f"MERGE INTO {history.table} t USING (SELECT id + {low} AS one FROM range(20)) u "
        f"ON t.`{history.names['id']}` = u.one WHEN MATCHED AND u.one % 2 = 0 THEN DELETE",
    )


def optimize(spark: SparkSession, history: History, _: Draw) -> None:
    history.run(spark, f"OPTIMIZE {history.table}")


def restore(spark: SparkSession, history: History, _: Draw) -> None:
    if not history.has_changed_names:  # the names would be those of the version
        history.run(spark, f"RESTORE TABLE {history.table} TO VERSION AS OF 0")


def rename(spark: SparkSession, history: History, draw: Draw) -> None:
    """Swap the names of two columns, so that each has the name that the other has in files."""
    if history.mapping == "none":
        return
    one, other = draw(
        st.lists(st.sampled_from(sorted(history.names)), min_size=2, max_size=2, unique=True)
    )
    a, b = history.names[one], history.names[other]
    for old, new in ((a, "swap"), (b, a), ("swap", b)):
        history.run(spark, f"ALTER TABLE {history.table} RENAME COLUMN `{old}` TO `{new}`")
    history.names |= {one: b, other: a}
    history.has_changed_names = True


def drop_and_add(spark: SparkSession, history: History, _: Draw) -> None:
    """Drop a column, and add one of the same name and type."""
    if history.mapping == "none":
        return
    name = history.names["c"]
    history.run(spark, f"ALTER TABLE {history.table} DROP COLUMN `{name}`")
    history.run(spark, f"ALTER TABLE {history.table} ADD COLUMN `{name}` DECIMAL(20, 3)")
    history.has_changed_names = True


def widen(spark: SparkSession, history: History, _: Draw) -> None:
    properties = spark.sql(f"SHOW TBLPROPERTIES {history.table}").collect()
    if any(row.key == "delta.enableTypeWidening" and row.value == "true" for row in properties):
        name = history.names["k"]
        history.run(spark, f"ALTER TABLE {history.table} ALTER COLUMN `{name}` TYPE BIGINT")
        history.has_changed_names = True


CHANGES = [
    delete,
    append,
    append,
    delete,
    delete,
    delete,
    update,
    merge,
    optimize,
    restore,
    rename,
    drop_and_add,
    widen,
]
