"""Random DISTINCT … LIMIT and GROUP BY … LIMIT over a random table, and how to judge answers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from support import oracle
from support.random_tables.orders import random_keys
from support.random_tables.predicates import Predicate, random_predicates
from support.random_tables.table import RandomTable

_FUNCTIONS = ["count(*)", "min(id)", "sum(id)", "count(DISTINCT id % 3)", "max(id) + 1"]


@dataclass(frozen=True)
class GroupQuery:
    """``SELECT keys, functions FROM t WHERE … GROUP BY keys HAVING … LIMIT n OFFSET m``.

    Attributes:
        functions: Functions of each group; if there is none, the query may use DISTINCT.
        distinct: Whether DISTINCT is written instead of GROUP BY.
        having: The condition of HAVING, or ''.
    """

    predicate: Predicate | None
    keys: tuple[str, ...]
    functions: tuple[str, ...]
    distinct: bool
    limit: int
    offset: int
    having: str = ""

    @property
    def all_sql(self) -> str:
        """The query for all groups."""
        keys = [f"{key} AS key{number}" for number, key in enumerate(self.keys)]
        functions = [f"{one} AS f{number}" for number, one in enumerate(self.functions)]
        where = f" WHERE {self.predicate.sql}" if self.predicate else ""
        if self.distinct:
            return f"SELECT DISTINCT {', '.join(keys)} FROM t{where}"
        columns = ", ".join(keys + functions)
        having = f" HAVING {self.having}" if self.having else ""
        return f"SELECT {columns} FROM t{where} GROUP BY {', '.join(self.keys)}{having}"

    @property
    def sql(self) -> str:
        """The query."""
        offset = f" OFFSET {self.offset}" if self.offset else ""
        return f"{self.all_sql} LIMIT {self.limit}{offset}"

    def varied(self, limit: int, offset: int) -> GroupQuery:
        """Return the query with another limit and offset."""
        return replace(self, limit=limit, offset=offset)

    @property
    def what(self) -> str:
        """The kind of the query."""
        return "whole groups" if self.functions else "keys only"

    def problem(self, found: list[dict[str, Any]], groups: list[dict[str, Any]]) -> str:
        """Return what is wrong with an answer, or ''."""
        due = max(0, min(self.limit, len(groups) - self.offset))
        if len(found) != due:
            return f"gives {len(found)} groups, not {due} of {len(groups)}"
        if self.limit == 1 and not self.offset and not self.functions:
            # Spark then takes a row and groups nothing, so -0.0 stays what it is.
            found = [{key: _positive(value) for key, value in row.items()} for row in found]
        wrong = _bag(found) - _bag(groups)
        return (
            f"gives groups that are not there: {dict(wrong)} of {dict(_bag(groups))}"
            if wrong
            else ""
        )


def _positive(value: Any) -> Any:
    return value + 0.0 if isinstance(value, float) else value


def _bag(rows: list[dict[str, Any]]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(oracle.plain(value) for value in row.values()) for row in rows)


@st.composite
def _queries(draw: st.DrawFn, table: RandomTable) -> GroupQuery | None:
    if draw(st.integers(0, 19)) == 0:
        return None  # so that shrinking can leave a query out
    predicate = draw(random_predicates(table.all_columns)) if draw(st.booleans()) else None
    count = draw(st.sampled_from([1, 1, 1, 2, 3]))
    keys = [draw(random_keys(table.all_columns)) for _ in range(count)]
    # Groups with functions are pruned by partition columns alone.
    functions = draw(st.sampled_from([0, 0, 1, 2] if table.partition else [0] * 9 + [1]))
    of_partition = table.partition and draw(st.integers(0, 3)) < (3 if functions else 1)
    if table.partition and of_partition:
        keys[draw(st.integers(0, count - 1))] = draw(random_keys([table.partition]))
    elif draw(st.booleans()):
        keys[0] = "`k`"
    distinct = not functions and draw(st.booleans())
    drawn = [draw(st.sampled_from(_FUNCTIONS)) for _ in range(functions)]
    many = [1, 1, 2, 2, 3] if functions else [1, 2, 2, 3, 3, 4, 5, 6, 8, 1000]
    limit = draw(st.sampled_from(many))
    offset = draw(st.sampled_from([0, 0, 0, 1, 2]))
    # Spark evaluates a condition on keys alone before it groups.
    having = draw(st.sampled_from([*[""] * 7, "sum(id) % 2 = 0"])) if functions else ""
    return GroupQuery(predicate, tuple(keys), tuple(drawn), distinct, limit, offset, having)


@st.composite
def group_queries(draw: st.DrawFn, table: RandomTable, count: int) -> list[GroupQuery]:
    """Draw `count` queries, or some fewer, of a table that has keys."""
    drawn = [draw(_queries(table)) for _ in range(count)]
    return [query for query in drawn if query] + [
        GroupQuery(None, ("`k`",), (), True, limit, 0) for limit in (2, 3, 4)
    ]
