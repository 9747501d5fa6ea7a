"""One Spark session with Delta Lake, for each order of the two extensions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from support.delta import session


@pytest.fixture(scope="session", params=list(session.ORDERS))
def spark(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SparkSession]:
    """A local session with Delta Lake; in CI, JARs that cannot be had are a failure."""
    started = session.start(tmp_path_factory.mktemp("spark"), request.param)
    yield started
    started.stop()
