"""Queries that read the result of a LIMIT, `s`, more than once."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

import limit_pruning

SETTINGS = {
    "spark.limitPruning.pages.minBytes": "0",
    # It pays to find rows by reading for all columns, and not for one.
    "spark.limitPruning.rows.minBytes": "20000",
    "spark.sql.files.openCostInBytes": "1g",
}
"""With these, rows of `wide` are found in other ways for all columns than for one."""

LIMITED = {
    "nothing proved": "SELECT * FROM wide WHERE day BETWEEN 2 AND 3 AND v % 100 = 3 LIMIT 10",
    "proved": "SELECT * FROM wide WHERE day = 2 LIMIT 10",
    "ties": "SELECT * FROM wide WHERE day BETWEEN 2 AND 3 AND v % 100 = 3 ORDER BY n LIMIT 10",
    "offset": ("SELECT * FROM wide WHERE day BETWEEN 2 AND 3 AND v % 100 = 3 LIMIT 10 OFFSET 1"),
    "window": (
        "SELECT * FROM (SELECT *, row_number() OVER (ORDER BY n) AS r FROM wide "
        "WHERE day BETWEEN 2 AND 3 AND v % 100 = 3) WHERE r <= 10"
    ),
    "outer join": (
        "SELECT wide.* FROM wide LEFT JOIN range(3) AS other ON wide.id = other.id "
        "WHERE day BETWEEN 2 AND 3 AND v % 100 = 3 ORDER BY n LIMIT 10"
    ),
}
"""Each returns 10 rows of `wide`. There are ties in the order of `n`."""

# Each with the number of rows that it returns if `s` has 10 rows with different ids.
READ_TWICE = {
    "columns": ("SELECT x.* FROM s x JOIN (SELECT id FROM s) y USING (id)", 10),
    "IN": ("SELECT * FROM s WHERE id IN (SELECT id FROM s)", 10),
    "nested": (
        (
            "SELECT * FROM s WHERE id IN "
            "(SELECT id FROM range(99999) WHERE id IN (SELECT id FROM s WHERE id >= 0))"
        ),
        10,
    ),
    "scalar": ("SELECT * FROM s WHERE id >= (SELECT min(id) FROM s)", 10),
    # Both read the same columns.
    "one column": ("SELECT id FROM s WHERE id <= (SELECT max(id) FROM s)", 10),
    "correlated": (
        "SELECT * FROM s o WHERE 1 = (SELECT count(*) FROM s i WHERE i.id = o.id)",
        10,
    ),
    "smaller": ("SELECT x.* FROM s x JOIN (SELECT id FROM s LIMIT 4) y USING (id)", 4),
    "groups": ("SELECT DISTINCT x.id FROM s x JOIN (SELECT id FROM s GROUP BY id) USING (id)", 10),
}


def register_wide(spark: SparkSession, folder: Path) -> None:
    """Write `wide` and register it: a small and a large file, of 16 columns, with days in both."""
    for name, start, rows in (("a", 0, 4000), ("b", 10000, 9000)):
        columns = [
            "id",
            "id * 7919 % 1009 AS v",
            "id % 13 AS n",
            f"(id - {start}) DIV 500 AS day",
            *(f"concat('{c} of ', id, repeat('x', 40)) AS c{c}" for c in range(12)),
        ]
        rows_of_file = spark.range(start, start + rows, 1, 1).selectExpr(*columns)
        options = {
            "parquet.page.row.count.limit": "100",
            "parquet.enable.dictionary": "false",
            "parquet.block.size": "200000",
        }
        rows_of_file.write.options(**options).parquet(str(folder / name))
    paths = [str(folder / name) for name in ("a", "b")]
    spark.read.parquet(*paths).createOrReplaceTempView("wide")


def codes(df: DataFrame) -> set[str]:
    """Return the codes of the reasons why LIMITs of a query are not pruned or covered."""
    return {one.reason.code for one in limit_pruning.report(df).limits if one.reason}


def hold_read_twice(spark: SparkSession, twice: str, queries: Iterable[str]) -> None:
    """Hold a query of `READ_TWICE` to its number of rows, and its LIMITs to be left alone.

    Args:
        spark: The session.
        twice: A key of `READ_TWICE`.
        queries: Each defines `s`, of 10 rows with different ids.
    """
    query, count = READ_TWICE[twice]
    for limited in queries:
        df = spark.sql(f"WITH s AS ({limited}) {query}")
        assert df.count() == count, limited
        assert codes(df) == {"repeated-limit"}, limited
