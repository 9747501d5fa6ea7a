"""Delta Lake: as it is, without its own push-down of limits, and with the extension."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from benchmarks import tables
from benchmarks.engines import DELTA_OURS, DELTA_READS_ALL
from benchmarks.engines.spark import Spark, downloaded, open_session, rows_written, version_in
from benchmarks.queries import CREATE_TABLE, Asked

_PUSH_DOWN = "spark.databricks.delta.stats.limitPushdown.enabled"


def jars() -> list[Path]:
    """Return the JARs of Delta Lake for the Spark that is installed; download them once."""
    return downloaded("delta-jars")


def version() -> str:
    """Return the version of Delta Lake; download its JARs once."""
    return version_in(jars(), r"delta-storage-(\S+)\.jar")


def delta_session(name: str, data: Path) -> SparkSession:
    """Start a session with Delta Lake; all of its settings but the one measured are defaults."""
    settings = {
        "spark.jars": ",".join(map(str, jars())),
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    }
    if name == DELTA_READS_ALL:
        settings[_PUSH_DOWN] = "false"
    return open_session(name, data, name == DELTA_OURS, settings)


def start(name: str, data: Path) -> Delta:
    """Start a session in which the table `events` is the one of Delta Lake."""
    session = delta_session(name, data)
    path = data / tables.EVENTS_DELTA.name
    # A view of SQL is resolved by each query, as a table's name is: Delta checks its log each time.
    session.sql(
        f"CREATE TEMPORARY VIEW {tables.EVENTS.name} AS SELECT * FROM delta.`{path}`"
    ).collect()
    return Delta(session)


class Delta(Spark):
    """A session with Delta Lake, which can also write a Delta table."""

    def run(self, query: Asked, output: Path) -> int:
        """Run the query; CREATE TABLE writes a new table each time."""
        if query.action != CREATE_TABLE:
            return super().run(query, output)
        self.session.sql(f"CREATE TABLE delta.`{output}` USING delta AS {query.sql}")
        return rows_written(output)
