"""Random queries for MIN, MAX, MIN_BY and MAX_BY of a random table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from hypothesis import strategies as st

from support.random_tables.orders import Row, keys_of, random_keys
from support.random_tables.predicates import Predicate, random_predicates
from support.random_tables.table import RandomTable

FUNCTIONS = ["min", "max", "min_by", "max_by"]


class Extreme(NamedTuple):
    """A function of a key, and the value that it returns."""

    function: str
    key: str
    value: str

    @property
    def sql(self) -> str:
        """The function as SQL."""
        of = f"{self.value}, {self.key}" if self.function.endswith("_by") else self.key
        return f"{self.function}({of})"


@dataclass(frozen=True)
class ExtremesQuery:
    """``SELECT min(key), max_by(value, key) … FROM t WHERE predicate``."""

    predicate: Predicate | None
    extremes: tuple[Extreme, ...]

    @property
    def _where(self) -> str:
        return f" WHERE {self.predicate.sql}" if self.predicate else ""

    @property
    def all_sql(self) -> str:
        """A query for all rows: of each function the value and the rank of its row."""
        columns = []
        for number, one in enumerate(self.extremes):
            order = "DESC NULLS LAST" if one.function.startswith("max") else "NULLS LAST"
            columns += [
                f"{one.value} AS value{number}",
                f"{one.key} IS NULL AS is_null{number}",
                f"rank() OVER (ORDER BY {one.key} {order}) AS rank{number}",
            ]
        return f"SELECT {', '.join(columns)} FROM t{self._where}"

    @property
    def sql(self) -> str:
        """The query."""
        columns = [f"{one.sql} AS value{number}" for number, one in enumerate(self.extremes)]
        return f"SELECT {', '.join(columns)} FROM t{self._where}"

    @property
    def what(self) -> str:
        """The kind of the query."""
        return "min and max"

    def problem(self, found: list[Row], every: list[Row]) -> str:
        """Return what is wrong with an answer, or '', given all rows.

        Of rows with the same key, the value may be that of any one.
        """
        if len(found) != 1:
            return f"gives {len(found)} rows"
        for number, one in enumerate(self.extremes):
            name = f"value{number}"
            first = [row for row in every if row[f"rank{number}"] == 1]
            known = [row for row in first if not row[f"is_null{number}"]]
            allowed = set(keys_of(known or [{name: None}], [name]))
            if not allowed.issuperset(keys_of(found, [name])):
                return f"gives {found[0][name]!r} for {one.sql}, not one of {allowed}"
        return ""

    def varied(self, _limit: int, _offset: int) -> ExtremesQuery:
        """Return the query, which has no limit."""
        return self


@st.composite
def extremes_queries(draw: st.DrawFn, table: RandomTable) -> ExtremesQuery:
    """Draw a query for one to three extremes."""
    predicate = draw(random_predicates(table.all_columns)) if draw(st.booleans()) else None
    extremes = []
    for _ in range(draw(st.sampled_from([1, 1, 1, 2, 3]))):
        function, key = draw(st.sampled_from(FUNCTIONS)), draw(random_keys(table.all_columns))
        by = function.endswith("_by")
        extremes.append(Extreme(function, key, draw(random_keys(table.all_columns)) if by else key))
    return ExtremesQuery(predicate, tuple(extremes))
