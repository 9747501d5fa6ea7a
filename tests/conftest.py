"""One Spark session for the whole suite, as a user would start it."""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import limit_pruning
from limit_pruning._pyspark import disable_query_log
from support import tables
from support.applications import application
from support.applications.application import Application
from support.jvm import SMALL_JVM
from support.object_store import s3a, server
from support.predicates import Predicate
from support.runs import conf
from support.sessions import local_builder
from support.small_queries import make_cheap

os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
os.environ["PYSPARK_PYTHON"] = sys.executable  # workers need the suite's packages
os.environ["PYARROW_IGNORE_TIMEZONE"] = "1"  # pandas on Spark 4.0 warns without it
os.environ["SPARK_SUBMIT_OPTS"] = SMALL_JVM  # of each driver that a test starts
os.environ["TZ"] = "UTC"  # PySpark gives timestamps in the local time zone
time.tzset()


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A local session with the extension, in which errors while planning are failures."""
    builder = local_builder(tmp_path_factory.mktemp("spark"))
    session = limit_pruning.configure(builder).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    make_cheap(session)
    limit_pruning.verify(session)
    yield session
    session.stop()


# Files that take minutes, first: each process takes the next file when it has finished one.
LONGEST = [
    "test_random_plans.py",
    "test_random_plans_hive.py",
    "test_delta_random.py",
    "test_iceberg_random_orders.py",
    "test_iceberg_random.py",
    "test_delta_by_rows.py",
    "test_properties.py",
    "test_random_lies.py",
    "test_soundness_corpus.py",
    "test_soundness_modes.py",
    "test_random_groups.py",
    "test_unsigned.py",
    "test_cluster.py",
    "test_cluster_by_rows.py",
    "test_cluster_sizes.py",
]


@pytest.hookimpl(tryfirst=True)  # before pytest selects by marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that use the session; run the longest files first, not as the last ones."""
    for item in items:
        if isinstance(item, pytest.Function) and "spark" in item.fixturenames:
            item.add_marker(pytest.mark.spark)
    items.sort(key=lambda item: item.path.name not in LONGEST)


def pytest_collection_finish() -> None:
    """Let Python not count the objects of thousands of tests, of which it would collect rarely."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def queries_released() -> Iterator[None]:
    """Release the queries of a file: py4j's objects are in cycles, and keep them in the JVM."""
    yield
    gc.collect()


@pytest.fixture
def wildlife(spark: SparkSession, tmp_path: Path) -> tables.Table:
    """The case study's table, registered as ``tracking_data``."""
    return tables.wildlife(tmp_path).register(spark)


@pytest.fixture(scope="session")
def sightings(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tables.Table:
    """A partitioned table of many row groups, registered as ``sightings``."""
    return tables.sightings(tmp_path_factory.mktemp("tables")).register(spark)


@pytest.fixture(params=list(tables.SIGHTINGS_PREDICATES))
def predicate(request: pytest.FixtureRequest) -> Predicate | None:
    """Predicates over ``sightings``: on the data, on the partition, on both, and none."""
    return tables.SIGHTINGS_PREDICATES[request.param]


@pytest.fixture
def statistics_alone(spark: SparkSession) -> Iterator[None]:
    """Leave dictionaries and bloom filters unread, which decide much that statistics must not."""
    with conf(spark, {"spark.limitPruning.planning.maxBytes": "0"}):
        yield


@pytest.fixture
def planned_at_root(spark: SparkSession) -> Iterator[None]:
    """Plan a LIMIT without a predicate with its query, as all other LIMITs are."""
    with conf(spark, {"spark.limitPruning.planning.atRoot": "true"}):
        yield


@pytest.fixture
def quiet(spark: SparkSession) -> Iterator[None]:
    """Keep the errors of predicates that fail on some row out of the log."""
    spark.sparkContext.setLogLevel("OFF")
    disable_query_log(True)
    yield
    disable_query_log(False)
    spark.sparkContext.setLogLevel("ERROR")


@pytest.fixture(scope="module")
def jars() -> Path:
    """The JARs of S3A; where they cannot be had these tests are skipped, but in CI they fail."""
    return s3a.jars()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an object store."""
    pytest.importorskip("moto.server")
    with server.running(tmp_path_factory.mktemp("store")) as address:
        yield address


@pytest.fixture(scope="module")
def app(
    jars: Path, address: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Application]:
    """An application that reads from the store."""
    folder = tmp_path_factory.mktemp("application")
    with application.running(s3a.settings(address, jars), folder) as started:
        yield started
