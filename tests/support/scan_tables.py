"""Tables that Spark wrote, for the tests of what a scan owes to a query."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from support.runs import IN_ONE_PARTITION, REFERENCE, conf, hold_counts

# Spark then adds runtime filters to joins of small tables, too.
EAGER_FILTERS = {
    "spark.sql.optimizer.dynamicPartitionPruning.reuseBroadcastOnly": "false",
    "spark.sql.optimizer.dynamicPartitionPruning.fallbackFilterRatio": "10",
    "spark.sql.optimizer.runtime.bloomFilter.applicationSideScanSizeThreshold": "0",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
}

# What a plan shows if several jobs have found its rows.
SEVERAL_JOBS = re.compile(r"ReadFirst: \d+ bytes in (?:[2-9]|[1-9]\d+) jobs")


def partitioned(spark: SparkSession, path: Path, rows: int = 200, values: int = 2) -> DataFrame:
    """Write ``id`` by the partition column ``p = id % values``: files of 50 rows, sorted."""
    table = spark.range(rows).selectExpr("id", f"id % {values} AS p")
    write_by_p(table, path)
    return spark.read.parquet(str(path))


def write_by_p(rows: DataFrame, path: Path) -> None:
    """Write rows by the partition column ``p``: files of 50 rows, sorted by ``id``."""
    ordered = rows.coalesce(1).sortWithinPartitions("p", "id")
    ordered.write.option("maxRecordsPerFile", 50).partitionBy("p").parquet(str(path))


def one_value(spark: SparkSession, value: int, name: str = "x") -> None:
    """Register a table of one row, ``v``."""
    spark.sql(f"SELECT {value}L AS v").createOrReplaceTempView(name)


def plain(spark: SparkSession, query: str) -> list[tuple[Any, ...]]:
    """Return the rows that the query has without the extension."""
    with conf(spark, REFERENCE):
        return [tuple(row) for row in spark.sql(query).collect()]


def hold(spark: SparkSession, query: str, limit: int, ordered: bool = False) -> DataFrame:
    """Hold ``query LIMIT limit`` to plain Spark; with `ordered`, to its very rows. Return it."""
    df = spark.sql(f"{query} LIMIT {limit}")
    hold_frame(spark, df, query, limit, ordered)
    return df


def hold_frame(
    spark: SparkSession, df: DataFrame, query: str, limit: int, ordered: bool = False
) -> None:
    """Hold a DataFrame that may have been planned before to `limit` rows of `query`."""
    _hold(df, _every_row(spark, query), limit, query, ordered)


def hold_limits(
    spark: SparkSession, query: str, limits: Sequence[int], ordered: bool = False
) -> None:
    """Do as `hold` for several limits, and run the query without a LIMIT only once."""
    allowed = _every_row(spark, query)
    for limit in limits:
        _hold(spark.sql(f"{query} LIMIT {limit}"), allowed, limit, query, ordered)


def _every_row(spark: SparkSession, query: str) -> list[tuple[Any, ...]]:
    with conf(spark, IN_ONE_PARTITION):
        return plain(spark, query)


def _hold(
    df: DataFrame, allowed: list[tuple[Any, ...]], limit: int, query: str, ordered: bool
) -> None:
    found = [tuple(row) for row in df.collect()]
    if ordered:
        assert found == allowed[:limit]
    hold_counts(Counter(found), Counter(allowed), limit, query)


def physical(df: DataFrame) -> str:
    """Return the physical plan; the query is planned for it, and not run."""
    return str(df._jdf.queryExecution().executedPlan().toString())


def is_pruned(df: DataFrame) -> bool:
    """Tell whether a scan of ours is in the plan."""
    return "LimitPrunedScan" in physical(df)
