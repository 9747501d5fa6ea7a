"""Random queries over a Delta table."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from support.delta.history import History
from support.random_histories import Draw, predicate


@dataclass(frozen=True)
class Query:
    """A query, with and without its LIMIT.

    Attributes:
        rows: The query without ORDER BY and LIMIT.
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
    return Query(
        f"SELECT {columns} FROM {history.table}{version}{where}",
        key,
        draw(st.sampled_from([1, 5, 40, 300])),
    )
