"""Random Delta tables: a history of writes by Spark and delta-rs, and queries over them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from pyspark.sql import SparkSession

COLUMNS = {
    "id": "id + {start}",
    "k": "IF(id % 11 = 5, NULL, CAST((id * {step}) % {modulus} AS INT))",
    "s": "IF(id % 13 = 7, NULL, CONCAT('{prefix}', LPAD(CAST(id * {step} AS STRING), 6, '0')))",
    "d": "DATE'1999-12-30' + CAST(id * {step} % 9000 AS INT)",
    "ts": "TIMESTAMP'{year}-03-01 10:11:12.345678' + MAKE_DT_INTERVAL(0, 0, 0, id * {step})",
    "f": "IF(id % 17 = 3, DOUBLE('NaN'), CAST(id AS DOUBLE) / {step})",
    "c": "CAST(id * {step} AS DECIMAL(20, 3))",
    "n": "NAMED_STRUCT('x', id * {step}, 'y', CONCAT('y', id % {modulus}))",
}

Draw = Callable[..., Any]


@dataclass
class History:
    """The statements that made a table, for the message of a failure."""

    path: Path
    mapping: str
    vectors: bool
    partitioned: bool
    statements: list[str] = field(default_factory=list)
    # The names that columns have now, by their first names; dropped ones are missing.
    names: dict[str, str] = field(default_factory=lambda: {name: name for name in COLUMNS})
    added: int = 0

    @property
    def table(self) -> str:
        """What SQL names the table."""
        return f"delta.`{self.path}`"

    def run(self, spark: SparkSession, statement: str) -> None:
        """Run a statement, and remember it."""
        self.statements.append(statement)
        spark.sql(statement)


def create(spark: SparkSession, path: Path, draw: Draw) -> History:
    """Create a table with random properties and its first rows, and change it a few times."""
    history = History(
        path,
        mapping=draw(st.sampled_from(["none", "name", "name", "id"])),
        vectors=draw(st.sampled_from([True, True, False])),
        partitioned=draw(st.sampled_from([False, False, True])),
    )
    properties = {"enableDeletionVectors": str(history.vectors).lower()}
    if history.mapping != "none":
        properties["columnMapping.mode"] = history.mapping
    if draw(st.sampled_from([False, False, False, True])):
        properties["dataSkippingNumIndexedCols"] = "2"
    if draw(st.booleans()):
        properties["enableTypeWidening"] = "true"
    table = ", ".join(f"'delta.{key}' = '{value}'" for key, value in properties.items())
    rows = _rows(history, draw)
    partition = "PARTITIONED BY (p)" if history.partitioned else ""
    history.run(
        spark,
        f"CREATE TABLE {history.table} USING delta {partition} TBLPROPERTIES ({table}) AS {rows}",
    )
    for change in draw(st.lists(st.sampled_from(CHANGES), min_size=2, max_size=5)):
        change(spark, history, draw)
    return history


def _rows(history: History, draw: Draw) -> str:
    values = {
        "start": draw(st.sampled_from([0, 100, 1000, 5000])),
        "step": draw(st.sampled_from([1, 1, 3, 86400])),
        "modulus": draw(st.sampled_from([2, 50, 100000])),
        "prefix": draw(st.sampled_from(["a", "b", "long" * 12])),
        "year": draw(st.sampled_from([1850, 1971, 2024])),
    }
    count = draw(st.sampled_from([400, 60, 1]))
    files = draw(st.sampled_from([6, 3, 1]))
    columns = [
        f"{COLUMNS[first].format(**values)} AS `{now}`" for first, now in history.names.items()
    ]
    partition = ", CAST(id % 3 AS INT) AS p" if history.partitioned else ""
    is_sorted = draw(st.sampled_from([True, True, False]))
    hint = (
        f"/*+ REPARTITION_BY_RANGE({files}, id) */" if is_sorted else f"/*+ REPARTITION({files}) */"
    )
    return f"SELECT {hint} {', '.join(columns)}{partition} FROM range({count})"


def append(spark: SparkSession, history: History, draw: Draw) -> None:
    rows = _rows(history, draw)
    columns = ", ".join(f"`{name}`" for name in history.names.values()) + (
        ", p" if history.partitioned else ""
    )
    history.run(spark, f"INSERT INTO {history.table} ({columns}) {rows}")


def delete(spark: SparkSession, history: History, draw: Draw) -> None:
    some = f"`{history.names['id']}` % {draw(st.sampled_from([2, 10, 97]))} = 1"
    where = draw(st.sampled_from([some, some, predicate(history, draw)]))
    history.run(spark, f"DELETE FROM {history.table} WHERE {where}")


def update(spark: SparkSession, history: History, draw: Draw) -> None:
    changed = history.names.get("k")
    if changed:
        where = predicate(history, draw)
        history.run(spark, f"UPDATE {history.table} SET `{changed}` = 7 WHERE {where}")


def merge(spark: SparkSession, history: History, draw: Draw) -> None:
    key = history.names.get("id")
    if key:
        low = draw(st.sampled_from([0, 100, 1000]))
        history.run(
            spark,
            f"MERGE INTO {history.table} t USING (SELECT id + {low} AS one FROM range(20)) u "
            f"ON t.`{key}` = u.one WHEN MATCHED AND u.one % 2 = 0 THEN DELETE",
        )


def optimize(spark: SparkSession, history: History, _: Draw) -> None:
    history.run(spark, f"OPTIMIZE {history.table}")


def restore(spark: SparkSession, history: History, _: Draw) -> None:
    if not history.added:  # the names would be those of the version
        history.run(spark, f"RESTORE TABLE {history.table} TO VERSION AS OF 0")


def rename(spark: SparkSession, history: History, draw: Draw) -> None:
    """Swap the names of two columns, so that each has the name that the other has in files."""
    if history.mapping == "none":
        return
    one, other = draw(
        st.lists(st.sampled_from(sorted(history.names)), min_size=2, max_size=2, unique=True)
    )
    a, b = history.names[one], history.names[other]
    for old, new in ((a, "swap"), (b, a), ("swap", b)):
        history.run(spark, f"ALTER TABLE {history.table} RENAME COLUMN `{old}` TO `{new}`")
    history.names |= {one: b, other: a}
    history.added += 1


def drop_and_add(spark: SparkSession, history: History, _: Draw) -> None:
    """Drop a column, and add one of the same name and type."""
    if history.mapping == "none" or "c" not in history.names:
        return
    name = history.names["c"]
    history.run(spark, f"ALTER TABLE {history.table} DROP COLUMN `{name}`")
    history.run(spark, f"ALTER TABLE {history.table} ADD COLUMN `{name}` DECIMAL(20, 3)")
    history.added += 1


def widen(spark: SparkSession, history: History, _: Draw) -> None:
    properties = spark.sql(f"SHOW TBLPROPERTIES {history.table}").collect()
    if any(row.key == "delta.enableTypeWidening" and row.value == "true" for row in properties):
        name = history.names["k"]
        history.run(spark, f"ALTER TABLE {history.table} ALTER COLUMN `{name}` TYPE BIGINT")
        history.added += 1


CHANGES = [
    delete,
    append,
    append,
    delete,
    delete,
    delete,
    update,
    merge,
    optimize,
    restore,
    rename,
    drop_and_add,
    widen,
]


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
    version = " VERSION AS OF 0" if not history.added and draw(st.integers(0, 5)) == 0 else ""
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
