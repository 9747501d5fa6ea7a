"""Spark's vectorized reader is switched off, or on, after a query was planned."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support.runs import VECTORIZED, conf, planned

pytestmark = pytest.mark.usefixtures("wildlife")

LEAST = "SELECT min(s) FROM tracking_data"
QUERIES = [
    "SELECT count(*) FROM (SELECT * FROM tracking_data WHERE s >= 50 LIMIT 3)",
    "SELECT DISTINCT species FROM tracking_data LIMIT 2",
    "SELECT max(s) FROM (SELECT s FROM tracking_data ORDER BY s DESC LIMIT 3)",
    "SELECT count(*) FROM (SELECT * FROM tracking_data LIMIT 3)",
    f"SELECT count(*) FROM (SELECT * FROM tracking_data WHERE s >= ({LEAST}) LIMIT 3)",
]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("before", ["true", "false"])
def test_switched_between_planning_and_running(
    spark: SparkSession, query: str, before: str
) -> None:
    after = "false" if before == "true" else "true"
    with conf(spark, {VECTORIZED: before}):
        expected = [len(row) for row in spark.sql(query).collect()]
        frames = [planned(spark.sql(query)), spark.sql(query)]
        limit_pruning.report(frames[1])  # decides nothing either
    with conf(spark, {VECTORIZED: after}):
        for df in frames:
            assert [len(row) for row in df.collect()] == expected
            assert limit_pruning.report(df).limits


def test_a_plan_for_batches_says_what_changed(spark: SparkSession) -> None:
    """Without adaptive execution, plain Spark fails here with a ClassCastException."""
    with conf(spark, {"spark.sql.adaptive.enabled": "false"}):
        df = planned(spark.sql(QUERIES[0]))
        with (
            conf(spark, {VECTORIZED: "false"}),
            pytest.raises(Exception, match="Create the DataFrame"),
        ):
            df.collect()
