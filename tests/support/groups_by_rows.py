"""Queries whose groups are found by reading keys first."""

from __future__ import annotations

from pyspark.sql import SparkSession

import limit_pruning
from limit_pruning import LimitReport
from support.costs import searches
from support.scan_tables import physical


def found(spark: SparkSession, query: str) -> tuple[LimitReport, str]:
    """Run a query whose groups are found by rows; return its report and its plan."""
    df = spark.sql(query)
    df.collect()
    plan = physical(df)
    assert "RowsVerified" in plan, plan
    report = limit_pruning.report(df).only
    assert report.covered
    return report, plan


def in_sample(spark: SparkSession, query: str) -> tuple[bool, bool]:
    """Run a query; return whether a sample was searched, and whether it had enough groups."""
    before = searches(spark, "sample")
    df = spark.sql(query)
    df.collect()
    searched = searches(spark, "sample") - before
    assert len(searched) <= 1
    return bool(searched), "RowsVerified" in physical(df)
