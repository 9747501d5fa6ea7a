"""A few seconds of `make soak`."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support import soak

pytestmark = [pytest.mark.slow, pytest.mark.random]


def test_a_table_that_changes_between_queries(spark: SparkSession, tmp_path: Path) -> None:
    tally = soak.soak(spark, tmp_path, seconds=5, samples=2)
    assert tally.counts["queries"] >= soak.QUERIES
    assert tally.counts["covered"] > 0
    first, last = tally.uses[0], tally.uses[-1]
    assert last.threads - first.threads < 50, "threads live no longer than what they are for"
    assert last.files - first.files < 100, "files are closed"
