"""Apache Iceberg: as it is, and with the extension."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from benchmarks import tables
from benchmarks.engines import ICEBERG_OURS
from benchmarks.engines.spark import Spark, downloaded, open_session, version_in

NAME = "ice.db.events"


def jars() -> list[Path]:
    """Return the JAR of Iceberg for the Spark that is installed; download it once."""
    return downloaded("iceberg-jars")


def version() -> str:
    """Return the version of Iceberg; download its JAR once."""
    return version_in(jars(), r"iceberg-spark-runtime-[\d._]+-(\S+)\.jar")


def copy(session: SparkSession, source: Path, name: str) -> None:
    """Write the rows of Parquet files as a table, in as many files and row groups of the same size.

    Iceberg writes them, because imported files have no field ids and no split offsets.
    """
    files = sorted(source.glob("*.parquet"))
    largest = max(file.stat().st_size for file in files)
    row_group = pq.read_metadata(files[0]).row_group(0).total_byte_size
    # One task for each file. A task writes one file, unless it is larger than this.
    session.conf.set("spark.sql.files.maxPartitionBytes", largest)
    session.conf.set("spark.sql.files.minPartitionNum", 1)
    session.sql(
        f"CREATE OR REPLACE TABLE {name} USING iceberg TBLPROPERTIES ("
        f"'write.parquet.row-group-size-bytes' = '{row_group}', "
        f"'write.target-file-size-bytes' = '{10 * largest}') "
        f"AS SELECT * FROM parquet.`{source}`"
    )


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
