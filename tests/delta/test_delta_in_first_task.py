"""At the root, tasks over a Delta table read the columns of the predicate first, too."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.runs import conf
from support.scan_tables import hold, physical

pytestmark = pytest.mark.parametrize("spark", ["Delta first"], indirect=True)

ROWS = 6000
SETTINGS = {
    "spark.limitPruning.rows.minBytes": "1",
    "spark.limitPruning.pages.minBytes": "0",
    "spark.limitPruning.planning.maxTime": "60s",
}
PREDICATES = [
    "v % {} = 3",
    "n % {} = 1 OR n IS NULL",
    "p = 1 AND v % {} = 0",
    "p * 10 + v % {} = 12",
    "st.a % {} = 1",
    "s LIKE '%{}%'",
    "later % {} = 1",
    "later IS NULL AND v % {} = 1",
]
SELECTED = ["*", "id, c1, c2, c3, c4, c5, c6, c7", "p, st.b, later, c1, c2, c3, c4, c5, v"]
PROPERTIES = {
    "plain": {},
    "mapped by name": {"columnMapping.mode": "name"},
    "deletion vectors": {"enableDeletionVectors": "true"},
}


def written(spark: SparkSession, path: Path, properties: str) -> str:
    """Write a partitioned table to which a column was added; half of its files lack it."""
    rows = spark.range(0, ROWS, 1, 2).selectExpr(
        "id",
        "id * 7919 % 1009 AS v",
        "IF(id % 3 = 0, NULL, hash(id, 1) % 50) AS n",
        "concat('name ', id * 31 % 997) AS s",
        "named_struct('a', id * 17 % 89, 'b', concat('b', id)) AS st",
        "id % 2 AS p",
        *(f"concat('{c} of ', id) AS c{c}" for c in range(14)),
    )
    files = {"parquet.page.row.count.limit": "100", "parquet.enable.dictionary": "false"}
    with conf(spark, files):
        writer = rows.write.format("delta").partitionBy("p")
        for name, value in PROPERTIES[properties].items():
            writer = writer.option(f"delta.{name}", value)
        writer.save(str(path))
        more = rows.selectExpr("*", "id * 3 % 401 AS later")
        more.write.format("delta").mode("append").option("mergeSchema", "true").save(str(path))
    table = f"delta.`{path}`"
    if properties == "deletion vectors":
        spark.sql(f"DELETE FROM {table} WHERE v % 5 = 3")
    return table


@pytest.mark.parametrize("properties", PROPERTIES)
def test_random_predicates(spark: SparkSession, tmp_path: Path, properties: str) -> None:
    table = written(spark, tmp_path / "t", properties)
    draw = random.Random(properties)
    first = 0
    with conf(spark, SETTINGS):
        for _ in range(12):
            predicate = draw.choice(PREDICATES).format(draw.choice([2, 3, 7, 23, 97]))
            query = f"SELECT {draw.choice(SELECTED)} FROM {table} WHERE {predicate}"
            df = hold(spark, query, draw.choice([1, 5, 20]))
            df.collect()
            first += "the predicate first" in physical(df)
    # Delta hides deleted rows while it reads, so rows of its batches have other positions.
    assert (first > 0) == (properties != "deletion vectors")
