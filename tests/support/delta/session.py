"""A session with Delta Lake and the extension."""

from __future__ import annotations

from pathlib import Path

import pyspark
from pyspark.sql import SparkSession

from support import downloads, sessions
from support.sessions import OURS
from support.sparks import ANY_DATE

DELTA = "io.delta.sql.DeltaSparkSessionExtension"
CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
ORDERS = {"Delta first": [DELTA, OURS], "ours first": [OURS, DELTA]}


def jars() -> list[Path]:
    """The JARs of Delta Lake for the Spark that is installed."""
    minor = ".".join(pyspark.__version__.split(".")[:2])
    return sorted(downloads.folder("delta-jars", minor).glob("*.jar"))


def start(scratch: Path, order: str) -> SparkSession:
    """Start a session in which the two extensions are named in this order."""
    settings = {
        "spark.sql.catalog.spark_catalog": CATALOG,
        # Each query of Delta's log takes as many tasks.
        "spark.databricks.delta.snapshotPartitions": "1",
        **ANY_DATE,
    }
    return sessions.start(scratch, jars(), ORDERS[order], settings)
