"""How tests start Spark on this machine: on loopback, in a JVM for short runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support import local_files
from support.jvm import JVM_FOR_SHORT_RUNS
from support.small_queries import make_cheap

OURS = "limitpruning.LimitPruningExtensions"
OURS_FIRST = pytest.mark.parametrize("spark", ["ours first"], indirect=True)
"""One order of two extensions, for tests that do not depend on it."""
# Spark's default pages of up to 64 MB go straight into the old generation: with a heap of 1 GB, the
# random plans spent a fifth of their time in full collections.
SMALL_PAGES = {"spark.driver.memory": "2g", "spark.buffer.pageSize": "1m"}
ON_LOOPBACK = {
    "spark.driver.extraJavaOptions": JVM_FOR_SHORT_RUNS,
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    # The store of the UI keeps what has run even without a UI.
    "spark.ui.retainedJobs": "200",
    "spark.ui.retainedStages": "200",
    "spark.ui.retainedTasks": "1000",
    "spark.sql.ui.retainedExecutions": "50",
    **SMALL_PAGES,
}


def local_builder(scratch: Path) -> SparkSession.Builder:
    """Return the builder of a local session in which errors while planning are failures.

    The warehouse and Spark's temporary files are in `scratch`.
    """
    settings = ON_LOOPBACK | {
        "spark.sql.shuffle.partitions": "2",
        # A list of more than 32 paths takes a job of as many tasks.
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": "2",
        # A process runs thousands of queries, and many of them again.
        "spark.sql.codegen.cache.maxEntries": "1000",
        "spark.broadcast.compress": "false",
        "spark.shuffle.compress": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.local.dir": str(scratch),
        "spark.limitPruning.failOnError": "true",
        # A busy machine may stop for seconds. Tests of the setting set it.
        "spark.limitPruning.planning.maxTime": "60s",
        **local_files.settings(),
    }
    builder = SparkSession.builder.master("local[2]").appName("limit-pruning-tests")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder


def hive_builder(scratch: Path) -> SparkSession.Builder:
    """Return the builder of a local session with a Hive metastore of its own.

    A process can have only one such session.
    """
    settings = {
        "spark.driver.extraJavaOptions": f"{JVM_FOR_SHORT_RUNS} -Dderby.system.home={scratch}",
        "spark.hadoop.javax.jdo.option.ConnectionURL": (
            f"jdbc:derby:;databaseName={scratch}/metastore;create=true"
        ),
        "spark.hadoop.hive.exec.dynamic.partition.mode": "nonstrict",
        "spark.hadoop.hive.exec.scratchdir": f"{scratch}/hive",
    }
    builder = local_builder(scratch).enableHiveSupport()
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder


def start(
    scratch: Path, jars: Sequence[Path], extensions: Sequence[str], settings: Mapping[str, str]
) -> SparkSession:
    """Start a session with the extension and another one, in the order that is given.

    Args:
        scratch: The folder of the warehouse and of temporary files.
        jars: The JARs of the other extension.
        extensions: The class names of both extensions.
        settings: The settings that the other extension needs.
    """
    all_settings = {
        "spark.jars": ",".join(map(str, [*jars, limit_pruning.jar_path()])),
        "spark.sql.extensions": ",".join(extensions),
        "spark.ui.showConsoleProgress": "false",
        **settings,
    }
    builder = local_builder(scratch)
    for key, value in all_settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    make_cheap(session)
    limit_pruning.verify(session)
    return session


def fixture(start_in: Callable[[Path, str], SparkSession], orders: Mapping[str, object]) -> Any:
    """Return a fixture: one session for each order of two extensions, which tests choose by name.

    Args:
        start_in: Starts a session in a folder, with an order. It skips the test if a JAR cannot be
            had; in CI, that is a failure.
        orders: The orders, by their names.
    """

    @pytest.fixture(scope="session", params=list(orders))
    def spark(
        request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
    ) -> Iterator[SparkSession]:
        started = start_in(tmp_path_factory.mktemp("spark"), request.param)
        yield started
        started.stop()

    return spark
