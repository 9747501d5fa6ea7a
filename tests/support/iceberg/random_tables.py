"""Random Iceberg tables: a history of writes, by statements of SQL."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st
from pyspark.sql import SparkSession

from support import random_histories
from support.iceberg import tables
from support.iceberg.session import java_table
from support.random_histories import Draw, predicate, rows

# The value of some transforms could be taken for a value of the column.
PARTITIONS = [
    *["", "", "", "", "p", "p, truncate(2, s)"],
    *["days(ts)", "months(tn)", "years(d)"],
    *["bucket(3, id)", "bucket(4, k)", "truncate(200, id)", "truncate(30000, k)"],
]
# Files of one row group, and of many. Row groups are read on their own.
ROW_GROUPS = [0, 0, 10, 25]
MODES = ["truncate(16)", "truncate(16)", "full", "truncate(2)", "counts", "none"]


@dataclass(kw_only=True)
class History(random_histories.History):
    """What happened to a table.

    Attributes:
        is_widened: Whether a column has a wider type than in some files.
        has_defaults: Whether a column that is added may have a default.
    """

    is_widened: bool = False
    has_defaults: bool = False


def create(spark: SparkSession, draw: Draw) -> History:
    """Create a table with random properties and its first rows, and change it a few times."""
    history = History(table=tables.new_name())
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
    if rows_of_group := draw(st.sampled_from(ROW_GROUPS)):
        properties |= {
            "write.parquet.row-group-size-bytes": "1",
            "write.parquet.row-group-check-min-record-count": str(rows_of_group),
            "write.parquet.row-group-check-max-record-count": str(rows_of_group),
        }
    by = draw(st.sampled_from(PARTITIONS))
    history.has_defaults = properties["format-version"] == "3"
    # Iceberg takes some strings for one partition that Spark does not sort together.
    history.has_bytes = "s" not in by and draw(st.booleans())
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
    history.run(
        spark,
        f"CREATE TABLE {history.table} USING iceberg {f'PARTITIONED BY ({by})' if by else ''} "
        f"TBLPROPERTIES ({listed}) AS {rows(history, draw)}",
    )
    for change in draw(st.lists(st.sampled_from(CHANGES), min_size=2, max_size=5)):
        change(spark, history, draw)
    return history


@dataclass(frozen=True)
class Query:
    """A query without its LIMIT, and the share of its rows that LIMIT and OFFSET take."""

    without_limit: str
    share: float
    has_offset: bool = False

    def limit(self, rows: int) -> int:
        """The LIMIT. A file that is counted on in error is found if all matching rows are due."""
        return self._last(rows) - self._offset(rows)

    def sql(self, rows: int) -> str:
        """The query."""
        offset = f" OFFSET {self._offset(rows)}" if self.has_offset else ""
        return f"{self.without_limit} LIMIT {self.limit(rows)}{offset}"

    def _last(self, rows: int) -> int:
        return max(1, int(self.share * rows))

    def _offset(self, rows: int) -> int:
        return self._last(rows) * 3 // 4 if self.has_offset else 0


def query(history: History, draw: Draw) -> Query:
    """A query over the newest snapshot."""
    where = f" WHERE {predicate(history, draw)}" if draw(st.integers(0, 5)) else ""
    some = draw(st.lists(st.sampled_from(sorted(history.names)), max_size=3, unique=True))
    columns = ", ".join([f"`{history.names[name]}`" for name in some] or history.columns)
    share = draw(st.sampled_from([0.0, 0.1, 0.5, 0.8, 0.9, 0.95, 1.0, 1.0]))
    # It follows other choices, so that the default seeds draw what they drew before.
    has_offset = share >= 0.9 and len(some) % 2 == 1
    return Query(f"SELECT {columns} FROM {history.table}{where}", share, has_offset)


def probes(history: History) -> list[Query]:
    """Queries for all rows that are neither null nor NaN nor deleted, in any table.

    Two are for some rows of a file whose partition value would match, the last one is for rows
    after an OFFSET.
    """
    conditions = [("k", ">= 0"), ("s", ">= 'a'"), ("f", "< 500000D"), ("g", "< 500000D")]
    conditions += [("k", "< 7"), ("d", "< DATE'2000-01-10'")]
    wheres = [f" WHERE `{history.names[name]}` {rest}" for name, rest in conditions]
    columns = f"SELECT `{history.names['id']}`, `{history.names['d']}` FROM {history.table}"
    found = [Query(columns + where, 1.0) for where in ["", *wheres]]
    return [*found, Query(columns, 1.0, has_offset=True)]


def _of_write(history: History, draw: Draw) -> str:
    """A predicate of a write, in which Iceberg takes no NaN."""
    where = predicate(history, draw)
    return f"`{history.names['id']}` % 7 = 3" if "NaN" in where else where


def delete(spark: SparkSession, history: History, draw: Draw) -> None:
    random_histories.delete(spark, history, draw, _of_write(history, draw))


def update(spark: SparkSession, history: History, draw: Draw) -> None:
    random_histories.update(spark, history, _of_write(history, draw))


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
    random_histories.swap_names(spark, history, draw, frozenset({"id"}))


def drop_and_add(spark: SparkSession, history: History, draw: Draw) -> None:
    """Drop a column, and add one of the same name and type, perhaps with a default."""
    if not history.has_defaults or draw(st.booleans()):
        random_histories.drop_and_add(spark, history)
        return
    name = history.names["c"]
    history.run(spark, f"ALTER TABLE {history.table} DROP COLUMN `{name}`")
    tables.add_with_default(spark, history.table, name, draw(st.sampled_from(["7.000", "-1.000"])))
    history.statements.append(f"-- added with a default: {name}")


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
    random_histories.append(spark, history, draw)


def change_partitions(spark: SparkSession, history: History, draw: Draw) -> None:
    by = draw(st.sampled_from(["bucket(2, id)", "truncate(300, id)", "years(d)"]))
    if java_table(spark, history.table).spec().isUnpartitioned() and history.names["d"] == "d":
        history.run(spark, f"ALTER TABLE {history.table} ADD PARTITION FIELD {by}")


CHANGES = [
    *[random_histories.append] * 3,
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
