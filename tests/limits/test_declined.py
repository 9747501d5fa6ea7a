"""A LIMIT that cannot be helped is planned as without the extension, and the report says why."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from support import oracle
from support.predicates import Compare
from support.runs import assert_left_alone, check
from support.tables import Table, write

REASONS = {
    "operator-between": [
        "SELECT species FROM (SELECT DISTINCT * FROM tracking_data) ORDER BY s LIMIT 3",
        "SELECT species, s, count(*) FROM tracking_data GROUP BY ROLLUP(species, s) LIMIT 3",
    ],
    "groups-not-complete": [
        "SELECT species, count(*) FROM tracking_data GROUP BY species LIMIT 3",
    ],
    "group-filter": [
        "SELECT species FROM tracking_data GROUP BY species HAVING max(s) > 3 LIMIT 3",
    ],
    "not-enough-groups": ["SELECT DISTINCT species FROM tracking_data LIMIT 5"],
    "not-deterministic": [
        "SELECT * FROM tracking_data WHERE rand(1) < 0.5 LIMIT 3",
        "SELECT s, rand(2) AS r FROM tracking_data LIMIT 3",
    ],
}
CASES = [(code, query) for code, queries in REASONS.items() for query in queries]


@pytest.mark.core
@pytest.mark.usefixtures("wildlife")
@pytest.mark.parametrize(("code", "query"), CASES)
def test_reasons(spark: SparkSession, code: str, query: str) -> None:
    report = assert_left_alone(spark, query)
    reason = report.only.reason
    assert reason
    assert reason.code == code
    assert reason.message in str(report)


@pytest.mark.usefixtures("wildlife", "statistics_alone")
def test_not_enough_rows_and_nothing_to_be_left_out(spark: SparkSession) -> None:
    report = assert_left_alone(spark, "SELECT * FROM tracking_data WHERE s % 2 = 0 LIMIT 4")
    reason = report.only.reason
    assert reason is not None
    assert reason.code == "not-enough-rows"
    assert reason.message in str(report)


@pytest.mark.usefixtures("wildlife")
def test_no_limit_pays_nothing(spark: SparkSession) -> None:
    report = assert_left_alone(spark, "SELECT * FROM tracking_data WHERE s >= 50")
    assert str(report) == "This query has no LIMIT over a Parquet scan."


def test_unclustered_data_gives_up_early(spark: SparkSession, tmp_path: Path) -> None:
    schema = pa.schema([("id", pa.int64()), ("c", pa.int32())])
    folder = tmp_path / "mixed"
    for number in range(12):
        groups = [{"id": list(range(10)), "c": [1, 99, *range(40, 48)]} for _ in range(2)]
        write(folder / f"{number:02}.parquet", groups, schema)
    table = Table("mixed", folder, oracle.read(folder)).register(spark)
    report = check(spark, table, Compare("c", ">", 45), 20)
    assert not report.covered
    assert report.reason is not None
    assert report.reason.code == "not-clustered"
    assert report.files.inspected is not None
    assert report.files.total == 12
    assert report.files.inspected < 12
    assert assert_left_alone(spark, "SELECT * FROM mixed WHERE c > 45 LIMIT 20").only.reason


@pytest.mark.usefixtures("sightings")
def test_no_file_left(spark: SparkSession) -> None:
    assert_left_alone(spark, "SELECT * FROM sightings WHERE day = DATE'1999-01-01' LIMIT 3")
