"""Random queries for first rows: in an order, of each group, and those with a MIN or MAX."""

from __future__ import annotations

from hypothesis import strategies as st

from support.random_tables.extremes import ExtremesQuery, extremes_queries
from support.random_tables.first_rows import FirstRowsQuery, first_rows_queries
from support.random_tables.orders import OrderedQuery, ordered_queries
from support.random_tables.table import RandomTable

FirstQuery = OrderedQuery | FirstRowsQuery | ExtremesQuery


@st.composite
def first_queries(draw: st.DrawFn, table: RandomTable, count: int) -> list[FirstQuery]:
    """Draw `count` queries, or some fewer, of all kinds."""
    queries: list[FirstQuery] = [*draw(ordered_queries(table, count // 3))]
    for _ in range(count // 3):
        queries += [draw(first_rows_queries(table)), draw(extremes_queries(table))]
    return queries
