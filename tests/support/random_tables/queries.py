"""Random queries over a random table: a LIMIT in several shapes, with or without a predicate."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hypothesis import strategies as st

from support.random_tables.predicates import Predicate, random_predicates
from support.random_tables.table import RandomTable

Shape = Literal["select", "count", "nested"]


@dataclass(frozen=True)
class Query:
    """``SELECT columns FROM t WHERE predicate LIMIT n``, or a variation of it.

    Attributes:
        predicate: The WHERE; None where there is none.
        columns: The columns that are selected; none where rows are counted.
        limit: The rows asked for, beyond the matching rows if `relative`.
        relative: Whether the limit is at the number of matching rows, give or take.
        offset: The rows that are left out.
    """

    predicate: Predicate | None
    columns: tuple[str, ...]
    limit: int
    relative: bool
    offset: int
    shape: Shape

    def sql(self, matches: int) -> str:
        """Return the query, given how many rows match in all."""
        names = ", ".join(f"`{name}`" for name in self.columns)
        where = f" WHERE {self.predicate.sql}" if self.predicate else ""
        limit = f" LIMIT {self.rows_asked(matches)}"
        offset = f" OFFSET {self.offset}" if self.offset else ""
        query = f"SELECT {names} FROM t{where}{limit}{offset}"
        match self.shape:
            case "select":
                return query
            case "count":
                return f"SELECT count(*) AS n FROM ({query})"
            case "nested":
                return f"SELECT * FROM ({query}) LIMIT 1000"

    def rows_asked(self, matches: int) -> int:
        """Return the number in the LIMIT."""
        return max(0, matches + self.limit) if self.relative else self.limit

    def rows_due(self, matches: int) -> int:
        """Return how many rows the answer has."""
        return max(0, min(self.rows_asked(matches), matches - self.offset))


_FEW = [1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 8, 12, 0, 100_000]
_OFFSETS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 12]
_SHAPES: list[Shape] = ["select", "select", "select", "select", "count", "nested"]


@st.composite
def _queries(draw: st.DrawFn, table: RandomTable) -> Query | None:
    if draw(st.integers(0, 19)) == 0:
        return None  # so that shrinking can leave a query out
    one_in_ten = draw(st.integers(0, 9))
    predicate = None if one_in_ten == 9 else draw(random_predicates(table.all_columns))
    relative = draw(st.integers(0, 7)) == 7
    limit = draw(st.integers(-1, 1) if relative else st.sampled_from(_FEW))
    offset = draw(st.sampled_from(_OFFSETS))
    columns = table.names
    if draw(st.booleans()):
        columns = draw(st.lists(st.sampled_from(columns), min_size=1, unique=True))
    shape = draw(st.sampled_from(_SHAPES))
    return Query(predicate, tuple(columns), limit, relative, offset, shape)


@st.composite
def random_queries(draw: st.DrawFn, table: RandomTable, count: int) -> list[Query]:
    """Draw `count` queries, or some fewer."""
    drawn = [draw(_queries(table)) for _ in range(count)]
    return [query for query in drawn if query]


def variations(queries: Sequence[Query], names: Sequence[str], each: int, seed: int) -> list[Query]:
    """Return the queries and up to `each` others with the predicate of each, all different.

    They differ in limit, offset, shape and columns, which are some of `names`. They come in a
    random order: queries with the same predicate are rarely neighbours.
    """
    chance = random.Random(seed)
    different = dict.fromkeys(queries)
    for query in queries:
        for _ in range(each):
            relative = chance.randrange(8) == 7
            limit = chance.randint(-1, 1) if relative else chance.choice([*_FEW, *range(1, 40)])
            columns = tuple(names)
            if chance.randrange(2):
                columns = tuple(chance.sample(columns, chance.randint(1, len(columns))))
            offset, shape = chance.choice(_OFFSETS), chance.choice([*_SHAPES, *_SHAPES[:4]])
            different[Query(query.predicate, columns, limit, relative, offset, shape)] = None
    found = list(different)
    chance.shuffle(found)
    return found
