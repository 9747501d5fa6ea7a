"""Random tables of a table format, which a history of SQL makes: rows, predicates and changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st
from pyspark.sql import SparkSession

COLUMNS = {
    "id": "id + {start}",
    "k": "IF(id % {nulls} = 1, NULL, CAST((id * {step}) % {modulus} AS INT))",
    "s": "IF(id % {nulls} = 2, NULL, CONCAT({prefix}, LPAD(STRING(id * {step}), 6, '0')))",
    "d": "DATE'{first_day}' + CAST(id * {step} % 9000 AS INT)",
    "ts": "TIMESTAMP'{year}-03-01 10:11:12.345678' + MAKE_DT_INTERVAL(0, 0, 0, id * {step})",
    "tn": "TIMESTAMP_NTZ'{year}-03-01 01:11:12.345678' + MAKE_DT_INTERVAL(0, 0, 0, id * {step})",
    "f": "IF(id % {nans} = 1, DOUBLE('NaN'), CAST(id AS DOUBLE) / {step})",
    "g": "IF(id % {nans} = 2, FLOAT('NaN'), CAST(id + {start} AS FLOAT))",
    "c": "CAST(id * {step} AS DECIMAL(12, 3))",
    "t": "CAST(id DIV 40 AS INT)",
    "n": "NAMED_STRUCT('x', id * {step}, 'y', CONCAT('y', id % {modulus}))",
}
YEARS = [1850, 1971, 2024]
NUMBERS = [0, 7, 30, 100, 390, 1000, 1200, 5300, 300000]
TEXTS = ["a", "a", "a", "b0", "a000300", "long" * 12 + "00", "longlongz"]
TEXTS_AMONG_BYTES = ["a", "b", "é", "я", "\uffee", "\U0010ffff"]
PREFIXES = ["'a'", "'b'", f"'{'long' * 12}'"]
# Bytes that are not UTF-8 sort before some characters, and after others.
BYTES = [
    "CAST(X'FF' AS STRING)",
    "IF(id % 3 = 0, CAST(X'80' AS STRING), 'é')",
    "IF(id % 50 < 25, 'b', CAST(X'62FF' AS STRING))",
    "'\U0010ffff'",
]

Draw = Callable[..., Any]


@dataclass(kw_only=True)
class History:
    """What happened to a table, by statements, for the message of a failure.

    Attributes:
        table: What SQL names the table.
        partitioned: Whether it has a column ``p`` besides, which is never renamed.
        statements: The statements so far.
        names: The names that columns have now, by their first names.
        is_ancient: Whether dates and timestamps are on both sides of 1582-10-15, the first day of
            the Gregorian calendar, and most predicates are about dates.
        has_bytes: Whether texts may have bytes that are not UTF-8, which only Spark writes.
    """

    table: str
    partitioned: bool = True
    statements: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=lambda: {name: name for name in COLUMNS})
    is_ancient: bool = False
    has_bytes: bool = False

    @property
    def first_day(self) -> str:
        """The smallest value of the column of dates."""
        return "1570-01-01" if self.is_ancient else "1999-12-30"

    @property
    def years(self) -> list[int]:
        """The years from which on timestamps are."""
        return [1500, 1582, 1971] if self.is_ancient else YEARS

    @property
    def columns(self) -> list[str]:
        """The names of all columns, quoted, in the order in which `rows` returns them."""
        all_names = [*self.names.values(), *(["p"] if self.partitioned else [])]
        return [f"`{name}`" for name in all_names]

    def run(self, spark: SparkSession, statement: str) -> None:
        """Run a statement, and remember it."""
        self.statements.append(statement)
        spark.sql(statement)


def rows(history: History, draw: Draw) -> str:
    """Return a query for random rows of the table."""
    values = {
        "start": draw(st.sampled_from([0, 100, 1000, 5000])),
        "step": draw(st.sampled_from([1, 1, 3, 86400])),
        "modulus": draw(st.sampled_from([2, 50, 100000])),
        "prefix": draw(st.sampled_from([*PREFIXES, *(BYTES if history.has_bytes else [])])),
        "year": draw(st.sampled_from(history.years)),
        "first_day": history.first_day,
        "nulls": draw(st.sampled_from([3, 11, 1000000])),
        "nans": draw(st.sampled_from([3, 17, 1000000])),
    }
    count = draw(st.sampled_from([400, 60, 1]))
    files = draw(st.sampled_from([6, 3, 1]))
    columns = [
        f"{COLUMNS[first].format(**values)} AS `{now}`" for first, now in history.names.items()
    ]
    if history.partitioned:
        columns.append("CAST(id % 3 AS INT) AS p")
    is_sorted = draw(st.sampled_from([True, True, False]))
    hint = (
        f"/*+ REPARTITION_BY_RANGE({files}, id) */" if is_sorted else f"/*+ REPARTITION({files}) */"
    )
    return f"SELECT {hint} {', '.join(columns)} FROM range({count})"


def predicate(history: History, draw: Draw) -> str:
    """A predicate of one or two conjuncts."""
    columns = ["id", "id", *["k", "s", "f", "g"] * 2, *sorted(history.names)]
    columns += ["p"] if history.partitioned else []
    columns += ["d"] * 40 if history.is_ancient else []
    parts = draw(st.lists(st.sampled_from(columns), min_size=1, max_size=2))
    return f" {draw(st.sampled_from(['AND', 'AND', 'OR']))} ".join(
        _comparison(history, first, draw) for first in parts
    )


def _comparison(history: History, first: str, draw: Draw) -> str:
    name = history.names.get(first, first)
    numbers = [0, 0, 0, 7, 390] if history.is_ancient else NUMBERS
    number = draw(st.sampled_from(numbers))
    texts = [*TEXTS, *TEXTS_AMONG_BYTES] if history.has_bytes else TEXTS
    column = f"`{name}`"
    value = {
        "id": f"{number}",
        "k": f"{draw(st.sampled_from([0, 0, number]))}",
        "p": f"{number % 3}",
        "s": f"'{draw(st.sampled_from(texts))}'",
        "d": f"DATE'{history.first_day}' + {number % 9000}",
        "ts": f"TIMESTAMP'{draw(st.sampled_from(history.years))}-03-01 10:11:12.345' + "
        f"MAKE_DT_INTERVAL(0, 0, 0, {number})",
        "tn": f"TIMESTAMP_NTZ'{draw(st.sampled_from(history.years))}-03-01 01:11:12.345' + "
        f"MAKE_DT_INTERVAL(0, 0, 0, {number})",
        "f": draw(st.sampled_from(["100.5D", "5000D", "5000D", "DOUBLE('NaN')"])),
        "g": draw(st.sampled_from(["100.5F", "5500F", "5500F", "FLOAT('NaN')"])),
        "c": f"{number}.000",
        "t": f"{number // 40}",
        "n": f"{number}",
    }[first]
    if first == "n":
        column = f"`{name}`.x"
    shapes = ["{} {} {}"] * 6 + ["{} IS NULL", "{} IS NOT NULL", "NOT ({} {} {})", "{} * 2 {} {}"]
    if first in ("s", "d", "ts", "tn"):
        shapes.pop()
    shape = draw(st.sampled_from(shapes))
    # With these, all values of many files match, but not NaN, which is above all, and not null.
    more = {"f": ["<", "<="] * 2, "g": ["<", "<="] * 2, "k": [">="] * 4, "s": [">="] * 4}
    if history.is_ancient:
        more["d"] = [">="] * 6  # true of all days of a file, and not of days that are moved back
    operators = [">=", "<", ">", "<=", "=", "<>", "<=>", *more.get(first, [])]
    operator: str = draw(st.sampled_from(operators))
    return str(shape).format(column, operator, value)


def append(spark: SparkSession, history: History, draw: Draw) -> None:
    """Append rows."""
    more = rows(history, draw)
    history.run(spark, f"INSERT INTO {history.table} ({', '.join(history.columns)}) {more}")


def delete(spark: SparkSession, history: History, draw: Draw, where: str) -> None:
    """Delete the rows of a predicate, or more often some rows of each file."""
    some = f"`{history.names['id']}` % {draw(st.sampled_from([2, 10, 97]))} = 1"
    history.run(
        spark, f"DELETE FROM {history.table} WHERE {draw(st.sampled_from([some, some, where]))}"
    )


def update(spark: SparkSession, history: History, where: str) -> None:
    """Give the rows of a predicate another value."""
    history.run(spark, f"UPDATE {history.table} SET `{history.names['k']}` = 7 WHERE {where}")


def swap_names(spark: SparkSession, history: History, draw: Draw, fixed: frozenset[str]) -> None:
    """Swap the names of two columns, so that each has the name that the other has in files.

    Args:
        spark: The session.
        history: The table.
        draw: Draws the columns.
        fixed: Columns that keep their names.
    """
    free = sorted(set(history.names) - fixed)
    one, other = draw(st.lists(st.sampled_from(free), min_size=2, max_size=2, unique=True))
    a, b = history.names[one], history.names[other]
    for old, new in ((a, "swap"), (b, a), ("swap", b)):
        history.run(spark, f"ALTER TABLE {history.table} RENAME COLUMN `{old}` TO `{new}`")
    history.names |= {one: b, other: a}


def drop_and_add(spark: SparkSession, history: History) -> None:
    """Drop a column, and add one of the same name and type."""
    name = history.names["c"]
    history.run(spark, f"ALTER TABLE {history.table} DROP COLUMN `{name}`")
    history.run(spark, f"ALTER TABLE {history.table} ADD COLUMN `{name}` DECIMAL(12, 3)")
