"""Apache Iceberg: as it is, and with the extension."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from benchmarks import tables
from benchmarks.engines import ICEBERG_OURS
from benchmarks.engines.spark import Spark, downloaded, open_session

NAME = "ice.db.events"
VERSION = r"iceberg-spark-runtime-[\d._]+-(\S+)\.jar"
"""A pattern of the name of its JAR, whose group is its version."""


def jars() -> list[Path]:
    """Return the JAR of Iceberg for the Spark that is installed; download it once."""
    return downloaded("iceberg-jars")


def iceberg_session(name: str, data: Path, warehouse: Path | None = None) -> SparkSession:
    """Start a session with Iceberg, and with defaults for all settings that change queries.

    Args:
        name: The engine.
        data: The folder of the tables.
        warehouse: The folder of the catalog `ice`; by default, that of the events.
    """
    settings = {
        "spark.jars": ",".join(map(str, jars())),
        "spark.sql.extensions": (
            "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
        ),
        "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.ice.type": "hadoop",
        "spark.sql.catalog.ice.warehouse": str(warehouse or data / tables.EVENTS_ICEBERG.name),
    }
    return open_session(name, data, name == ICEBERG_OURS, settings)


def start(name: str, data: Path) -> Spark:
    """Start a session in which the table `events` is the one of Iceberg."""
    session = iceberg_session(name, data)
    session.sql(f"CREATE TEMPORARY VIEW {tables.EVENTS.name} AS SELECT * FROM {NAME}").collect()
    return Spark(session)
