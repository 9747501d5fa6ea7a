"""A session with Apache DataFusion Comet and the extension."""

from __future__ import annotations

from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession

from support import downloads, sessions
from support.sessions import OURS

COMET = "org.apache.comet.CometSparkSessionExtensions"
ORDERS = {"Comet first": [COMET, OURS], "ours first": [OURS, COMET]}
ENABLED = "spark.comet.enabled"
SPARK = "4.1"
"""The minor version of Spark for which the tests have a JAR of Comet."""


def jars() -> list[Path]:
    """The JAR of Comet, with its native libraries; on another Spark, skip the test."""
    minor = ".".join(pyspark.__version__.split(".")[:2])
    if minor != SPARK:
        pytest.skip(f"Comet is tested on Spark {SPARK}, not on {minor}")
    return sorted(downloads.folder("comet-jars", minor).glob("*.jar"))


def start(scratch: Path, order: str) -> SparkSession:
    """Start a session in which the two extensions are named in this order."""
    shuffle = "org.apache.spark.sql.comet.execution.shuffle.CometShuffleManager"
    settings = {
        "spark.plugins": "org.apache.spark.CometPlugin",
        "spark.shuffle.manager": shuffle,
        "spark.memory.offHeap.enabled": "true",
        "spark.memory.offHeap.size": "512m",
        ENABLED: "true",
        "spark.comet.exec.enabled": "true",
    }
    return sessions.start(scratch, jars(), ORDERS[order], settings)
