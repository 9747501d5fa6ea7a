"""The queries: tables, predicates, limits, and actions on the rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from benchmarks import tables
from benchmarks.tables import Table

LIMITS = (1, 100, 1_000, 10_000)

LATEST, OLDEST, RANDOM = "ts DESC", "ts", "user_id"
"""Orders: the files are sorted by the first two, descending and ascending, not by the last."""

COLLECT, TO_PANDAS, WRITE, COUNT, JOIN = "collect", "toPandas", "write", "count", "join"
CREATE_TABLE, PLAN = "CREATE TABLE", "plan"
"""Actions on the rows: a list of Python objects, a pandas frame (through Arrow), Parquet files, a
count over the LIMIT, a join over the LIMIT whose rows are collected; a new Delta table; the
physical plan, without rows."""

NONE, CLUSTERED, PREFIX, PARTITION = "none", "clustered", "prefix", "partition"
DICTIONARY, UNPROVABLE, NO_MATCH, NO_MATCH_IN_RANGE = (
    "dictionary", "unprovable", "no match", "no match in range",
)  # fmt: skip
NEWEST, SINCE = "newest partition", "since a subquery"
"""Predicates with a scalar subquery, over a partition column and over a column of the files."""
SUBQUERIES = (NEWEST, SINCE)

DAY_OF_EVENT, SPECIES, USER, DAY = "CAST(ts AS DATE)", "species", "user_id", "day"
"""Keys of groups: the files are sorted by the first two, not by the third; a partition column."""
COUNTED = "count(*), max(amount)"
"""Functions of groups."""

_NINTH = tables.day(8)

# `n` is the number of the run. It makes a literal that no other run has, and the rows are the same.
PREDICATES = {
    NONE: "",
    # A third of the table; both ends are within a row group.
    CLUSTERED: (
        "ts >= TIMESTAMP '2024-01-21 01:00:00.{n:06d}' "
        "AND ts < TIMESTAMP '2024-02-10 01:00:00.{n:06d}'"
    ),
    PREFIX: "species LIKE 'Alpine%' AND species <> '{n}'",
    PARTITION: f"day = DATE '{tables.day(5)}' AND day <> DATE '1{{n:03d}}-06-15'",
    DICTIONARY: "status LIKE '%ok' AND status <> '{n}'",
    UNPROVABLE: "(user_id + 7 * {n}) % 7 = 3",
    NO_MATCH: "ts >= TIMESTAMP '2100-01-01 00:00:00.{n:06d}'",
    NO_MATCH_IN_RANGE: "amount = 500.{n:03d}5",  # amounts are whole cents
    NEWEST: f"day = (SELECT max(day) FROM {tables.PARTITIONED.name})",
    SINCE: f"ts >= (SELECT min(ts) FROM {tables.PARTITIONED.name} WHERE day = DATE '{_NINTH}')",
}


class Asked(Protocol):
    """A query, as engines run it."""

    @property
    def name(self) -> str:
        """A unique name."""

    @property
    def sql(self) -> str:
        """The query in SQL."""

    @property
    def action(self) -> str:
        """What is done with the rows."""


@dataclass(frozen=True)
class Query:
    """One query.

    Attributes:
        table: The table that it reads.
        predicate: A key of `PREDICATES`.
        limit: The LIMIT; None for a query without LIMIT, whose result is one row of aggregates.
        action: The action on the rows.
        order: The ORDER BY; None if there is none.
        keys: The keys whose groups the LIMIT counts; None if it counts rows.
        functions: The functions of a group; None for DISTINCT.
        run: The number of the run, from which the literals of some predicates are made.
    """

    table: Table
    predicate: str
    limit: int | None
    action: str
    order: str | None = None
    keys: str | None = None
    functions: str | None = None
    run: int = 0

    @property
    def name(self) -> str:
        """A unique name."""
        limit = "no LIMIT" if self.limit is None else f"LIMIT {self.limit}"
        return f"{self.table.name}, {self.predicate}, {self.clause}{limit}, {self.action}"

    @property
    def clause(self) -> str:
        """What the name has before the LIMIT."""
        if self.keys:
            return f"{'GROUP BY' if self.functions else 'DISTINCT'} {self.keys}, "
        return f"ORDER BY {self.order}, " if self.order else ""

    @property
    def sql(self) -> str:
        """The query in SQL that all engines support."""
        if self.limit is None:
            return f"SELECT count(*), min(amount) FROM {self.source}"
        if self.keys:
            return f"{self.groups} LIMIT {self.limit}"
        order = f" ORDER BY {self.order}" if self.order else ""
        limited = f"SELECT * FROM {self.source}{order} LIMIT {self.limit}"
        if self.action == COUNT:
            return f"SELECT count(*) FROM ({limited}) AS e"
        if self.action == JOIN:
            return (
                f"SELECT e.*, s.label FROM ({limited}) AS e "
                "JOIN statuses AS s ON e.status = s.status"
            )
        return limited

    @property
    def check(self) -> str:
        """A query whose result is the same on every engine.

        Without LIMIT, the aggregates. With ORDER BY, the first values of the key, which ties do not
        change. Otherwise, the number of rows of the LIMIT that do not satisfy the predicate, or of
        its groups that are not groups of the table.
        """
        if self.limit is None:
            return self.sql
        if self.keys:
            return f"SELECT count(*) FROM (({self.sql}) EXCEPT ({self.groups})) AS e"
        limited = f"SELECT * FROM {self.source} LIMIT {self.limit}"
        if self.order:
            key = self.order.split()[0]
            ordered = f"SELECT * FROM {self.source} ORDER BY {self.order} LIMIT {self.limit}"
            return f"SELECT {key}, count(*) FROM ({ordered}) AS e GROUP BY {key} ORDER BY {key}"
        return f"SELECT count(*) FROM ({limited}) AS e WHERE ({self.where or 'true'}) IS NOT TRUE"

    @property
    def groups(self) -> str:
        """All groups."""
        if self.functions:
            return f"SELECT {self.keys}, {self.functions} FROM {self.source} GROUP BY {self.keys}"
        return f"SELECT DISTINCT {self.keys} FROM {self.source}"

    @property
    def counted(self) -> str:
        """What the LIMIT counts: rows of the table, or groups."""
        if self.keys:
            return f"(SELECT DISTINCT {self.keys} FROM {self.source}) AS g"
        return self.source

    @property
    def source(self) -> str:
        """Table and WHERE."""
        return self.table.name + (f" WHERE {self.where}" if self.where else "")

    @property
    def where(self) -> str:
        """The predicate, with the literals of this run; empty if there is none."""
        return PREDICATES[self.predicate].format(n=self.run)

    @staticmethod
    def from_dict(fields: Mapping[str, Any]) -> Query:
        """Return the query with the fields that `asdict` returned."""
        return Query(**{**fields, "table": Table(**fields["table"])})

    def expected_rows(self, matches: int) -> int:
        """Return the rows of the result, or its count, given the number that the LIMIT counts."""
        if self.action == PLAN:
            return 0
        return 1 if self.limit is None else min(self.limit, matches)


def queries() -> list[Query]:
    """Return all queries."""
    return list(_queries())


def _queries() -> Iterator[Query]:
    yield from _nothing_to_gain()
    yield from _something_to_gain()


def _nothing_to_gain() -> Iterator[Query]:
    """Both Sparks do about the same work here, so these queries are first.

    The histories are then equal. Later, plain Spark has scanned about sixty times as much, and its
    JVM has warmed up more.
    """
    for predicate in (NONE, CLUSTERED, UNPROVABLE):
        yield Query(tables.EVENTS, predicate, None, COLLECT)
    for limit in (1, 1_000, 10_000):
        yield Query(tables.EVENTS, UNPROVABLE, limit, COLLECT)
    yield Query(tables.EVENTS, UNPROVABLE, 100, TO_PANDAS)
    yield Query(tables.SPARK_WRITTEN, UNPROVABLE, 100, COLLECT)
    yield Query(tables.NO_PAGE_INDEX, NO_MATCH_IN_RANGE, 100, COLLECT)
    yield Query(tables.SMALL_FILES, UNPROVABLE, 100, COLLECT)
    for limit in (1, 100):
        yield Query(tables.EVENTS, NONE, limit, COLLECT, RANDOM)
    yield Query(tables.SMALL_FILES, NONE, 100, COLLECT, RANDOM)
    yield Query(tables.INT96_PLAIN, NONE, 100, COLLECT, LATEST)
    yield Query(tables.PARTITIONED, NONE, 10, COLLECT, keys=USER)
    yield Query(tables.PARTITIONED, NONE, 1_000, COLLECT, keys=DAY)


def _something_to_gain() -> Iterator[Query]:
    yield from _ordered()
    yield from _int96()
    yield from _subqueries()
    yield from _groups()
    for predicate in (NONE, CLUSTERED):
        for action in (TO_PANDAS, COLLECT):
            for limit in LIMITS:
                yield Query(tables.EVENTS, predicate, limit, action)
        for limit in (100, 10_000):
            yield Query(tables.EVENTS, predicate, limit, WRITE)
        for action in (COUNT, JOIN):
            yield Query(tables.EVENTS, predicate, 1_000, action)
    for predicate in (PREFIX, DICTIONARY):
        for action in (TO_PANDAS, COLLECT, WRITE, COUNT, JOIN):
            yield Query(tables.EVENTS, predicate, 1_000, action)
    yield Query(tables.EVENTS, PREFIX, 10_000, TO_PANDAS)
    for action in (COLLECT, TO_PANDAS):
        yield Query(tables.EVENTS, NO_MATCH, 100, action)
    for table in (tables.SPARK_WRITTEN, tables.NO_PAGE_INDEX):
        for predicate in (NONE, CLUSTERED):
            yield Query(table, predicate, 1_000, TO_PANDAS)
    yield Query(tables.SPARK_WRITTEN, PREFIX, 1_000, TO_PANDAS)
    for action in (COLLECT, TO_PANDAS, WRITE):
        yield Query(tables.PARTITIONED, PARTITION, 100, action)
    for table in (tables.SMALL_FILES, tables.SMALL_FILES_60):
        for limit in (100, 10_000):
            yield Query(table, NONE, limit, TO_PANDAS)
        yield Query(table, CLUSTERED, 1_000, TO_PANDAS)


def _ordered() -> Iterator[Query]:
    for action in (COLLECT, TO_PANDAS):
        yield Query(tables.EVENTS, NONE, 100, action, LATEST)
    for order in (LATEST, OLDEST):
        for predicate in (CLUSTERED, UNPROVABLE):
            yield Query(tables.EVENTS, predicate, 100, COLLECT, order)
    yield Query(tables.EVENTS, NONE, 10_000, WRITE, LATEST)
    yield Query(tables.PARTITIONED, NONE, 100, COLLECT, "day DESC")
    yield Query(tables.SMALL_FILES, NONE, 100, COLLECT, LATEST)


def _int96() -> Iterator[Query]:
    """Spark's default for timestamps, which have no statistics; dictionaries have the values."""
    yield Query(tables.INT96, CLUSTERED, 100, COLLECT)
    yield Query(tables.INT96, CLUSTERED, 1_000, TO_PANDAS)
    yield Query(tables.INT96, NONE, 100, COLLECT, LATEST)


def _subqueries() -> Iterator[Query]:
    for action in (COLLECT, TO_PANDAS):
        yield Query(tables.PARTITIONED, NEWEST, 10, action)
    yield Query(tables.PARTITIONED, NEWEST, 100, COLLECT, LATEST)
    yield Query(tables.EVENTS, SINCE, 1_000, TO_PANDAS)


def _groups() -> Iterator[Query]:
    for predicate, keys in ((NONE, DAY_OF_EVENT), (CLUSTERED, DAY_OF_EVENT), (NONE, SPECIES)):
        yield Query(tables.EVENTS, predicate, 10, COLLECT, keys=keys)
    yield Query(tables.PARTITIONED, NONE, 3, COLLECT, keys=DAY, functions=COUNTED)
