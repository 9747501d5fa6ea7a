"""The types of random columns: their values, what is next to a value, and its literal in SQL."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from support import predicates
from support.random_tables.values import BYTES, DAYS, STRINGS, TIMES
from support.sparks import LINE

Values = st.SearchStrategy[Any]


@dataclass(frozen=True)
class Kind:
    """A type of column.

    Attributes:
        spark: Its name in Spark's DDL.
        family: What functions see: integer, fraction, decimal, boolean, date, timestamp, ntz,
            string or binary.
        arrow: Its type in pyarrow.
        values: Values that are not null, the odd ones often.
        near: The values next to a value, and others that a wrong bound would let in.
        literal: The value as a SQL literal of this very type.
    """

    spark: str
    family: str
    arrow: pa.DataType
    values: Values
    near: Callable[[Any], list[Any]]
    literal: Callable[[Any], str] = predicates.literal


def order(value: Any) -> tuple[bool, Any]:
    """Return a key that sorts as Spark does: NaN last, text by its bytes."""
    if isinstance(value, float) and math.isnan(value):
        return (True, 0)
    return (False, value.encode() if isinstance(value, str) else value)


def _integers(spark: str, arrow: pa.DataType, bits: int) -> Kind:
    low, high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    extremes = st.sampled_from([0, -1, 1, low, low + 1, high - 1, high])
    values = st.one_of(st.integers(-3, 12), extremes, st.integers(low, high))
    # One beyond the type's range is a literal of a wider type.
    return Kind(spark, "integer", arrow, values, lambda value: [value - 1, value + 1, -value])


def _unsigned(spark: str, arrow: pa.DataType, bits: int) -> Kind:
    """Values on both sides of the sign of the signed integer that stores them."""
    half, high = 2 ** (bits - 1), 2**bits - 1
    extremes = st.sampled_from([0, 1, half - 1, half, half + 1, high - 1, high])
    values = st.one_of(st.integers(0, 12), extremes, st.integers(0, high))
    return Kind(spark, "integer", arrow, values, lambda value: [value - 1, value + 1, -value])


def _floats(spark: str, arrow: pa.DataType, width: type[np.float32 | np.float64]) -> Kind:
    info = np.finfo(width)
    extremes = [-0.0, math.nan, math.inf, -math.inf, *map(float, (info.max, info.tiny))]
    subnormals = [float(info.smallest_subnormal), -float(info.smallest_subnormal)]
    values = st.one_of(
        st.sampled_from([0.0, 1.0, 1.5, 2.0, -1.0]),
        st.sampled_from(extremes + subnormals),
        st.just(math.nan),
    )

    def near(value: float) -> list[Any]:
        with np.errstate(over="ignore", under="ignore"):  # infinity and zero are neighbours, too
            steps = [float(np.nextafter(width(value), width(to))) for to in (-math.inf, math.inf)]
        return [*steps, -value, math.nan]

    def literal(value: Any) -> str:
        text = predicates.literal(value)
        return text if spark == "DOUBLE" or value is None else f"CAST({text} AS FLOAT)"

    return Kind(spark, "fraction", arrow, values, near, literal)


def _decimals(precision: int, scale: int) -> Kind:
    most = 10**precision - 1
    unscaled = st.one_of(st.integers(-300, 300), st.sampled_from([most, -most, most - 1, 0]))
    unit = Decimal(1).scaleb(-scale)
    return Kind(
        f"DECIMAL({precision},{scale})",
        "decimal",
        pa.decimal128(precision, scale),
        unscaled.map(lambda number: Decimal(number).scaleb(-scale)),
        lambda value: [value - unit, value + unit, value + unit / 2],
    )


def _string_literal(value: str | None) -> str:
    if value is None:
        return "NULL"
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _next_string(value: str) -> list[Any]:
    near = [value + "a", value + " "]
    if value:
        near += [value[:-1], value[:1], value[:-1] + chr(ord(value[-1]) + 1)]
    return near


def _near_time(value: Any) -> list[Any]:
    steps = [timedelta(days=1)]
    if isinstance(value, datetime):
        steps += [timedelta(microseconds=1), timedelta(hours=1)]
    return [value + sign * step for step in steps for sign in (-1, 1)]


def _instant_literal(value: datetime | None) -> str:
    return "NULL" if value is None else f"TIMESTAMP'{value.replace(tzinfo=None)} UTC'"


def _ntz_literal(value: datetime | None) -> str:
    return "NULL" if value is None else f"TIMESTAMP_NTZ'{value}'"


KINDS = [
    _integers("TINYINT", pa.int8(), 8),
    _integers("SMALLINT", pa.int16(), 16),
    _integers("INT", pa.int32(), 32),
    _integers("BIGINT", pa.int64(), 64),
    _floats("FLOAT", pa.float32(), np.float32),
    _floats("DOUBLE", pa.float64(), np.float64),
    # Files that were written before the table's columns were widened.
    _integers("BIGINT", pa.int32(), 32),
    _floats("DOUBLE", pa.float32(), np.float32),
    # Types that Spark only reads.
    _unsigned("SMALLINT", pa.uint8(), 8),
    _unsigned("BIGINT", pa.uint32(), 32),
    _decimals(7, 2),
    _decimals(15, 3),
    _decimals(25, 5),
    Kind("BOOLEAN", "boolean", pa.bool_(), st.booleans(), lambda value: [not value]),
    Kind("DATE", "date", pa.date32(), DAYS, _near_time),
    Kind(
        "TIMESTAMP",
        "timestamp",
        pa.timestamp("us", tz="UTC"),
        TIMES.map(lambda time: time.replace(tzinfo=timezone.utc)),
        _near_time,
        _instant_literal,
    ),
    Kind("TIMESTAMP_NTZ", "ntz", pa.timestamp("us"), TIMES, _near_time, _ntz_literal),
    Kind("STRING", "string", pa.string(), STRINGS, _next_string, _string_literal),
    Kind(
        "BINARY",
        "binary",
        pa.binary(),
        BYTES,
        lambda value: [value + b"\0", value[:-1]],
    ),
]
if LINE < (4, 0):  # Spark 3.5 reads no widened columns, and no INT96 as TIMESTAMP_NTZ
    _LATER = (
        ("BIGINT", pa.int32()),
        ("DOUBLE", pa.float32()),
        ("TIMESTAMP_NTZ", pa.timestamp("us")),
    )
    KINDS = [kind for kind in KINDS if (kind.spark, kind.arrow) not in _LATER]
