"""Queries that read the result of a LIMIT, `s`, more than once."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import DataFrame, SparkSession

import limit_pruning

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
