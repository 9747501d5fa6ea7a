"""Random ORDER BY … LIMIT queries over a random table, and what is right about their answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from support import oracle
from support.random_tables.columns import Column
from support.random_tables.predicates import Predicate, random_predicates
from support.random_tables.table import RandomTable

Row = dict[str, Any]

# Monotone functions and others, by the family of a column; {c} is the column.
_FUNCTIONS = {
    "integer": ["{c} + 1", "-{c}", "{c} * 2", "CAST({c} AS DOUBLE)", "{c} % 3", "abs({c})"],
    "fraction": ["{c} + 1", "-{c}", "{c} * 0"],
    "decimal": ["{c} - 1", "round({c})", "floor({c})"],
    "boolean": ["NOT {c}"],
    "date": [
        "year({c})",
        "unix_date({c}) + 3",
        "trunc({c}, 'MM')",
        "unix_timestamp({c})",
        "day({c})",
    ],
    "timestamp": ["date_trunc('HOUR', {c})", "unix_date(CAST({c} AS DATE))", "hour({c})"],
    "ntz": ["CAST({c} AS DATE)"],
    "string": ["substring({c}, 1, 1)", "upper({c})", "length({c})", "coalesce({c}, 'k')"],
    "binary": ["length({c})"],
}
DIRECTIONS = st.sampled_from(["", "DESC", "ASC NULLS LAST", "DESC NULLS FIRST"])


@dataclass(frozen=True)
class OrderedQuery:
    """``SELECT *, keys FROM t WHERE predicate ORDER BY keys LIMIT n OFFSET m``."""

    predicate: Predicate | None
    keys: tuple[str, ...]
    directions: tuple[str, ...]
    limit: int
    offset: int

    @property
    def all_sql(self) -> str:
        """The query without its LIMIT."""
        names = self.key_names
        keys = ", ".join(f"{key} AS {name}" for key, name in zip(self.keys, names, strict=True))
        where = f" WHERE {self.predicate.sql}" if self.predicate else ""
        order = ", ".join(f"{n} {d}".strip() for n, d in zip(names, self.directions, strict=True))
        return f"SELECT *, {keys} FROM t{where} ORDER BY {order}"

    @property
    def sql(self) -> str:
        """The query."""
        offset = f" OFFSET {self.offset}" if self.offset else ""
        return f"{self.all_sql} LIMIT {self.limit}{offset}"

    @property
    def key_names(self) -> list[str]:
        """What the keys are called in the answer."""
        return [f"key{number}" for number in range(len(self.keys))]

    @property
    def what(self) -> str:
        """The kind of the query."""
        return "order"

    def problem(self, found: list[Row], every: list[Row]) -> str:
        """Return what is wrong with an answer, or '', given all rows in order.

        Ties may be broken in any way.
        """
        wanted = every[self.offset : self.offset + self.limit]
        keys = [keys_of(rows, self.key_names) for rows in (found, wanted)]
        if keys[0] != keys[1]:
            return f"gives the keys {keys[0]}, not {keys[1]}"
        return not_among(found, every)

    def varied(self, limit: int, offset: int) -> OrderedQuery:
        """Return the query with another limit and offset."""
        return replace(self, limit=limit, offset=offset)

    def between(self, key: str, direction: str, last: str) -> OrderedQuery:
        """Return the query with a sort key before its own, and with the ids as the last one."""
        directions = (direction, *self.directions, last)
        return replace(self, keys=(key, *self.keys, "`id`"), directions=directions)


def keys_of(rows: list[Row], names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the values of some columns. The two zeros are equal to Spark."""
    return [
        tuple(oracle.plain(row[n] if row[n] != 0 else abs(row[n])) for n in names) for row in rows
    ]


def not_among(found: list[Row], every: list[Row]) -> str:
    """Return which rows of an answer are there twice, or not among all rows; '' if none is."""
    ids = Counter(row["id"] for row in found)
    if ids.total() > len(ids):
        return f"gives rows twice: {ids}"
    names = list(found[0]) if found else []
    wrong = oracle.as_bag(found, names) - oracle.as_bag(every, names)
    return f"gives rows that are not there: {dict(wrong)}" if wrong else ""


@st.composite
def random_keys(draw: st.DrawFn, columns: list[Column]) -> str:
    """Draw a column, or a function of it, as SQL."""
    column = draw(st.sampled_from(columns))
    if draw(st.integers(0, 2)):
        return column.sql
    return draw(st.sampled_from(_FUNCTIONS[column.kind.family])).format(c=column.sql)


@st.composite
def _queries(draw: st.DrawFn, table: RandomTable) -> OrderedQuery | None:
    if draw(st.integers(0, 19)) == 0:
        return None  # so that shrinking can leave a query out
    predicate = draw(random_predicates(table.all_columns)) if draw(st.booleans()) else None
    count = draw(st.sampled_from([1, 1, 2, 3]))
    keys = tuple(draw(random_keys(table.all_columns)) for _ in range(count))
    directions = tuple(draw(DIRECTIONS) for _ in keys)
    limit = draw(st.sampled_from([1, 1, 2, 2, 3, 4, 5, 8, 12, 1000]))
    return OrderedQuery(predicate, keys, directions, limit, draw(st.sampled_from([0, 0, 0, 1, 2])))


@st.composite
def ordered_queries(draw: st.DrawFn, table: RandomTable, count: int) -> list[OrderedQuery]:
    """Draw `count` queries, or some fewer."""
    drawn = [draw(_queries(table)) for _ in range(count)]
    return [query for query in drawn if query]
