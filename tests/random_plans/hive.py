"""Random plans over a Hive metastore, in a session of its own; see `test_random_plans_hive.py`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1])]
os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ["TZ"] = "UTC"

from pyspark.sql import SparkSession  # noqa: E402 - after the path is set

import limit_pruning  # noqa: E402
from conftest import JVM_FOR_SHORT_RUNS  # noqa: E402
from random_plans import properties  # noqa: E402

PLACES = ["hive", "shared"]


def main() -> None:
    """Start the session, try random plans, and fail where one fails."""
    scratch = sys.argv[1]
    builder = (
        SparkSession.builder.master("local[2]")
        .enableHiveSupport()
        .config(
            "spark.driver.extraJavaOptions", f"{JVM_FOR_SHORT_RUNS} -Dderby.system.home={scratch}"
        )
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.warehouse.dir", f"{scratch}/warehouse")
        .config("spark.local.dir", scratch)
        .config(
            "spark.hadoop.javax.jdo.option.ConnectionURL",
            f"jdbc:derby:;databaseName={scratch}/metastore;create=true",
        )
        .config("spark.hadoop.hive.exec.dynamic.partition.mode", "nonstrict")
        .config("spark.hadoop.hive.exec.scratchdir", f"{scratch}/hive")
        .config("spark.limitPruning.failOnError", "true")
    )
    spark = limit_pruning.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    tally = properties.check(spark, PLACES, tables=2, changes=2)
    spark.stop()
    assert not tally.failures, f"{len(tally.failures)} failures"
    assert tally.counts["queries"] >= 60
    assert tally.counts["place: hive, covered"] >= 3


if __name__ == "__main__":
    main()
