"""A kind of queries: a table, a query with places for literals, and what is done with rows."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.pairs.literals import Domain, Literals
from benchmarks.pairs.tables import Table
from benchmarks.queries import COLLECT

EVERY, MIXED = "all", "mixed"
"""All columns of the table; queries that differ in this."""


@dataclass(frozen=True)
class Template:
    """A query with places for literals.

    Attributes:
        sql: The query; `{table}` is the table, `{}` or `{0}` a literal, `{form}` see `combined`.
        domains: What each literal is drawn from.
        key: The column of the result that ORDER BY sorts by; empty without ORDER BY.
        combined: Columns of which `{form}` is made, in another way in each run: what was remembered
            of earlier predicates is about other forms.
        part: What `{form}` has for each of these columns.
        operators: The operators of which each part has one.
    """

    sql: str
    domains: tuple[Domain, ...]
    key: str = ""
    combined: tuple[str, ...] = ()
    part: str = " {operator} {column}"
    operators: tuple[str, ...] = ("^", "&", "|")  # of which no result overflows

    def draw(self, literals: Literals, table: str) -> str:
        """Return the query with literals, and a form, that were never drawn before."""
        drawn = [literals.draw(each) for each in self.domains]
        return self.sql.format(*drawn, table=table, form=self._form(literals))

    def _form(self, literals: Literals) -> str:
        if not self.combined:
            return ""
        count = len(self.operators)
        number = literals.draw(Domain("a form", 0, count ** len(self.combined) - 1))
        form = ""
        for column in self.combined:
            form += self.part.format(operator=self.operators[number % count], column=column)
            number //= count
        return form


@dataclass(frozen=True)
class Kind:
    """One kind of queries.

    Attributes:
        name: A unique name, which begins with the name of the table.
        table: The table.
        queries: The queries of one run, one after the other.
        columns: The number of columns that they return, or `EVERY` or `MIXED`.
        action: What is done with the rows.
        latency: The milliseconds that each request to the storage takes.
    """

    name: str
    table: Table
    queries: tuple[Template, ...]
    columns: int | str
    action: str = COLLECT
    latency: int = 0

    @property
    def is_narrow(self) -> bool:
        """Whether it returns at most two columns."""
        return isinstance(self.columns, int) and self.columns <= 2

    @property
    def view(self) -> str:
        """The name of the table in queries."""
        return f"{self.table.name}_slow" if self.latency else self.table.name

    @property
    def shape(self) -> str:
        """What comes back, and how."""
        columns = "1 column" if self.columns == 1 else f"{self.columns} columns"
        many = f"{len(self.queries)} queries, " if len(self.queries) > 1 else ""
        latency = f", {self.latency} ms a request" if self.latency else ""
        return f"{many}{columns}, {self.action}{latency}"

    def draw(self, literals: Literals) -> list[str]:
        """Return the queries of one run, with literals that were never drawn before."""
        return [each.draw(literals, self.view) for each in self.queries]
