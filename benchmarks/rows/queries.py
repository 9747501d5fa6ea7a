"""The queries: each with a place for a literal that no other run has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.pairs.tables import WEB, WEB_GROUPS, WEB_SPARK
from benchmarks.queries import COLLECT, TO_PANDAS

ROOT, BELOW, FIRST, NEEDLE, NOTHING = (
    "at the root", "not at the root", "ORDER BY", "needle", "nothing to gain",
)  # fmt: skip
CLICKBENCH, GROUPS = "ClickBench", "ORDER BY, 240 row groups"
DISTINCT, FIRST_OF_EACH = "DISTINCT", "newest row of each group"
TABLES = (WEB, WEB_SPARK, WEB_GROUPS)


@dataclass(frozen=True)
class RowsQuery:
    """A query of this benchmark, as engines run it.

    Attributes:
        name: A unique name.
        kind: What it stands for.
        template: The query; `{table}` is the table, `{n}` a new number; only a query without a
            predicate has no place for one.
        action: What is done with the rows.
        table: The name of the table.
        run: The number of the run.
    """

    name: str
    kind: str
    template: str
    action: str
    table: str
    run: int = 0

    @property
    def sql(self) -> str:
        """The query with its literal."""
        return self.template.format(table=self.table, n=self.run)


_FREQUENT = "is_mobile = 1 AND user_id <> 100000{n}"
_SOME = "url LIKE '%/item-{n:02d}%'"
_RARE = "status = 500 AND user_id <> 100000{n}"
_FEW = "url LIKE '%/item-{n:02d}34%'"  # 0.01 %; of ClickBench's rows, 0.016 % are of Google
_PHRASE = "search_phrase <> '' AND search_phrase <> '{n}'"
_NONE = "(user_id + {n}) % 7 = 9"


def queries() -> list[RowsQuery]:
    """Return all queries."""
    found = [query for table in (WEB, WEB_SPARK) for query in _of(table.name)]
    return [*found, *_by_response_time(WEB_GROUPS.name), *_clickbench(WEB_GROUPS.name)]


def _of(table: str) -> list[RowsQuery]:
    limits = [
        ("40 %", _FREQUENT, 100),
        ("1 %", _SOME, 100),
        ("0.05 %", _RARE, 20),
        ("no match", _NONE, 10),
    ]
    found = [
        RowsQuery(
            f"{table}, {name}, {action}",
            kind,
            f"SELECT * FROM {{table}} WHERE {predicate} LIMIT {limit}",
            action,
            table,
        )
        for name, predicate, limit in limits
        for kind, action in ((ROOT, COLLECT), (BELOW, TO_PANDAS))
    ]
    needle = "SELECT * FROM {table} WHERE user_id = 7{n}123 LIMIT 10"
    found.append(RowsQuery(f"{table}, one user", NEEDLE, needle, COLLECT, table))
    for name, sql in (
        ("all by response time", "ORDER BY response_ms DESC LIMIT 10"),
        ("by time", f"WHERE {_FREQUENT} ORDER BY event_time DESC LIMIT 10"),
        ("by response time", "WHERE user_id <> 100000{n} ORDER BY response_ms DESC LIMIT 10"),
        ("1 % by time", f"WHERE {_SOME} ORDER BY event_time LIMIT 10"),
        ("0.05 % by time", f"WHERE {_RARE} ORDER BY event_time DESC LIMIT 20"),
    ):
        text = f"SELECT * FROM {{table}} {sql}"
        found.append(RowsQuery(f"{table}, {name}", FIRST, text, COLLECT, table))
    two = f"SELECT user_id, is_mobile FROM {{table}} WHERE {_FREQUENT} LIMIT 20"
    found.append(RowsQuery(f"{table}, two columns", NOTHING, two, COLLECT, table))
    urls = "SELECT DISTINCT url FROM {table} LIMIT 10"
    found.append(RowsQuery(f"{table}, ten urls", DISTINCT, urls, COLLECT, table))
    for name, key in (("status", "status"), ("region", "region_id")):
        numbered = (
            f"SELECT *, row_number() OVER (PARTITION BY {key} ORDER BY event_time DESC) AS place "
            f"FROM {{table}} WHERE {_FREQUENT}"
        )
        sql = f"SELECT * FROM ({numbered}) AS numbered WHERE place = 1"
        found.append(RowsQuery(f"{table}, newest by {name}", FIRST_OF_EACH, sql, COLLECT, table))
    return [*found, *_clickbench(table)]


def _by_response_time(table: str) -> Iterator[RowsQuery]:
    for name, where in (("all", ""), ("40 %", f"WHERE {_FREQUENT} ")):
        sql = f"SELECT * FROM {{table}} {where}ORDER BY response_ms DESC LIMIT 10"
        yield RowsQuery(f"{table}, {name} by response time", GROUPS, sql, COLLECT, table)


def _clickbench(table: str) -> Iterator[RowsQuery]:
    """Yield four of ClickBench's queries, with its own numbers for them, from 1."""
    phrases = f"SELECT search_phrase FROM {{table}} WHERE {_PHRASE} ORDER BY"
    for number, sql in (
        (24, f"SELECT * FROM {{table}} WHERE {_FEW} ORDER BY event_time LIMIT 10"),
        (25, f"{phrases} event_time LIMIT 10"),
        (26, f"{phrases} search_phrase LIMIT 10"),
        (27, f"{phrases} event_time, search_phrase LIMIT 10"),
    ):
        yield RowsQuery(f"{table}, ClickBench {number}", CLICKBENCH, sql, COLLECT, table)
