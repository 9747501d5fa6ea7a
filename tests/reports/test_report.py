"""The report: what it says, when, and what it refuses."""

from __future__ import annotations

import dataclasses
from typing import Any, cast

import pytest
from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

import limit_pruning
from support.sample_reports import Jar, parse
from support.tables import Table

pytestmark = pytest.mark.core

QUERY = "SELECT * FROM tracking_data WHERE species LIKE 'Alpine%' AND s >= 50 LIMIT 3"


@pytest.mark.usefixtures("wildlife")
def test_before_and_after_the_query_has_run(spark: SparkSession) -> None:
    df = spark.sql(QUERY)
    before = limit_pruning.report(df).only
    assert (before.rows.read, before.row_groups.read, before.bytes.read) == (None, None, None)
    assert len(df.collect()) == 3
    after = limit_pruning.report(df).only
    assert (after.rows.read, after.row_groups.read) == (3, 1)
    assert after.bytes.read == before.bytes.to_read
    assert after.row_groups.skipped == 0
    unread = dataclasses.replace(
        after,
        rows=dataclasses.replace(after.rows, read=None),
        row_groups=dataclasses.replace(after.row_groups, read=None, skipped=None),
        bytes=dataclasses.replace(after.bytes, read=None),
    )
    assert unread == before
    assert f"read: 3 rows in 1 row group, {after.bytes.read} B" in str(after)


def test_fields_of_a_covered_limit(spark: SparkSession, wildlife: Table) -> None:
    limit = limit_pruning.report(spark.sql(QUERY)).only
    assert wildlife.name in limit.table or wildlife.path.name in limit.table
    assert limit.limit == 3
    assert limit.predicate is not None
    assert "species" in limit.predicate
    assert "50" in limit.predicate
    assert limit.rows.to_read == 3
    assert limit.bytes.to_read is not None
    assert 0 < limit.bytes.to_read < wildlife.path.stat().st_size
    assert limit.time.planning_ms is not None
    assert limit.time.planning_ms > 0


@pytest.mark.usefixtures("wildlife", "planned_at_root")
def test_without_a_predicate(spark: SparkSession) -> None:
    limit = limit_pruning.report(spark.sql("SELECT * FROM tracking_data LIMIT 5")).only
    assert limit.predicate is None
    assert " WHERE " not in str(limit)
    assert limit.covered
    assert limit.row_groups.scanned == 2


@pytest.mark.usefixtures("wildlife")
def test_text_of_a_covered_limit(spark: SparkSession) -> None:
    lines = str(limit_pruning.report(spark.sql(QUERY))).splitlines()
    assert lines[0].endswith("LIMIT 3")
    assert lines[1].strip() == (
        "row_groups_pruned_statistics=4 total → 3 matched -> 1 fully matched"
    )
    assert lines[2].strip() == "limit_pruned_row_groups=3 total → 1 matched"
    assert lines[3].strip().startswith("files: 1 scanned, 1 inspected, 1 total; to read: 3 rows, ")
    assert lines[3].endswith("row filter: skipped")
    assert len(lines) == 4


@pytest.mark.usefixtures("wildlife", "statistics_alone")
def test_text_of_a_limit_that_is_not_pruned(spark: SparkSession) -> None:
    query = "SELECT * FROM tracking_data WHERE s % 2 = 0 LIMIT 3"
    report = limit_pruning.report(spark.sql(query))
    lines = str(report).splitlines()
    assert lines[1].strip().startswith("row_groups_pruned_statistics=4 total")
    assert report.only.reason is not None
    assert lines[2].strip() == f"not pruned: {report.only.reason.message}"


@pytest.mark.usefixtures("wildlife")
def test_text_of_a_limit_that_is_not_covered(spark: SparkSession) -> None:
    limit = limit_pruning.report(spark.sql(QUERY.replace("LIMIT 3", "LIMIT 9"))).only
    lines = str(limit).splitlines()
    assert limit.reason is not None
    assert lines[2].strip() == "limit_pruned_row_groups=3 total → 3 matched"
    assert lines[3].strip() == f"not covered: {limit.reason.message}"
    assert lines[4].strip().startswith("files: 1 scanned, 1 inspected")
    assert lines[4].endswith("row filter: evaluated")


@pytest.mark.usefixtures("wildlife")
def test_several_limits(spark: SparkSession) -> None:
    report = limit_pruning.report(spark.sql(f"({QUERY}) UNION ALL ({QUERY.replace('3', '2')})"))
    assert len(report) == len(report.limits) == 2
    assert {limit.limit for limit in report} == {2, 3}
    with pytest.raises(ValueError, match="2 LIMITs over Parquet"):
        _ = report.only


@pytest.mark.usefixtures("wildlife")
def test_is_immutable(spark: SparkSession) -> None:
    limit = limit_pruning.report(spark.sql(QUERY)).only
    with pytest.raises(dataclasses.FrozenInstanceError):
        limit.limit = 4  # type: ignore[misc]  # that it is refused is the test


@pytest.mark.parametrize("thing", [None, "SELECT 1", 3])
def test_refuses_what_is_no_data_frame(spark: SparkSession, thing: object) -> None:
    assert spark.version
    with pytest.raises(TypeError, match=f"not {type(thing).__name__}"):
        limit_pruning.report(cast(Any, thing))


def test_a_jar_that_is_older_than_the_package_is_named() -> None:
    with pytest.raises(
        limit_pruning.JarMismatchError, match="has version 9 and reports no 'reason'"
    ):
        parse('{"limits": [{"table": "t"}]}')


def test_a_jar_that_does_not_know_its_version_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_jar: object) -> str:
        raise Py4JError("Method version([]) does not exist")

    monkeypatch.setattr(Jar, "version", missing)
    with pytest.raises(limit_pruning.JarMismatchError, match="has version unknown and reports no"):
        parse('{"limits": [{"table": "t"}]}')


def test_a_notebook_shows_the_row_groups_of_the_query(spark: SparkSession, wildlife: Table) -> None:
    report = limit_pruning.report(spark.sql(QUERY))
    states = [group.state for group in report.only.row_groups.details]
    assert states == ["not", "partially", "fully", "partially"]
    assert [group.rows_to_read for group in report.only.row_groups.details] == [0, 0, 3, 0]
    html = report._repr_html_()
    assert f"{wildlife.path.name}, row group 2: fully matching\nevery row matches" in html
    assert "s: 76 … 101, no nulls" in html
    assert list(report.to_pandas()["scanned"]) == [False, False, True, False]
