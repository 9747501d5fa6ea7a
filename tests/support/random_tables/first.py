"""Random queries for first rows: in an order, of each group, and those with a MIN or MAX."""

from __future__ import annotations

from hypothesis import strategies as st

from support.random_tables.extremes import ExtremesQuery, extremes_queries
from support.random_tables.first_rows import FirstRowsQuery, first_rows_queries
from support.random_tables.orders import DIRECTIONS, OrderedQuery, ordered_queries
from support.random_tables.table import RandomTable

# Values of these are clustered by row group. Many row groups share one, or few, or none.
_FIRST_KEYS = ["", "floor(`id` / 120)", "floor(`id` / 60)", "floor(`id` / 9)", "`id` + 1"]

FirstQuery = OrderedQuery | FirstRowsQuery | ExtremesQuery


@st.composite
def first_queries(draw: st.DrawFn, table: RandomTable, count: int) -> list[FirstQuery]:
    """Draw `count` queries, or some fewer, of all kinds."""
    queries: list[FirstQuery] = []
    for query in draw(ordered_queries(table, count // 3)):
        first = draw(st.sampled_from(_FIRST_KEYS))
        queries.append(query.between(first, draw(DIRECTIONS), draw(DIRECTIONS)) if first else query)
    for _ in range(count // 3):
        queries += [draw(first_rows_queries(table)), draw(extremes_queries(table))]
    return queries
