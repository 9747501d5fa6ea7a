"""The newest rows of each group of Delta tables, without deleted rows."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

from pyspark.sql import SparkSession

from support.runs import conf
from support.scan_tables import physical, plain
from support.sessions import OURS_FIRST


@OURS_FIRST
def test_deleted_rows_are_not_the_newest(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.range(0, 6_000, 1, 4).selectExpr(
        "id",
        "hash(id) % 30 AS device",
        "hash(id, 1) % 1000 AS at",
        *(f"concat('{c}', hash(id, {c})) AS c{c}" for c in range(6)),
    )
    table = f"delta.`{tmp_path / 't'}`"
    rows.write.format("delta").option("delta.enableDeletionVectors", "true").save(
        str(tmp_path / "t")
    )
    rng = random.Random(8)
    by_rows = 0
    with conf(spark, {"spark.limitPruning.rows.minBytes": "0"}):
        for _ in range(6):
            spark.sql(f"DELETE FROM {table} WHERE at > {rng.randint(850, 990)} AND id % 3 <> 0")
            spark.sql(f"DELETE FROM {table} WHERE hash(id, 2) % 9 = {rng.randint(0, 8)}")
            order = rng.choice(["at DESC, id", "at, id DESC", "id"])
            query = (
                "SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY device ORDER BY "
                f"{order}) AS n FROM {table} WHERE id % 7 <> 3) WHERE n <= {rng.choice([1, 2])}"
            )
            df = spark.sql(query)
            found = Counter(repr(tuple(row)) for row in df.collect())
            assert found == Counter(map(repr, plain(spark, query))), query
            by_rows += "RowsVerified" in physical(df)
    assert by_rows == 6
