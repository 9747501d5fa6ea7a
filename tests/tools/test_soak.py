"""A few seconds of `make soak`."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support import soak

pytestmark = [pytest.mark.slow, pytest.mark.random]


def test_a_table_that_changes_between_queries(spark: SparkSession, tmp_path: Path) -> None:
    tally = soak.soak(spark, soak.ChangingTable(spark, tmp_path), seconds=5, samples=2)
    assert tally.counts["queries"] >= soak.QUERIES
    assert tally.counts["covered"] > 0
    soak.hold_level(tally)
