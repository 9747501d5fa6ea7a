"""Random queries for the first rows of each group of a random table, numbered by a window."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from support.random_tables.orders import DIRECTIONS, Row, keys_of, not_among, random_keys
from support.random_tables.predicates import Predicate, random_predicates
from support.random_tables.table import RandomTable

# Functions of a second column of the window, over the same rows or over others.
_BESIDE = [
    "rank() OVER ({window})",
    "dense_rank() OVER ({window})",
    "count(*) OVER (PARTITION BY {groups})",
    "count(*) OVER ({window} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)",
]
_ABOVE = ["group0 IS NOT NULL", "key0 IS NOT NULL", "key0 IS NULL OR group0 IS NULL", "n % 2 = 1"]


@dataclass(frozen=True)
class FirstRowsQuery:
    """``SELECT * FROM (SELECT *, row_number() OVER (…) AS n FROM t WHERE predicate) WHERE n <= m``.

    Attributes:
        groups: What the window is partitioned by.
        below: Whether the limit is written ``n < m + 1``.
        above: A condition on groups, keys and ``n`` beside the limit, or ''.
        beside: Another function of a window, or ''.
    """

    predicate: Predicate | None
    groups: tuple[str, ...]
    keys: tuple[str, ...]
    directions: tuple[str, ...]
    limit: int
    below: bool
    above: str
    beside: str

    @property
    def all_sql(self) -> str:
        """The query for all rows."""
        by = ", ".join(f"{k} {d}".strip() for k, d in zip(self.keys, self.directions, strict=True))
        groups = ", ".join(self.groups)
        window = f"PARTITION BY {groups} ORDER BY {by}"
        columns = [f"{group} AS group{number}" for number, group in enumerate(self.groups)]
        columns += [f"{key} AS key{number}" for number, key in enumerate(self.keys)]
        columns.append(f"row_number() OVER ({window}) AS n")
        if self.beside:
            columns.append(f"{self.beside.format(window=window, groups=groups)} AS beside")
        where = f" WHERE {self.predicate.sql}" if self.predicate else ""
        numbered = f"SELECT *, {', '.join(columns)} FROM t{where}"
        return f"SELECT * FROM ({numbered}) AS numbered WHERE ({self.above or 'true'})"

    @property
    def sql(self) -> str:
        """The query."""
        limit = f"n < {self.limit + 1}" if self.below else f"n <= {self.limit}"
        return f"{self.all_sql} AND {'n = 1' if self.limit == 1 and self.below else limit}"

    @property
    def what(self) -> str:
        """The kind of the query."""
        return "first rows of groups"

    def problem(self, found: list[Row], every: list[Row]) -> str:
        """Return what is wrong with an answer, or '', given all rows with their numbers.

        Of rows with the same keys, any one may have any of their numbers.
        """
        names = [f"group{number}" for number in range(len(self.groups))]
        names += [f"key{number}" for number in range(len(self.keys))]
        names += ["n", *(["beside"] if self.beside else [])]
        due = Counter(keys_of([row for row in every if row["n"] <= self.limit], names))
        got = Counter(keys_of(found, names))
        if got != due:
            return f"lacks {dict(due - got)}, and gives {dict(got - due)}"
        of_table = [[_of_table(row) for row in rows] for rows in (found, every)]
        return "" if "n %" in self.above else not_among(*of_table)

    def varied(self, limit: int, _offset: int) -> FirstRowsQuery:
        """Return the query with another limit."""
        return replace(self, limit=limit)


def _of_table(row: Row) -> Row:
    """Return the columns of the table: which of equal rows comes first is not known."""
    return {name: value for name, value in row.items() if name not in ("n", "beside")}


@st.composite
def first_rows_queries(draw: st.DrawFn, table: RandomTable) -> FirstRowsQuery:
    """Draw a query for the first rows of each group."""
    predicate = draw(random_predicates(table.all_columns)) if draw(st.booleans()) else None
    groups = [draw(random_keys(table.all_columns)) for _ in range(draw(st.sampled_from([1, 1, 2])))]
    keys = [draw(random_keys(table.all_columns)) for _ in range(draw(st.sampled_from([1, 1, 2])))]
    if draw(st.booleans()):
        keys.append("`id`")
    return FirstRowsQuery(
        predicate,
        tuple(groups),
        tuple(keys),
        tuple(draw(DIRECTIONS) for _ in keys),
        draw(st.sampled_from([1, 1, 2, 2, 3, 5, 40])),
        draw(st.booleans()),
        draw(st.sampled_from([*[""] * 6, *_ABOVE])),
        draw(st.sampled_from([*[""] * 12, *_BESIDE])),
    )
