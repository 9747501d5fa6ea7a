"""Random predicates over the columns of a random table, as SQL."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from hypothesis import strategies as st

from support.random_tables import expressions
from support.random_tables.columns import Column
from support.random_tables.expressions import IDENTITY, OTHERS, STRING_TESTS

T = TypeVar("T")

OPERATORS = ["=", "<>", "<", "<=", ">", ">=", ">=", "<=", "<=>"]


class Predicate(NamedTuple):
    """A predicate in SQL, and whether it does more than compare columns with literals."""

    sql: str
    functions: bool


class _Source:
    """Draws the pieces of predicates over some columns.

    `aim` is the row group at which conditions are aimed: they are true for all of its rows, or
    would be but for a null, a NaN or an operator that is a little too narrow.
    """

    def __init__(self, draw: st.DrawFn, columns: list[Column]) -> None:
        self._draw = draw
        self.columns = columns
        self.aim = self.count(0, len(columns[0].groups) - 1)

    def column(self) -> Column:
        return self.choose(self.columns)

    def choose(self, among: list[T]) -> T:
        return self._draw(st.sampled_from(among))

    def count(self, low: int, high: int) -> int:
        return self._draw(st.integers(low, high))

    def literals(self, column: Column) -> st.SearchStrategy[str]:
        """Literals of the column's type: mostly bounds of row groups, and what is next to them."""
        bounds = column.bounds or [self._draw(column.kind.values)]
        there = st.sampled_from(bounds)
        beside = there.flatmap(lambda value: st.sampled_from(column.kind.near(value)))
        return st.one_of(there, there, beside).map(column.kind.literal)

    def literal(self, column: Column) -> str:
        return self._draw(self.literals(column))

    def function(self, column: Column) -> str:
        return self._draw(expressions.functions(column.kind.family, self.literals(column)))


def _aimed(source: _Source, column: Column, template: str) -> str | None:
    """``f(column)`` between its values at the ends of the row group, or beyond one of these."""
    values = column.values(source.aim)
    if not values:
        return None
    x, least, greatest = (
        template.replace("{x}", sql)
        for sql in (column.sql, *map(column.kind.literal, (values[0], values[-1])))
    )
    forms = [
        f"{x} >= {least}",
        f"{x} <= {greatest}",
        f"{x} BETWEEN {least} AND {greatest}",
        f"{x} BETWEEN {greatest} AND {least}",
        f"{x} IN ({', '.join(template.replace('{x}', column.kind.literal(v)) for v in values)})",
        f"{x} <> {template.replace('{x}', source.literal(column))}",
        f"{x} NOT IN ({template.replace('{x}', source.literal(column))})",
        f"{x} > {least}",
        f"{x} <= {least}",
        f"{x} >= {greatest}",
        f"{x} = {least}",
        f"{x} <=> {least}",
    ]
    return source.choose(forms)


def _compare(source: _Source, column: Column, template: str = IDENTITY) -> str:
    """``f(column) op f(literal)``, the other way round, or with two or more literals."""

    def of(value: str) -> str:
        return template.replace("{x}", value)

    aimed = _aimed(source, column, template) if source.count(0, 2) else None
    if aimed:
        return aimed
    form = source.choose(["op", "op", "op", "flipped", "between", "in", "not in", "not between"])
    if form in {"op", "flipped"}:
        sides = [of(column.sql), of(source.literal(column))]
        left, right = reversed(sides) if form == "flipped" else sides
        return f"{left} {source.choose(OPERATORS)} {right}"
    if form.endswith("between"):
        low, high = of(source.literal(column)), of(source.literal(column))
        return f"{of(column.sql)} {form.upper()} {low} AND {high}"
    elements = [of(source.literal(column)) for _ in range(source.choose([1, 2, 3, 12]))]
    if source.count(0, 5) == 5:
        elements.append("NULL")
    return f"{of(column.sql)} {form.upper()} ({', '.join(elements)})"


def _plain(source: _Source) -> str:
    """What statistics alone can tell."""
    column = source.column()
    specials = 3 if column.kind.family == "string" else 1
    form = source.choose(["compare"] * 5 + ["null", "pair"] + ["special"] * specials)
    if form == "null":
        return f"{column.sql} IS {source.choose(['', 'NOT ', 'NOT '])}NULL"
    if form == "pair":
        other = source.choose([c for c in source.columns if c.kind.family == column.kind.family])
        return f"{column.sql} {source.choose(OPERATORS)} {other.sql}"
    if form == "special" and column.kind.family == "boolean":
        return source.choose(["", "NOT "]) + column.sql
    if form == "special" and column.kind.family == "string":
        prefix = _prefix(source, column)
        return f"{column.sql} {source.choose(['', 'NOT '])}LIKE '{prefix}%'"
    return _compare(source, column)


def _prefix(source: _Source, column: Column) -> str:
    """Return the start of a value as it stands in a pattern of LIKE."""
    value: str = source.choose(column.values(source.aim) or column.bounds or [""])
    start = value[: source.choose([1, 2, 7, len(value)])]
    if start and source.choose([True, False, False]):
        start = start[:-1] + chr(ord(start[-1]) + 1)
    for special in "\\%_":
        start = start.replace(special, "\\" + special)
    return start.replace("\\", "\\\\").replace("'", "\\'")


def _function(source: _Source) -> str:
    """What takes the evaluation of functions to tell."""
    column = source.column()
    form = source.choose(["function", "function", "function", "special", "branch"])
    if form == "branch":
        p, q = _plain(source), _plain(source)
        forms = [
            f"if({p}, {q}, {column.sql} IS NULL)",
            f"CASE WHEN {p} THEN {q} END",
            f"coalesce({p}, {q})",
            f"(({p}) <=> ({q}))",
            f"({p}) IS NOT TRUE",
            f"({p}) IS NOT NULL",
        ]
        return source.choose(forms)
    if form == "special" and column.kind.family == "string":
        test = source.choose(STRING_TESTS).replace("{x}", column.sql)
        return test.replace("{l}", source.literal(column))
    if form == "special":
        other = source.choose(OTHERS[expressions.group(column.kind.family)])
        return f"{column.sql} {source.choose(OPERATORS)} {other}"
    return _compare(source, column, source.function(column))


@st.composite
def random_predicates(draw: st.DrawFn, columns: list[Column]) -> Predicate:
    """Draw a predicate: one condition, or up to three under AND, OR and NOT."""
    source = _Source(draw, columns)
    functions = draw(st.integers(0, 9)) > 5
    leaf = _function if functions else _plain
    sql = leaf(source)
    for _ in range(source.choose([0, 0, 0, 1, 1, 2])):
        sql = f"({sql}) {source.choose(['AND', 'OR'])} ({leaf(source)})"
    return Predicate(f"NOT ({sql})" if source.count(0, 5) == 5 else sql, functions)
