"""A session with Apache Iceberg and the extension."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyspark
import pytest
from pyspark.sql import SparkSession

from support import downloads, sessions
from support.sessions import OURS

ICEBERG = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
ORDERS = {"Iceberg first": [ICEBERG, OURS], "ours first": [OURS, ICEBERG]}
VERSIONS = {
    "3.5": ("1.12.0", "1.11.0", "1.10.2"),
    "4.0": ("1.11.0", "1.10.2"),
    "4.1": ("1.12.0", "1.11.0"),
}
"""The versions of Iceberg that are supported, by the minor version of Spark, the newest first."""


def versions() -> tuple[str, ...]:
    """The supported versions of Iceberg for the Spark that is installed."""
    return VERSIONS.get(".".join(pyspark.__version__.split(".")[:2]), ())


def version() -> str:
    """The version of Iceberg that sessions have: ``ICEBERG`` in the environment, or the newest."""
    return os.environ.get("ICEBERG") or versions()[0]


def jars(other: str | None = None) -> list[Path]:
    """The JAR of Iceberg for the Spark that is installed; without a supported one, skip the test.

    Args:
        other: Another version of Iceberg than that of sessions.
    """
    minor = ".".join(pyspark.__version__.split(".")[:2])
    if not versions():
        pytest.skip(f"tables of Iceberg are pruned on Spark {', '.join(VERSIONS)}, not on {minor}")
    folder = downloads.folder("iceberg-jars", minor, other or version())
    return sorted(folder.glob("*.jar"))


def start(scratch: Path, order: str, more: Mapping[str, str] | None = None) -> SparkSession:
    """Start a session in which the two extensions are named in this order, with more settings."""
    settings = {
        **(more or {}),
        "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.ice.type": "hadoop",
        "spark.sql.catalog.ice.warehouse": str(scratch / "ice"),
    }
    return sessions.start(scratch, jars(), ORDERS[order], settings)


def reads_defaults() -> bool:
    """Whether Iceberg's reader compares filters with the default of a column that a file lacks."""
    major, minor = map(int, version().split(".")[:2])
    return (major, minor) >= (1, 12)


def java_table(spark: SparkSession, table: str) -> Any:
    """Iceberg's own object for a table."""
    jvm: Any = spark._jvm
    return jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(spark._jsparkSession, table)


def staged_task_sets(spark: SparkSession, table: str) -> set[str]:
    """The ids of task sets that are staged for a table."""
    jvm: Any = spark._jvm
    manager = jvm.org.apache.iceberg.spark.ScanTaskSetManager.get()
    return set(manager.fetchSetIds(java_table(spark, table)))
