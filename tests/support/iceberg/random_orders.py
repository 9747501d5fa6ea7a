"""Random ORDER BY … LIMIT queries over random Iceberg tables, and what is right about answers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from hypothesis import strategies as st
from pyspark.sql import Row, SparkSession

from support import random_histories
from support.iceberg import random_tables
from support.iceberg.random_tables import History
from support.random_histories import Draw

DIRECTIONS = ["", "", "DESC", "DESC", "ASC NULLS LAST", "DESC NULLS FIRST"]
# Mostly columns whose values are clustered, or have nulls, NaN and ties.
KEYS = ["id", "id", "k", "k", "s", "s", "s", "t", "t", "f", "f", "g", "g", "d", "ts", "c", "p"]
LIMITS = [1, 1, 2, 5, 20, 50, 70, 100, 400]


@dataclass(frozen=True)
class OrderedQuery:
    """``SELECT keys, id FROM table WHERE predicate ORDER BY keys LIMIT n OFFSET m``."""

    without_limit: str
    keys: int
    limit: int
    offset: int = 0

    @property
    def sql(self) -> str:
        """The query."""
        offset = f" OFFSET {self.offset}" if self.offset else ""
        return f"{self.without_limit} LIMIT {self.limit}{offset}"

    def problem(self, found: list[Row], every: list[Row]) -> str:
        """Return what is wrong with an answer, given all rows in order, or ''.

        Ties may be broken in any way.
        """
        wanted = every[self.offset : self.offset + self.limit]
        if self._keys(found) != self._keys(wanted):
            return f"gives the keys {self._keys(found)[:9]}, not {self._keys(wanted)[:9]}"
        others = Counter(map(_text, found)) - Counter(map(_text, every))
        return f"rows that are not in the table: {list(others)[:3]}" if others else ""

    def _keys(self, rows: list[Row]) -> list[str]:
        return [_text(row[: self.keys]) for row in rows]


def _text(row: Row) -> str:
    return repr(tuple(0.0 if value == 0 else value for value in row))  # -0.0 is equal to 0.0


def add_clustered(spark: SparkSession, history: History, draw: Draw) -> None:
    """Add files that are sorted by ``id`` and have bounds, and delete some of their rows."""
    modes = ["truncate(2)", "truncate(2)", "truncate(16)", "full"]
    more = random_histories.BYTES if history.has_bytes else []
    prefix = draw(st.sampled_from([*random_histories.PREFIXES, *more]))
    for start in draw(st.lists(st.sampled_from([0, 200, 1000, 5000]), min_size=1, max_size=3)):
        nulls = draw(st.sampled_from([3, 11, 1000000]))
        nans = draw(st.sampled_from([3, 17, 1000000]))
        values = {"prefix": prefix, "nulls": nulls, "nans": nans}
        # In a table with small row groups, two files have many of them.
        files = draw(st.sampled_from([6, 6, 2]))
        mode = draw(st.sampled_from(modes))
        _insert(spark, history, mode, values, range(start, start + 300), files)
        draw(st.sampled_from(CHANGES))(spark, history, draw)
    _add_truncated(spark, history, draw)
    if history.has_bytes:
        _add_bytes(spark, history)


def _add_bytes(spark: SparkSession, history: History) -> None:
    """Add two files at the end of the order by ``s``, whose bounds have the other order."""
    last, behind = "'\U0010ffff'", "CAST(X'FF' AS STRING)"
    for prefix, start in ((last, 600), (behind, 700)):
        values: dict[str, str | int] = {"prefix": prefix, "nulls": 1000000, "nans": 1000000}
        _insert(spark, history, "full", values, range(start, start + 20), 1)


def _add_truncated(spark: SparkSession, history: History, draw: Draw) -> None:
    """Add two files at an end of the order by ``s``, of which only one has exact bounds.

    The truncated bound of the other file is nearer to the end than all texts of both.
    """
    near, far = range(3, 23), range(503, 523)
    prefix, truncated, exact = draw(st.sampled_from([("!!", far, near), ("zz", near, far)]))
    values: dict[str, str | int] = {"prefix": f"'{prefix}'", "nulls": 1000000, "nans": 1000000}
    _insert(spark, history, "truncate(2)", values, truncated, 1)
    _insert(spark, history, "full", values, exact, 1)


def _insert(
    spark: SparkSession,
    history: History,
    mode: str,
    values: dict[str, str | int],
    ids: range,
    files: int,
) -> None:
    """Insert files that are sorted by ``id``, with metrics in a mode."""
    properties = (
        f"'write.metadata.metrics.default' = '{mode}', "
        "'write.delete.mode' = 'merge-on-read', 'write.update.mode' = 'merge-on-read'"
    )
    history.run(spark, f"ALTER TABLE {history.table} SET TBLPROPERTIES ({properties})")
    fixed = {"start": 0, "step": 1, "modulus": 100000, "year": 2024, "first_day": history.first_day}
    every = {**fixed, **values}
    now = history.names.items()
    columns = [f"{random_histories.COLUMNS[c].format(**every)} AS `{name}`" for c, name in now]
    names = ", ".join(history.columns)
    history.run(
        spark,
        f"INSERT INTO {history.table} ({names}) SELECT /*+ REPARTITION_BY_RANGE({files}, id) */ "
        f"{', '.join(columns)}, CAST(id % 3 AS INT) AS p FROM range({ids.start}, {ids.stop})",
    )


def _delete_some(spark: SparkSession, history: History, draw: Draw) -> None:
    some = f"`{history.names['id']}` % {draw(st.sampled_from([10, 7, 2]))} = 1"
    history.run(spark, f"DELETE FROM {history.table} WHERE {some}")


CHANGES = [_delete_some, _delete_some, random_tables.update, random_tables.delete_by_equality]


def query(history: History, draw: Draw) -> OrderedQuery:
    """A query with one to three keys."""
    count = draw(st.sampled_from([1, 1, 2, 2, 3]))
    firsts = draw(st.lists(st.sampled_from(KEYS), min_size=count, max_size=count))
    names = [f"`{history.names.get(first, first)}`" for first in firsts]
    if draw(st.sampled_from([False] * 14 + [True])):
        names[0] = draw(
            st.sampled_from([f"`{history.names['n']}`.`x`", f"1 + `{history.names['id']}`"])
        )
    keys = [f"{name} {draw(st.sampled_from(DIRECTIONS))}" for name in names]
    where = f" WHERE {random_histories.predicate(history, draw)}" if draw(st.booleans()) else ""
    return _ordered(
        history,
        keys,
        where,
        draw(st.sampled_from(LIMITS)),
        draw(st.sampled_from([0, 0, 0, 7])),
    )


def _ordered(
    history: History, keys: list[str], where: str, limit: int, offset: int = 0
) -> OrderedQuery:
    shown = ", ".join(f"{key.rsplit('`', 1)[0]}`" for key in keys)
    return OrderedQuery(
        f"SELECT {shown}, `{history.names['id']}` FROM {history.table}{where} "
        f"ORDER BY {', '.join(keys)}",
        len(keys),
        limit,
        offset,
    )


def probes(history: History) -> list[OrderedQuery]:
    """Queries in which nulls, NaN, ties, truncated bounds and deleted rows matter most."""
    orders = [
        ("f", "DESC", 1),
        ("f", "", 60),
        ("g", "DESC NULLS LAST", 3),
        ("k", "DESC", 50),
        ("k", "ASC NULLS LAST", 200),
        ("k", "", 5),
        ("s", "DESC", 1),
        ("s", "", 1),
        ("s", "ASC NULLS LAST", 1),
        ("s", "ASC NULLS LAST", 60),
        ("id", "", 1),
        # Files have 50 rows. If some are deleted, one file more is needed.
        ("id", "DESC", 50),
        ("id", "DESC", 100),
        ("id", "", 50),
        # Row groups have 10 or 25 rows, if they are small.
        ("id", "", 10),
        ("id", "DESC", 25),
        ("s", "DESC", 24),
        ("d", "DESC", 50),
    ]
    found = [
        _ordered(history, [f"`{history.names[first]}` {direction}"], "", limit)
        for first, direction, limit in orders
    ]
    ties = [f"`{history.names['t']}`", f"`{history.names['id']}` DESC"]
    found += [_ordered(history, ties, "", limit) for limit in (1, 10, 40)]
    return found


def at_ends_of_files(spark: SparkSession, history: History) -> list[OrderedQuery]:
    """Queries for as many rows as the best files have, if no row were deleted."""
    name = f"`{history.names['id']}`"
    files = spark.sql(
        f"SELECT record_count AS n, readable_metrics.{name}.lower_bound AS low, "
        f"readable_metrics.{name}.upper_bound AS high FROM {history.table}.data_files"
    ).collect()
    known = [file for file in files if file.low is not None]
    firsts = [
        (f"{name} ASC", sum(file.n for file in known if file.high <= end))
        for end in sorted({file.high for file in known})[:2]
    ]
    lasts = [
        (f"{name} DESC", sum(file.n for file in known if file.low >= end))
        for end in sorted({file.low for file in known})[-2:]
    ]
    return [_ordered(history, [key], "", limit) for key, limit in firsts + lasts]


def rows(spark: SparkSession, sql: str) -> list[Row]:
    """All rows of a query, in its order."""
    return list(spark.sql(sql).collect())
