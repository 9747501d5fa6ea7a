"""Random Iceberg tables: a history of writes, by statements of SQL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st
from pyspark.sql import SparkSession

from support.iceberg import tables
from support.iceberg.session import java_table

COLUMNS = {
    "id": "id + {start}",
    "k": "IF(id % {nulls} = 1, NULL, CAST((id * {step}) % {modulus} AS INT))",
    "s": "IF(id % {nulls} = 2, NULL, CONCAT('{prefix}', LPAD(STRING(id * {step}), 6, '0')))",
    "d": "DATE'1999-12-30' + CAST(id * {step} % 9000 AS INT)",
    "ts": "TIMESTAMP'{year}-03-01 10:11:12.345678' + MAKE_DT_INTERVAL(0, 0, 0, id * {step})",
    "f": "IF(id % {nans} = 1, DOUBLE('NaN'), CAST(id AS DOUBLE) / {step})",
    "g": "IF(id % {nans} = 2, FLOAT('NaN'), CAST(id + {start} AS FLOAT))",
    "c": "CAST(id * {step} AS DECIMAL(12, 3))",
    "t": "CAST(id DIV 40 AS INT)",
    "n": "NAMED_STRUCT('x', id * {step}, 'y', CONCAT('y', id % {modulus}))",
}
PARTITIONS = ["", "", "p", "days(ts)", "bucket(3, id)", "truncate(200, id)", "p, truncate(2, s)"]
MODES = ["truncate(16)", "truncate(16)", "full", "truncate(2)", "counts", "none"]
TEXTS = ["a", "a", "a", "b0", "a000300", "long" * 12 + "00", "longlongz"]

Draw = Callable[..., Any]


@dataclass
class History:
    """The statements that made a table, for the message of a failure."""

    table: str
    statements: list[str] = field(default_factory=list)
    # The names that columns have now, by their first names.
    names: dict[str, str] = field(default_factory=lambda: {name: name for name in COLUMNS})
    is_widened: bool = False

    def run(self, spark: SparkSession, statement: str) -> None:
        """Run a statement, and remember it."""
        self.statements.append(statement)
        spark.sql(statement)


def create(spark: SparkSession, draw: Draw) -> History:
    """Create a table with random properties and its first rows, and change it a few times."""
    history = History(tables.new_name())
    mode = draw(st.sampled_from(["merge-on-read", "merge-on-read", "copy-on-write"]))
    properties = {
        "format-version": draw(st.sampled_from(["2", "3"])),
        "write.delete.mode": mode,
        "write.update.mode": mode,
        "write.merge.mode": mode,
        "write.metadata.metrics.default": draw(st.sampled_from(MODES)),
        "write.format.default": draw(st.sampled_from(["parquet"] * 7 + ["orc"])),
    }
    if draw(st.booleans()):
        properties["write.metadata.metrics.column.k"] = draw(st.sampled_from(MODES))
    by = draw(st.sampled_from(PARTITIONS))
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
    history.run(
        spark,
        f"CREATE TABLE {history.table} USING iceberg {f'PARTITIONED BY ({by})' if by else ''} "
        f"TBLPROPERTIES ({listed}) AS {rows(history, draw)}",
    )
    for change in draw(st.lists(st.sampled_from(CHANGES), min_size=2, max_size=5)):
        change(spark, history, draw)
    return history


def rows(history: History, draw: Draw) -> str:
    """Return a query for random rows of the table."""
    values = {
        "start": draw(st.sampled_from([0, 100, 1000, 5000])),
        "step": draw(st.sampled_from([1, 1, 3, 86400])),
        "modulus": draw(st.sampled_from([2, 50, 100000])),
        "prefix": draw(st.sampled_from(["a", "b", "long" * 12])),
        "year": draw(st.sampled_from([1850, 1971, 2024])),
        "nulls": draw(st.sampled_from([3, 11, 1000000])),
        "nans": draw(st.sampled_from([3, 17, 1000000])),
    }
    count = draw(st.sampled_from([400, 60, 1]))
    files = draw(st.sampled_from([6, 3, 1]))
    columns = [
        f"{COLUMNS[first].format(**values)} AS `{now}`" for first, now in history.names.items()
    ]
    is_sorted = draw(st.sampled_from([True, True, False]))
    hint = (
        f"/*+ REPARTITION_BY_RANGE({files}, id) */" if is_sorted else f"/*+ REPARTITION({files}) */"
    )
    return f"SELECT {hint} {', '.join(columns)}, CAST(id % 3 AS INT) AS p FROM range({count})"


def predicate(history: History, draw: Draw) -> str:
    """A predicate of one or two conjuncts."""
    columns = ["id", "id", *["k", "s", "f", "g"] * 2, *sorted(history.names), "p"]
    parts = draw(st.lists(st.sampled_from(columns), min_size=1, max_size=2))
    return f" {draw(st.sampled_from(['AND', 'AND', 'OR']))} ".join(
        _comparison(first, history.names.get(first, first), draw) for first in parts
    )


def _comparison(first: str, name: str, draw: Draw) -> str:
    number = draw(st.sampled_from([0, 7, 30, 100, 390, 1000, 1200, 5300, 300000]))
    column = f"`{name}`"
    value = {
        "id": f"{number}",
        "k": f"{draw(st.sampled_from([0, 0, number]))}",
        "p": f"{number % 3}",
        "s": f"'{draw(st.sampled_from(TEXTS))}'",
        "d": f"DATE'1999-12-30' + {number % 9000}",
        "ts": f"TIMESTAMP'{draw(st.sampled_from([1850, 1971, 2024]))}-03-01 10:11:12.345' + "
        f"MAKE_DT_INTERVAL(0, 0, 0, {number})",
        "f": draw(st.sampled_from(["100.5D", "5000D", "5000D", "DOUBLE('NaN')"])),
        "g": draw(st.sampled_from(["100.5F", "5500F", "5500F", "FLOAT('NaN')"])),
        "c": f"{number}.000",
        "t": f"{number // 40}",
        "n": f"{number}",
    }[first]
    if first == "n":
        column = f"`{name}`.x"
    shapes = ["{} {} {}"] * 6 + ["{} IS NULL", "{} IS NOT NULL", "NOT ({} {} {})", "{} * 2 {} {}"]
    if first in ("s", "d", "ts"):
        shapes.pop()
    shape = draw(st.sampled_from(shapes))
    # With these, all values of many files match, but not NaN, which is above all, and not null.
    more = {"f": ["<", "<="] * 2, "g": ["<", "<="] * 2, "k": [">="] * 4, "s": [">="] * 4}
    operators = [">=", "<", ">", "<=", "=", "<>", "<=>", *more.get(first, [])]
    operator: str = draw(st.sampled_from(operators))
    return str(shape).format(column, operator, value)


@dataclass(frozen=True)
class Query:
    """A query without its LIMIT, and the share of its rows that the LIMIT takes."""

    without_limit: str
    share: float

    def limit(self, rows: int) -> int:
        """The LIMIT. A file that is counted on in error is found if all matching rows are due."""
        return max(1, int(self.share * rows))

    def sql(self, rows: int) -> str:
        """The query."""
        return f"{self.without_limit} LIMIT {self.limit(rows)}"


def query(history: History, draw: Draw) -> Query:
    """A query over the newest snapshot."""
    where = f" WHERE {predicate(history, draw)}" if draw(st.integers(0, 5)) else ""
    some = draw(st.lists(st.sampled_from(sorted(history.names)), max_size=3, unique=True))
    names = [history.names[name] for name in some] or [*history.names.values(), "p"]
    columns = ", ".join(f"`{name}`" for name in names)
    share = draw(st.sampled_from([0.0, 0.1, 0.5, 0.8, 0.9, 0.95, 1.0, 1.0]))
    return Query(f"SELECT {columns} FROM {history.table}{where}", share)


def probes(history: History) -> list[Query]:
    """Queries for all rows that are neither null nor NaN nor deleted, in any table."""
    conditions = {"k": ">= 0", "s": ">= 'a'", "f": "< 500000D", "g": "< 500000D"}
    wheres = [f" WHERE `{history.names[name]}` {rest}" for name, rest in conditions.items()]
    columns = f"SELECT `{history.names['id']}`, `{history.names['d']}` FROM {history.table}"
    return [Query(columns + where, 1.0) for where in ["", *wheres]]


def append(spark: SparkSession, history: History, draw: Draw) -> None:
    columns = ", ".join(f"`{name}`" for name in [*history.names.values(), "p"])
    history.run(spark, f"INSERT INTO {history.table} ({columns}) {rows(history, draw)}")


def _of_write(history: History, draw: Draw) -> str:
    """A predicate of a write, in which Iceberg takes no NaN."""
    where = predicate(history, draw)
    return f"`{history.names['id']}` % 7 = 3" if "NaN" in where else where


def delete(spark: SparkSession, history: History, draw: Draw) -> None:
    some = f"`{history.names['id']}` % {draw(st.sampled_from([2, 10, 97]))} = 1"
    where = draw(st.sampled_from([some, some, _of_write(history, draw)]))
    history.run(spark, f"DELETE FROM {history.table} WHERE {where}")


def update(spark: SparkSession, history: History, draw: Draw) -> None:
    where = _of_write(history, draw)
    history.run(spark, f"UPDATE {history.table} SET `{history.names['k']}` = 7 WHERE {where}")


def delete_by_equality(spark: SparkSession, history: History, draw: Draw) -> None:
    """Delete one value of a column, in a table that was never partitioned."""
    if java_table(spark, history.table).specs().size() > 1 or history.is_widened:
        return
    if not java_table(spark, history.table).spec().isUnpartitioned():
        return
    value = draw(st.sampled_from([0, 1, 7, 49]))
    history.statements.append(f"-- equality delete: k = {value}")
    tables.delete_by_equality(spark, history.table, history.names["k"], value)


def rename(spark: SparkSession, history: History, draw: Draw) -> None:
    """Swap the names of two columns."""
    free = sorted(set(history.names) - {"id"})
    one, other = draw(st.lists(st.sampled_from(free), min_size=2, max_size=2, unique=True))
    a, b = history.names[one], history.names[other]
    for old, new in ((a, "swap"), (b, a), ("swap", b)):
        history.run(spark, f"ALTER TABLE {history.table} RENAME COLUMN `{old}` TO `{new}`")
    history.names |= {one: b, other: a}


def drop_and_add(spark: SparkSession, history: History, _: Draw) -> None:
    """Drop a column, and add one of the same name and type."""
    name = history.names["c"]
    history.run(spark, f"ALTER TABLE {history.table} DROP COLUMN `{name}`")
    history.run(spark, f"ALTER TABLE {history.table} ADD COLUMN `{name}` DECIMAL(12, 3)")


def widen(spark: SparkSession, history: History, draw: Draw) -> None:
    first, wider = draw(
        st.sampled_from([("k", "BIGINT"), ("g", "DOUBLE"), ("c", "DECIMAL(20, 3)")])
    )
    name = history.names[first]
    history.run(spark, f"ALTER TABLE {history.table} ALTER COLUMN `{name}` TYPE {wider}")
    history.is_widened = True


def change_metrics(spark: SparkSession, history: History, draw: Draw) -> None:
    """Write the metrics of later files in another mode."""
    mode = draw(st.sampled_from(MODES))
    key = "write.metadata.metrics.default"
    history.run(spark, f"ALTER TABLE {history.table} SET TBLPROPERTIES ('{key}' = '{mode}')")
    append(spark, history, draw)


def change_partitions(spark: SparkSession, history: History, draw: Draw) -> None:
    by = draw(st.sampled_from(["bucket(2, id)", "truncate(300, id)", "years(d)"]))
    if java_table(spark, history.table).spec().isUnpartitioned() and history.names["d"] == "d":
        history.run(spark, f"ALTER TABLE {history.table} ADD PARTITION FIELD {by}")


CHANGES = [
    append,
    append,
    append,
    delete,
    delete,
    update,
    delete_by_equality,
    rename,
    drop_and_add,
    widen,
    change_metrics,
    change_partitions,
]
