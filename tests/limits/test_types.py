"""Every type of column, with nulls and without, clustered so that row groups match fully."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from support.predicates import Compare, Flag, In, IsNull, Not, Predicate, Value, between, either
from support.runs import check, conf, hold, hold_each
from support.tables import Column, one_column

pytestmark = pytest.mark.usefixtures("statistics_alone")

EPOCH = datetime(2024, 1, 1)
MAKERS: dict[str, tuple[pa.DataType, Callable[[int], Value]]] = {
    "byte": (pa.int8(), lambda n: n),
    "short": (pa.int16(), lambda n: n),
    "int": (pa.int32(), lambda n: n),
    "long": (pa.int64(), lambda n: n * 10**12),
    "decimal_9": (pa.decimal128(9, 2), lambda n: Decimal(n) / 4),
    "decimal_18": (pa.decimal128(18, 4), lambda n: Decimal(n) / 4),
    "decimal_38": (pa.decimal128(38, 2), lambda n: Decimal(n * 10**20)),
    "date": (pa.date32(), lambda n: date(2024, 1, 1) + timedelta(n)),
    "timestamp": (pa.timestamp("us", "UTC"), lambda n: EPOCH + timedelta(hours=n)),
    "string": (pa.string(), lambda n: f"k{n:03}"),
    "unicode": (pa.string(), lambda n: chr(0x20 + n * 97)),
    "binary": (pa.binary(), lambda n: bytes([n * 6, n])),
}
FLOATS: dict[str, tuple[pa.DataType, Callable[[int], Value]]] = {
    "float": (pa.float32(), lambda n: n / 4),
    "double": (pa.float64(), lambda n: n / 8),
}
EVERYTHING = MAKERS | FLOATS


def groups(make: Callable[[int], Value], nulls: bool) -> list[Column]:
    """Return four row groups of ten rising values; with `nulls`, the second and fourth have one."""
    columns: list[Column] = [[make(10 * g + n) for n in range(10)] for g in range(4)]
    if nulls:
        columns[1][3] = columns[3][3] = None
    return columns


def predicates(make: Callable[[int], Value]) -> list[Predicate]:
    """Return predicates with bounds in row groups, between them and outside."""
    comparisons = [
        Compare("c", op, make(at))
        for op in ("=", "<>", "<", "<=", ">", ">=", "<=>")
        for at in (20, 25)
    ]
    return [
        *comparisons,
        between("c", make(10), make(29)),
        In("c", (make(3), make(21))),
        Not(In("c", (make(3), make(4)))),
        IsNull("c"),
        Not(IsNull("c")),
        Not(Compare("c", "<", make(20))),
        either(Compare("c", "<", make(5)), Compare("c", ">", make(15))),
    ]


@pytest.mark.parametrize("kind", EVERYTHING.keys())
def test_every_predicate_gives_the_right_rows(
    spark: SparkSession, tmp_path: Path, kind: str
) -> None:
    arrow, make = EVERYTHING[kind]
    table = one_column(tmp_path, arrow, groups(make, nulls=True)).register(spark)
    for predicate in predicates(make):
        hold(spark, table, predicate, 5)


@pytest.mark.parametrize("kind", MAKERS.keys())
def test_clustered_values_are_covered(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    arrow, make = MAKERS[kind]
    table = one_column(tmp_path, arrow, groups(make, nulls=True)).register(spark)
    report = check(spark, table, Compare("c", ">=", make(15)), 10)
    assert report.covered
    assert (report.row_groups.total, report.row_groups.matched) == (4, 3)
    assert (report.row_groups.fully_matched, report.row_groups.scanned) == (1, 1)


@pytest.mark.parametrize("kind", FLOATS.keys())
def test_float_ranges_are_open_above(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    arrow, make = FLOATS[kind]
    table = one_column(tmp_path, arrow, groups(make, nulls=False)).register(spark)
    assert check(spark, table, Compare("c", ">=", make(20)), 10).covered
    # Statistics leave NaN out, and NaN is above everything: an upper bound proves nothing.
    assert not check(spark, table, Compare("c", "<", make(20)), 10).covered


def test_booleans(spark: SparkSession, tmp_path: Path) -> None:
    values: list[Column] = [[True] * 5, [False] * 5, [True, False, True], [True, None], [None] * 4]
    table = one_column(tmp_path, pa.bool_(), values).register(spark)
    tests: list[Predicate] = [
        Flag("c"),
        Not(Flag("c")),
        Compare("c", "=", True),
        Compare("c", "<>", True),
        IsNull("c"),
    ]
    for predicate in tests:
        assert check(spark, table, predicate, 4).covered


def test_functions_of_dates_and_numbers_are_covered(spark: SparkSession, tmp_path: Path) -> None:
    """Each row group has one day of 2024, so each predicate matches some of them whole."""
    days = [datetime(2024, month, day) for month, day in ((1, 31), (2, 1), (2, 29), (3, 1))]
    values: list[Column] = [[day + timedelta(minutes=7 * n) for n in range(100)] for day in days]
    one_column(tmp_path, pa.timestamp("us", "UTC"), values).register(spark)
    predicates = [
        "year(c) = 2024 AND month(c) = 2",
        "quarter(c) = 1",
        "day(c) = 29",
        "dayofyear(c) >= 32",
        "weekday(c) = 3 AND month(c) = 2",
        "hour(c) < 12",
        "extract(YEAR FROM c) = 2024 AND extract(MONTH FROM c) < 3",
        "date_format(c, 'yyyy-MM') = '2024-02'",
        "date_format(c, 'yyyyMMdd HH') >= '20240301 00'",
        "from_unixtime(unix_timestamp(c), 'yyyy-MM-dd') < '2024-02-01'",
        "cast(c AS STRING) LIKE '2024-02%'",
        "cast(to_date(c) AS STRING) > '2024-02-01'",
        "datediff(c, DATE'2024-01-01') = 59",
        "add_months(c, 1) = DATE'2024-02-29'",
        "last_day(c) = DATE'2024-02-29'",
        "unix_timestamp(c) / 86400 >= 19754",
        "unix_timestamp(c) div 86400 = 19783",
        "unix_timestamp(c) / -86400 < -19753.5",
    ]
    with conf(spark, {"spark.sql.session.timeZone": "UTC"}):
        covered = hold_each(spark, "t", predicates, 20)
    assert [predicate for predicate in predicates if not covered[predicate]] == []
