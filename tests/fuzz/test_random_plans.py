"""Whatever the table's place, the query's shape and the settings: rows that plain Spark finds."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from pyspark.sql import SparkSession

from support.random_plans import (
    batches,
    changes,
    conditions,
    properties,
    queries,
    shapes,
    window_shapes,
)
from support.random_plans.places import IN_MEMORY, INNER, WINDOWS
from support.random_plans.specs import PARTITIONS
from support.random_plans.tally import Tally
from support.random_profiles import MINUTES
from support.sparks import LINE

pytestmark = [pytest.mark.random, pytest.mark.slow, pytest.mark.usefixtures("quiet")]

# What every run draws at least once, by what is counted.
DRAWN: dict[str, Iterable[str]] = {
    "place": [*IN_MEMORY, *INNER, *WINDOWS],
    "changing place": IN_MEMORY,
    "partitioned by": PARTITIONS,
    "shape": shapes.SHAPES,
    "condition": [*conditions.KINDS, *(conditions.OF_VARIANTS if LINE >= (4, 0) else [])],
    "fetched": [*queries.WAYS, *queries.INNER_WAYS],
    "change": changes.ALL,
}


def test_random_plans(spark: SparkSession) -> None:
    tally = properties.check(spark, IN_MEMORY, tables=2, changes=3, inner=INNER, windows=WINDOWS)
    assert not tally.failures, f"{len(tally.failures)} failures"
    assert tally.share("covered") >= 0.2, "else the property says nothing"
    assert tally.share(batches.PLAIN_TOO) < 0.01
    assert tally.share(batches.CANNOT_SAY) < 0.01
    if not MINUTES:
        assert tally.counts["queries"] >= 600
        windows = [tally.counts[f"shape: {shape}, covered"] for shape in window_shapes.WINDOWS]
        assert sum(windows) >= 8, "else the property says nothing"
        assert_drawn(tally)


def assert_drawn(tally: Tally) -> None:
    """Assert that everything that can be drawn was."""
    for dimension, values in DRAWN.items():
        missing = [value for value in values if not tally.counts[f"{dimension}: {value}"]]
        assert not missing, f"no {dimension} was one of {missing}"
