"""Random Delta tables: a history of writes, by statements of SQL."""

from __future__ import annotations

from pathlib import Path

from hypothesis import strategies as st
from pyspark.sql import SparkSession

from support import random_histories
from support.delta.history import History
from support.random_histories import Draw, predicate, rows
from support.sparks import LINE


def create(spark: SparkSession, path: Path, draw: Draw) -> History:
    """Create a table with random properties and its first rows, and change it a few times."""
    history = History.at(
        path,
        mapping=draw(st.sampled_from(["none", "name", "name", "id"])),
        vectors=draw(st.sampled_from([True, True, False])),
        partitioned=draw(st.sampled_from([False, False, True])),
    )
    # Texts with bytes that are not UTF-8, in the tables whose rows are rewritten.
    history.has_bytes = not history.vectors
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


def delete(spark: SparkSession, history: History, draw: Draw) -> None:
    random_histories.delete(spark, history, draw, predicate(history, draw))


def update(spark: SparkSession, history: History, draw: Draw) -> None:
    random_histories.update(spark, history, predicate(history, draw))


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
    if history.mapping == "none":
        return
    random_histories.swap_names(spark, history, draw, frozenset())
    history.has_changed_names = True


def drop_and_add(spark: SparkSession, history: History, _: Draw) -> None:
    if history.mapping == "none":
        return
    random_histories.drop_and_add(spark, history)
    history.has_changed_names = True


def widen(spark: SparkSession, history: History, _: Draw) -> None:
    properties = spark.sql(f"SHOW TBLPROPERTIES {history.table}").collect()
    if any(row.key == "delta.enableTypeWidening" and row.value == "true" for row in properties):
        name = history.names["k"]
        history.run(spark, f"ALTER TABLE {history.table} ALTER COLUMN `{name}` TYPE BIGINT")
        history.has_changed_names = True


CHANGES = [
    delete,
    *[random_histories.append] * 2,
    delete,
    delete,
    delete,
    update,
    merge,
    optimize,
    restore,
    rename,
    drop_and_add,
    *([widen] if LINE >= (4, 0) else []),  # from INT to BIGINT, as Delta Lake can on Spark 4
]
