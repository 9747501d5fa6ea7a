"""Random predicates and queries over a Delta table."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from support.delta.history import Draw, History


def predicate(history: History, draw: Draw) -> str:
    """A predicate of one or two conjuncts."""
    columns = ["id"] * 6 + sorted(history.names)
    parts = draw(st.lists(st.sampled_from(columns), min_size=1, max_size=2))
    return f" {draw(st.sampled_from(['AND', 'AND', 'OR']))} ".join(
        _comparison(first, history.names[first], draw) for first in parts
    )


def _comparison(first: str, name: str, draw: Draw) -> str:
    number = draw(st.sampled_from([0, 7, 30, 100, 390, 1000, 1200, 5300, 300000]))
    days = number % 9000
    column = f"`{name}`"
    value = {
        "id": f"{number}",
        "k": f"{number}",
        "s": f"'{draw(st.sampled_from(['a', 'b0', 'a000300', 'long' * 12 + '00', 'longlongz']))}'",
        "d": f"DATE'1999-12-30' + {days}",
        "ts": f"TIMESTAMP'{draw(st.sampled_from([1850, 1971, 2024]))}-03-01 10:11:12.345' + "
        f"MAKE_DT_INTERVAL(0, 0, 0, {number})",
        "f": draw(st.sampled_from(["0.0D", "100.5D", "DOUBLE('NaN')"])),
        "c": f"{number}.000",
        "n": f"{number}",
    }[first]
    if first == "n":
        column = f"`{name}`.x"
    shape = draw(
        st.sampled_from(["{} {} {}"] * 6 + ["{} IS NULL", "{} IS NOT NULL", "NOT ({} {} {})"])
    )
    operator: str = draw(st.sampled_from([">=", "<", ">", "<=", "="]))
    return str(shape).format(column, operator, value)


@dataclass(frozen=True)
class Query:
    """A query, with and without its LIMIT."""

    without_limit: str
    key: str | None
    limit: int

    @property
    def column(self) -> str:
        """The name of the key's column; there must be a key."""
        return (self.key or "").split("`")[1]

    @property
    def sql(self) -> str:
        """The query."""
        order = f" ORDER BY {self.key}" if self.key else ""
        return f"{self.without_limit}{order} LIMIT {self.limit}"


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
