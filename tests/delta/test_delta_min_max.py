"""MIN and MAX over Delta tables, several in one SELECT, with deleted rows among the extremes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.scan_tables import physical, plain
from support.sessions import OURS_FIRST

COLUMNS = (
    "id",
    "id % 3 AS p",
    "hash(id) % 5000 AS h",
    "IF(id % 5 = 0, NULL, id - 300) AS n",
    "concat('k', 1000 + id) AS s",
    "date_add(DATE'2020-01-01', CAST(id AS int)) AS d",
)
KEYS = ("id", "id", "d", "d", "s", "id + 1", "n", "p", "h")
DELETES = ("id = 799", "id = 0", "id < 3", "id > 700", "p = 2 AND id > 790", "id % 7 = 0")
WHERES = ("", "WHERE id >= 200", "WHERE p = 1", "WHERE n IS NOT NULL", "WHERE id % 2 = 0")


def write(spark: SparkSession, path: Path, draw: random.Random) -> str:
    """Write a table of 800 rows, and delete some of them. Return its name."""
    writer = spark.range(0, 800, 1, draw.choice([8, 16])).selectExpr(*COLUMNS).write.format("delta")
    writer.option("delta.enableDeletionVectors", str(draw.random() < 0.7).lower())
    if draw.random() < 0.5:
        writer.option("delta.columnMapping.mode", "name")
    if draw.random() < 0.4:
        writer.partitionBy("p")
    writer.save(str(path))
    table = f"delta.`{path}`"
    for where in draw.sample(DELETES, 2):
        spark.sql(f"DELETE FROM {table} WHERE {where}")
    return table


@OURS_FIRST
@pytest.mark.parametrize("seed", [0, 3])  # with tables in which few files have deleted rows
def test_random_functions(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    pruned = 0
    for number in range(4):
        table = write(spark, tmp_path / str(number), draw)
        for _ in range(14):
            functions = [f"{draw.choice(['min', 'max'])}({draw.choice(KEYS)})" for _ in range(3)]
            # One value for each row, so that no two rows have the same key.
            functions.insert(draw.randrange(3), f"{draw.choice(['min_by', 'max_by'])}(s, id)")
            some = ", ".join(functions[: draw.choice([1, 2, 2, 3, 4])])
            query = f"SELECT {some} FROM {table} {draw.choice(WHERES)}"
            df = spark.sql(query)
            assert [tuple(row) for row in df.collect()] == plain(spark, query), query
            pruned += "LimitPrunedScan" in physical(df)
    assert pruned > 10
