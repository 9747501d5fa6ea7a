"""A Spark Connect client: runs queries on the server whose address it is given, prints JSON.

Arguments: the address, the case study's file, a folder of ``tables.numbered_files``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import limit_pruning


def explained(df: DataFrame) -> str:
    """Return what ``df.explain()`` prints."""
    with redirect_stdout(StringIO()) as printed:
        df.explain()
    return printed.getvalue()


def switch(spark: SparkSession, query: str) -> dict[str, Any]:
    """Return what `is_active` and `disabled` do, step by step."""
    setting = "spark.limitPruning.enabled"
    steps: dict[str, Any] = {"before": limit_pruning.is_active(spark)}
    with limit_pruning.disabled(spark):
        with limit_pruning.disabled(spark):
            steps["inner"] = limit_pruning.is_active(spark)
        steps["outer"] = limit_pruning.is_active(spark)
        steps["plan"] = explained(spark.sql(query))
    steps["after"] = limit_pruning.is_active(spark)
    steps["left"] = spark.conf.get(setting, None)
    spark.conf.set(setting, "true")
    with limit_pruning.disabled(spark):
        pass
    steps["restored"] = spark.conf.get(setting, None)
    return steps


def refusal(call: Callable[[], Any]) -> str:
    """Return what a call says that needs a classic session."""
    try:
        call()
    except limit_pruning.SparkConnectNotSupportedError as error:
        return str(error)
    return "not refused"


def main(address: str, wildlife: str, numbered: str) -> dict[str, Any]:
    """Return plans, rows, refusals and what the switch does, each under its name."""
    spark = SparkSession.builder.remote(address).getOrCreate()
    spark.read.parquet(wildlife).createOrReplaceTempView("tracking_data")
    alpine = "SELECT species FROM tracking_data WHERE species LIKE 'Alpine%' AND s >= 50 LIMIT 3"
    frame = spark.sql(alpine)
    pandas: Any = frame.toPandas()
    told: dict[str, Any] = {
        "df.explain()": explained(frame),
        "EXPLAIN": spark.sql(f"EXPLAIN {alpine}").collect()[0][0],
        "rows": [row.species for row in frame.collect()],
        "pandas": pandas["species"].tolist(),
    }
    told["refusals"] = {
        "configure": refusal(lambda: limit_pruning.configure(SparkSession.builder.remote(address))),
        "history": refusal(lambda: limit_pruning.history(spark)),
        "inspect": refusal(lambda: limit_pruning.inspect(spark, wildlife)),
        "report": refusal(lambda: limit_pruning.report(frame)),
        "totals": refusal(lambda: limit_pruning.totals(spark)),
        "verify": refusal(lambda: limit_pruning.verify(spark)),
    }
    told["switch"] = switch(spark, alpine)
    told["reason"] = explained(spark.table("tracking_data").where("s % 2 = 0").limit(12))
    spark.conf.set("spark.limitPruning.planning.jobFiles", "1")
    frame = spark.read.parquet(numbered).where("c >= 6").limit(5)
    told["by jobs"] = explained(frame)
    told["rows by jobs"] = [row.c for row in frame.collect()]
    return told


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
