"""Random DISTINCT … LIMIT and GROUP BY … LIMIT over random Iceberg tables."""

from __future__ import annotations

from collections import Counter

from hypothesis import strategies as st

from support import random_histories
from support.iceberg.random_tables import History
from support.random_histories import Draw

# Few files have the same partition value, or the same values of columns that they are sorted by.
KEYS = ["p", "p", "p", "id", "id", "k", "s", "t", "f", "g", "d", "c"]
SHARES = [0.0, 0.0, 0.02, 0.05, 0.5, 1.0]


def query(history: History, draw: Draw) -> tuple[str, float]:
    """A query without its LIMIT, and the share of its groups that the LIMIT takes."""
    count = draw(st.sampled_from([1, 1, 1, 2, 3]))
    firsts = draw(st.lists(st.sampled_from(KEYS), min_size=count, max_size=count, unique=True))
    where = f" WHERE {random_histories.predicate(history, draw)}" if draw(st.booleans()) else ""
    is_whole = draw(st.integers(0, 2)) == 0
    return _grouped(history, firsts, where, is_whole=is_whole), draw(st.sampled_from(SHARES))


def _grouped(history: History, firsts: list[str], where: str, *, is_whole: bool) -> str:
    # Of 0.0 and -0.0, which are one group, a group by Iceberg may have either as its key.
    keys = [
        f"`{name}` + 0" if first in ("f", "g") else f"`{name}`"
        for first, name in ((first, history.names.get(first, first)) for first in firsts)
    ]
    listed = ", ".join(keys)
    if not is_whole:
        return f"SELECT DISTINCT {listed} FROM {history.table}{where}"
    functions = f"count(*), sum(`{history.names['id']}`)"
    return f"SELECT {listed}, {functions} FROM {history.table}{where} GROUP BY {listed}"


def probes(history: History) -> list[tuple[str, float]]:
    """Queries for all groups of columns with nulls, deleted rows and partition values."""
    wheres = ["", f" WHERE `{history.names['id']}` >= 10"]
    found = [
        (_grouped(history, ["p"], where, is_whole=is_whole), share)
        for where in wheres
        for is_whole in (False, True)
        for share in (0.5, 1.0)
    ]
    return [*found, *((_grouped(history, [key], "", is_whole=False), 0.0) for key in ("id", "d"))]


def problem(found: list[str], every: list[str], limit: int) -> str:
    """Describe what is wrong with the groups that a query returned; empty if nothing is."""
    if Counter(found) - Counter(every):
        return f"groups that are not in the table: {Counter(found) - Counter(every)}"
    wanted = min(limit, len(every))
    return "" if len(found) == wanted else f"{len(found)} groups, not {wanted}"
