"""A session with Delta Lake and the extension."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession

import limit_pruning
from support.paths import ROOT
from support.sessions import local_builder

DELTA = "io.delta.sql.DeltaSparkSessionExtension"
OURS = "limitpruning.LimitPruningExtensions"
CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
ORDERS = {"Delta first": [DELTA, OURS], "ours first": [OURS, DELTA]}


class NotToBeHadError(Exception):
    """The JARs cannot be had."""


def jars() -> list[Path]:
    """The JARs of Delta Lake for the Spark that is installed; downloads them once."""
    minor = ".".join(pyspark.__version__.split(".")[:2])
    command = [str(ROOT / "bin" / "delta-jars"), minor]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if run.returncode != 0:
        raise NotToBeHadError(f"no JARs for Delta Lake: {run.stderr}")
    return sorted(Path(run.stdout.strip()).glob("*.jar"))


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
        "spark.databricks.delta.schema.autoMerge.enabled": "true",
    }
    builder = local_builder(scratch)
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    limit_pruning.verify(session)
    return session
