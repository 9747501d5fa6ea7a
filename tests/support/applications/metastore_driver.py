"""Counts what queries request of a Hive metastore; see `test_metastore.py`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import limit_pruning
from support.runs import ENABLED, conf
from support.sessions import hive_builder

TABLES = {
    "spark": "USING PARQUET PARTITIONED BY (p)",
    "hive": "PARTITIONED BY (p) STORED AS PARQUET",
}


def requests(spark: SparkSession, sql: str) -> dict[str, Any]:
    """Run a query, and return its rows, its plan and how much of the metastore it needed."""
    jvm: Any = spark.sparkContext._jvm
    metrics = jvm.org.apache.spark.metrics.source.HiveCatalogMetrics
    metrics.reset()
    query = spark.sql(sql)
    rows = [list(row) for row in query.collect()]
    return {
        "rows": rows,
        "plan": query._jdf.queryExecution().executedPlan().toString(),
        "calls": metrics.METRIC_HIVE_CLIENT_CALLS().getCount(),
        "partitions": metrics.METRIC_PARTITIONS_FETCHED().getCount(),
    }


def main() -> None:
    """Run each query with pruning and without, and print both counts."""
    scratch, queries = Path(sys.argv[1]), json.loads(sys.argv[2])
    spark = limit_pruning.configure(hive_builder(scratch)).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    found = {}
    for table, clauses in TABLES.items():
        spark.sql(
            f"CREATE TABLE {table} {clauses} AS"
            " SELECT id, CAST(id * 7 % 40 AS STRING) AS s, id DIV 10 AS p FROM range(40)"
        )
        for name, sql in queries.items():
            both = {}
            for enabled in ("true", "false"):
                with conf(spark, {ENABLED: enabled}):
                    both[enabled] = requests(spark, sql.format(table=table))
            found[f"{name}, {table}"] = both
    print(json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    main()
