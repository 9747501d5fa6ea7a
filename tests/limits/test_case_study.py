"""The case study: four row groups, one of them fully matching, one scanned."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support import footers
from support.predicates import Compare, StartsWith, both
from support.runs import check
from support.tables import Table

pytestmark = pytest.mark.core

PREDICATE = both(StartsWith("species", "Alpine"), Compare("s", ">=", 50))
QUERY = "SELECT * FROM tracking_data WHERE species LIKE 'Alpine%' AND s >= 50 LIMIT 3"


def test_reads_the_one_fully_matching_row_group(spark: SparkSession, wildlife: Table) -> None:
    limit = check(spark, wildlife, PREDICATE, 3)
    assert limit.covered
    assert limit.reason is None
    assert limit.row_groups.total == 4
    assert limit.row_groups.matched == 3
    assert limit.row_groups.fully_matched == 1
    assert limit.row_groups.scanned == 1
    assert limit.row_filter_skipped
    assert (limit.files.total, limit.files.inspected, limit.files.scanned) == (1, 1, 1)


def test_returns_that_row_group(spark: SparkSession, wildlife: Table) -> None:
    assert wildlife.files
    rows = spark.sql(QUERY).collect()
    assert {row.species for row in rows} == {"Alpine Ibex", "Alpine Goat", "Alpine Sheep"}


def test_counts_equal_those_of_the_footer(spark: SparkSession, wildlife: Table) -> None:
    limit = limit_pruning.report(spark.sql(QUERY)).only
    assert footers.counts(wildlife.files, PREDICATE, 3) == footers.Counts(
        limit.row_groups.total or 0,
        limit.row_groups.matched or 0,
        limit.row_groups.fully_matched or 0,
        limit.row_groups.scanned,
    )


def test_the_report_speaks_the_words_of_the_post(spark: SparkSession, wildlife: Table) -> None:
    assert wildlife.files
    text = str(limit_pruning.report(spark.sql(QUERY)))
    assert "row_groups_pruned_statistics=4 total → 3 matched -> 1 fully matched" in text
    assert "limit_pruned_row_groups=3 total → 1 matched" in text


@pytest.mark.parametrize("limit", [4, 100])
def test_a_limit_that_one_row_group_cannot_cover(
    spark: SparkSession, wildlife: Table, limit: int
) -> None:
    report = check(spark, wildlife, PREDICATE, limit)
    assert not report.covered
    assert report.reason is not None
    assert not report.row_filter_skipped
