"""Random MIN and MAX over random Iceberg tables, also in subqueries that Spark may merge."""

from __future__ import annotations

from hypothesis import strategies as st

from support import random_histories
from support.iceberg import random_orders
from support.iceberg.random_tables import History
from support.random_histories import Draw

# Iceberg answers some of them by its manifests alone.
READS_FILES = {"spark.sql.iceberg.aggregate-push-down.enabled": "false"}
# Of 0.0 and -0.0, Spark returns the one that it reads first, so floats are never pruned.
KEYS = [key for key in random_orders.KEYS if key not in ("f", "g")]
# Of rows with the same key, max_by has the value of any one.
FUNCTIONS = ["min({0})", "max({0})", "min({0})", "max({0})", "min_by({0}, {0})", "max_by({0}, {0})"]


def query(history: History, draw: Draw) -> str:
    """A query of one row."""
    if draw(st.integers(0, 5)) == 0:
        return f"SELECT ({_select(history, draw)}), ({_select(history, draw)})"
    return _select(history, draw, draw(st.sampled_from([1, 1, 2, 2, 3])))


def _select(history: History, draw: Draw, count: int = 1) -> str:
    keys = draw(st.lists(st.sampled_from(KEYS), min_size=count, max_size=count))
    shown = [
        draw(st.sampled_from(FUNCTIONS)).format(f"`{history.names.get(key, key)}`") for key in keys
    ]
    wheres = ["", f" WHERE {random_histories.predicate(history, draw)}"]
    where = draw(st.sampled_from(wheres))
    return f"SELECT {', '.join(shown)} FROM {history.table}{where}"


def probes(history: History) -> list[str]:
    """Queries for both ends of columns with nulls, ties, truncated bounds and deleted rows."""
    found = []
    for first in ("id", "k", "s", "t", "d", "c"):
        ends = [f"{end}(`{history.names[first]}`)" for end in ("min", "max")]
        found += [f"SELECT {shown} FROM {history.table}" for shown in (*ends, ", ".join(ends))]
    columns = [f"`{history.names[first]}`" for first in ("id", "s")]
    ends = [f"{end}({column})" for column in columns for end in ("min", "max")]
    wheres = [f"WHERE {columns[0]} >= 10", f"WHERE {columns[0]} < 5200 AND {columns[0]} > 3"]
    found += [f"SELECT {', '.join(ends)} FROM {history.table} {where}" for where in wheres]
    found += [f"SELECT {end} FROM {history.table} {where}" for end in ends for where in wheres]
    return found
