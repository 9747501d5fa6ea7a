"""A session with Apache Iceberg and the extension."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyspark
import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support import downloads
from support.sessions import local_builder

ICEBERG = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
OURS = "limitpruning.LimitPruningExtensions"
ORDERS = {"Iceberg first": [ICEBERG, OURS], "ours first": [OURS, ICEBERG]}
SUPPORTED = "4.1"


def jars() -> list[Path]:
    """The JAR of Iceberg for the Spark that is installed; with another Spark, skip the test."""
    minor = ".".join(pyspark.__version__.split(".")[:2])
    if minor != SUPPORTED:
        pytest.skip(f"tables of Iceberg are pruned on Spark {SUPPORTED}, this is {minor}")
    return sorted(downloads.folder("iceberg-jars", minor).glob("*.jar"))


def start(scratch: Path, order: str) -> SparkSession:
    """Start a session in which the two extensions are named in this order."""
    settings = {
        "spark.jars": ",".join(map(str, [*jars(), limit_pruning.jar_path()])),
        "spark.sql.extensions": ",".join(ORDERS[order]),
        "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.ice.type": "hadoop",
        "spark.sql.catalog.ice.warehouse": str(scratch / "ice"),
        "spark.ui.showConsoleProgress": "false",
    }
    builder = local_builder(scratch)
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    limit_pruning.verify(session)
    return session


def java_table(spark: SparkSession, table: str) -> Any:
    """Iceberg's own object for a table."""
    jvm: Any = spark._jvm
    return jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(spark._jsparkSession, table)


def staged_task_sets(spark: SparkSession, table: str) -> set[str]:
    """The ids of task sets that are staged for a table."""
    jvm: Any = spark._jvm
    manager = jvm.org.apache.iceberg.spark.ScanTaskSetManager.get()
    return set(manager.fetchSetIds(java_table(spark, table)))
