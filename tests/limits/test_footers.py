"""The report's counts are those that pyarrow reads from the footers."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from support import footers, oracle
from support.predicates import Compare, IsNull, Predicate, StartsWith, between, both, either
from support.runs import check
from support.tables import Table, write

SCHEMA = pa.schema([("id", pa.int64()), ("day", pa.date32()), ("name", pa.string())])
START = date(2024, 1, 1)
PREDICATES: list[Predicate | None] = [
    None,
    Compare("id", ">=", 35),
    Compare("id", "<", 35),
    between("id", 15, 44),
    Compare("id", "<>", 12),
    Compare("id", "=", 12),
    Compare("day", ">", START + timedelta(22)),
    Compare("day", "<=", START + timedelta(8)),
    StartsWith("name", "k3"),
    StartsWith("name", "k"),
    Compare("name", ">=", "k20"),
    both(Compare("id", ">=", 10), StartsWith("name", "k2")),
    either(Compare("id", "<", 10), Compare("id", ">=", 40)),
    IsNull("name"),
]


def ladder(path: Path) -> Table:
    """Write six row groups of ten rising values, the last with nulls in ``name``."""
    groups = []
    for number in range(6):
        ids = list(range(number * 10, number * 10 + 10))
        names = [f"k{value:02}" for value in ids]
        days = [START + timedelta(value) for value in ids]
        groups.append({"id": ids, "day": days, "name": names if number < 5 else [None] * 10})
    file = write(path / "ladder.parquet", groups, SCHEMA)
    return Table("ladder", file, oracle.read(file))


@pytest.mark.parametrize("predicate", PREDICATES, ids=str)
@pytest.mark.parametrize("limit", [1, 10, 11])
@pytest.mark.usefixtures("planned_at_root")
def test_counts(
    spark: SparkSession, tmp_path: Path, predicate: Predicate | None, limit: int
) -> None:
    table = ladder(tmp_path).register(spark)
    report = check(spark, table, predicate, limit)
    expected = footers.counts(table.files, predicate, limit)
    assert report.covered == (expected.scanned is not None)
    assert report.row_groups.total == expected.total
    assert report.row_groups.matched == expected.matched
    assert report.row_groups.fully_matched == expected.fully_matched
    if report.covered:
        assert report.row_groups.scanned == expected.scanned
        assert report.rows.to_read == 10 * (expected.scanned or 0)
