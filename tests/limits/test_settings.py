"""Settings work between two queries of a running session."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support.runs import ENABLED, conf
from support.tables import Table

QUERY = "SELECT * FROM sightings WHERE s >= 20 LIMIT 25"
BUDGETS = [f"spark.limitPruning.planning.{name}" for name in ("maxFiles", "maxTime", "maxMemory")]


@pytest.mark.usefixtures("sightings")
def test_disabled_at_run_time(spark: SparkSession) -> None:
    assert limit_pruning.report(spark.sql(QUERY)).only.covered
    with conf(spark, {ENABLED: "false"}):
        disabled = spark.sql(QUERY)
        assert not limit_pruning.report(disabled).only.covered
        assert "LimitPruned" not in _explained(spark)
        assert len(disabled.collect()) == 25
    assert limit_pruning.report(spark.sql(QUERY)).only.covered
    assert "LimitPruned" in _explained(spark)


@pytest.mark.parametrize("budget", BUDGETS)
def test_a_budget_of_nothing(spark: SparkSession, sightings: Table, budget: str) -> None:
    spark.sql(f"REFRESH TABLE {sightings.name}")  # what is known from earlier tests costs nothing
    query = "SELECT * FROM sightings WHERE s >= 0 LIMIT 100"
    with conf(spark, {budget: "0", "spark.limitPruning.planning.firstFiles": "1"}):
        limit = limit_pruning.report(spark.sql(query)).only
        assert len(spark.sql(query).collect()) == 100
    assert limit.reason is not None
    assert limit.reason.code == "out-of-budget"
    assert budget in limit.reason.message


@pytest.mark.usefixtures("sightings", "planned_at_root")
def test_a_budget_of_few_files(spark: SparkSession) -> None:
    few = {"spark.limitPruning.planning.maxFiles": "2"}
    with conf(spark, few):
        limit = limit_pruning.report(spark.sql("SELECT * FROM sightings LIMIT 100")).only
        assert not limit.covered
        assert limit.reason is not None
        assert "spark.limitPruning.planning.maxFiles" in limit.reason.message
        assert limit.files.inspected == 2
        assert limit_pruning.report(spark.sql("SELECT * FROM sightings LIMIT 60")).only.covered
    assert limit_pruning.report(spark.sql("SELECT * FROM sightings LIMIT 100")).only.covered


@pytest.mark.parametrize("key", [ENABLED, *BUDGETS])
def test_settings_are_documented(spark: SparkSession, key: str) -> None:
    rows = {row.key: row for row in spark.sql("SET -v").collect()}
    assert len(rows[key].meaning) > 20


def _explained(spark: SparkSession) -> str:
    return str(spark.sql(f"EXPLAIN {QUERY}").collect()[0][0])
