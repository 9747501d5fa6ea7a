"""Random queries over a Delta table."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from support.delta.history import History
from support.random_histories import Draw, predicate

# Some rows have no partner, some have one, and some have two.
_PARTNERS = "(SELECT id DIV 2 * 3 AS partner, id AS top FROM range(500))"


@dataclass(frozen=True)
class Query:
    """A query, with and without its LIMIT.

    Attributes:
        rows: The query without ORDER BY and LIMIT. Without ORDER BY, it may return groups.
            With ORDER BY, the table may be the preserved side of an outer join.
        key: The key of ORDER BY, with its direction; None without ORDER BY.
    """

    rows: str
    key: str | None
    limit: int

    @property
    def column(self) -> str:
        """The name of the key's column; there must be a key."""
        return (self.key or "").split("`")[1]

    @property
    def is_of_groups(self) -> bool:
        """Whether it returns groups of rows."""
        return "DISTINCT" in self.rows or "GROUP BY" in self.rows

    @property
    def every_row(self) -> str:
        """The query without its LIMIT, in its order."""
        return self.rows + (f" ORDER BY {self.key}" if self.key else "")

    @property
    def sql(self) -> str:
        """The query."""
        return f"{self.every_row} LIMIT {self.limit}"


def query(history: History, draw: Draw) -> Query:
    """A query over the newest version, or the first version if its columns have the same names."""
    version = (
        " VERSION AS OF 0" if not history.has_changed_names and draw(st.integers(0, 5)) == 0 else ""
    )
    where = f" WHERE {predicate(history, draw)}" if draw(st.integers(0, 2)) else ""
    key = None
    if draw(st.booleans()):
        first = draw(st.sampled_from(["id"] * 4 + sorted(set(history.names) - {"n"})))
        direction = draw(st.sampled_from(["", " DESC", " NULLS LAST", " DESC NULLS FIRST"]))
        key = f"`{history.names[first]}`{direction}"
    columns = ", ".join(f"`{name}`" for name in history.names.values())
    source = f"{history.table}{version}"
    limit = draw(st.sampled_from([1, 5, 40, 300]))
    # These follow other choices, so that the default seeds draw what they drew before.
    if not key and limit == 5:
        return _groups(history, source, where)
    if key and limit == 40:
        columns += ", top"
        left = f"{source} LEFT JOIN {_PARTNERS}"
        joined = f"{_PARTNERS} RIGHT JOIN {source}" if "NULLS" in key else left
        source = f"{joined} ON `{history.names['id']}` = partner"
    return Query(f"SELECT {columns} FROM {source}{where}", key, limit)


def _groups(history: History, source: str, where: str) -> Query:
    """Return a query for groups: each is its keys, or all rows with one value of the partition."""
    number = sum(map(ord, where))
    names = sorted(history.names.values())
    keys = [names[number % len(names)]]
    if history.partitioned:
        keys = [keys, ["p"], ["p"], ["p", *keys]][number % 4]
    listed = ", ".join(f"`{name}`" for name in keys)
    rows = f"SELECT DISTINCT {listed} FROM {source}{where}"
    if keys == ["p"] and number % 8 < 4:
        functions = f"count(*) AS n, max(`{history.names['id']}`) AS top"
        rows = f"SELECT p, {functions} FROM {source}{where} GROUP BY p"
    return Query(rows, None, 1 + number % 3)
