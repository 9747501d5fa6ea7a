"""One Spark session with Apache Iceberg, for each order of the two extensions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from support.iceberg import session


@pytest.fixture(scope="session", params=list(session.ORDERS))
def spark(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SparkSession]:
    """A local session with Iceberg; in CI, a JAR that cannot be had is a failure."""
    started = session.start(tmp_path_factory.mktemp("spark"), request.param)
    yield started
    started.stop()
