"""A session with Delta Lake and the extension."""

from __future__ import annotations

from pathlib import Path

import pyspark
from pyspark.sql import SparkSession

import limit_pruning
from support import downloads
from support.sessions import local_builder

DELTA = "io.delta.sql.DeltaSparkSessionExtension"
OURS = "limitpruning.LimitPruningExtensions"
CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
ORDERS = {"Delta first": [DELTA, OURS], "ours first": [OURS, DELTA]}


def jars() -> list[Path]:
    """The JARs of Delta Lake for the Spark that is installed."""
    minor = ".".join(pyspark.__version__.split(".")[:2])
    return sorted(downloads.folder("delta-jars", minor).glob("*.jar"))


def start(scratch: Path, order: str) -> SparkSession:
    """Start a session in which the two extensions are named in this order."""
    ours = limit_pruning.jar_path()
    settings = {
        "spark.jars": ",".join(map(str, [*jars(), ours])),
        "spark.sql.extensions": ",".join(ORDERS[order]),
        "spark.sql.catalog.spark_catalog": CATALOG,
        "spark.ui.showConsoleProgress": "false",
        # Each query of Delta's log takes as many tasks.
        "spark.databricks.delta.snapshotPartitions": "1",
    }
    builder = local_builder(scratch)
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    limit_pruning.verify(session)
    return session
