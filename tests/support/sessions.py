"""How tests start Spark on this machine: on loopback, in a JVM for short runs."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

# Sessions of tests end before the optimizing compiler and a concurrent collector have paid off.
SMALL_JVM = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
JVM_FOR_SHORT_RUNS = f"{SMALL_JVM} -XX:ReservedCodeCacheSize=240m"
# Spark's default pages of up to 64 MB go straight into the old generation: with a heap of 1 GB, the
# random plans spent a fifth of their time in full collections.
SMALL_PAGES = {"spark.driver.memory": "2g", "spark.buffer.pageSize": "1m"}
ON_LOOPBACK = {
    "spark.driver.extraJavaOptions": JVM_FOR_SHORT_RUNS,
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    **SMALL_PAGES,
}


def local_builder(scratch: Path) -> SparkSession.Builder:
    """Return the builder of a local session in which errors while planning are failures.

    The warehouse and Spark's temporary files are in `scratch`.
    """
    settings = ON_LOOPBACK | {
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.local.dir": str(scratch),
        "spark.limitPruning.failOnError": "true",
    }
    builder = SparkSession.builder.master("local[2]").appName("limit-pruning-tests")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder
