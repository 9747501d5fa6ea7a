"""Random Iceberg tables that PyIceberg writes, and that PyIceberg and Spark change in turns."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st
from pyiceberg import transforms, types
from pyiceberg.catalog.memory import InMemoryCatalog
from pyiceberg.table import Table
from pyspark.sql import SparkSession

from support import random_histories
from support.iceberg import random_tables, tables
from support.iceberg.random_tables import History
from support.random_histories import Draw
from support.sparks import to_arrow

SCHEMA = pa.schema(
    {
        "id": pa.int64(),
        "k": pa.int32(),
        "s": pa.string(),
        "d": pa.date32(),
        "ts": pa.timestamp("us", "UTC"),
        "tn": pa.timestamp("us"),
        "f": pa.float64(),
        "g": pa.float32(),
        "c": pa.decimal128(12, 3),
        "t": pa.int32(),
        "n": pa.struct({"x": pa.int64(), "y": pa.string()}),
        "p": pa.int32(),
    }
)
PARTITIONS: list[list[tuple[str, transforms.Transform[Any, Any]]]] = [
    *([], [], []),
    [("p", transforms.IdentityTransform())],
    [("p", transforms.IdentityTransform()), ("s", transforms.TruncateTransform(2))],
    [("id", transforms.TruncateTransform(200))],
    [("k", transforms.TruncateTransform(30000))],
    [("k", transforms.BucketTransform(4))],
    [("s", transforms.BucketTransform(3))],
    [("d", transforms.YearTransform())],
    [("tn", transforms.MonthTransform())],
    [("ts", transforms.DayTransform())],
    [("ts", transforms.HourTransform())],
]


class Shared:
    """A table in the folder of Spark's Hadoop catalog, which has no lock: the writers take turns.

    PyIceberg has no Hadoop catalog. It gets the newest metadata, and what it commits becomes the
    next version.
    """

    def __init__(self, spark: SparkSession, name: str) -> None:
        """Take the name of a table in the catalog ``ice``."""
        self._spark, self._name = spark, name
        warehouse = str(spark.conf.get("spark.sql.catalog.ice.warehouse"))
        self.folder = Path(warehouse, *name.split(".")[1:])
        self._hint = self.folder / "metadata" / "version-hint.text"

    def create(self, properties: dict[str, str]) -> None:
        """Create it with the columns of `SCHEMA`."""
        created = self._catalog().create_table(
            "db.t", SCHEMA, location=str(self.folder), properties=properties
        )
        self._publish(created, 1)

    def change(self, by: Callable[[Table], None]) -> None:
        """Change it with PyIceberg."""
        version = int(self._hint.read_text())
        metadata = self.folder / "metadata" / f"v{version}.metadata.json"
        table = self._catalog().register_table("db.t", str(metadata))
        by(table)
        if table.refresh().metadata_location != str(metadata):
            self._publish(table, version + 1)
            self._spark.sql(f"REFRESH TABLE {self._name}")

    def _catalog(self) -> InMemoryCatalog:
        catalog = InMemoryCatalog("writer", warehouse=str(self.folder.parent.parent))
        catalog.create_namespace("db")
        return catalog

    def _publish(self, table: Table, version: int) -> None:
        shutil.copy(table.metadata_location, self._hint.with_name(f"v{version}.metadata.json"))
        self._hint.write_text(str(version))


def create(spark: SparkSession, draw: Draw) -> History:
    """Create a table with its first rows, and change it a few times."""
    history = History(table=tables.new_name())
    properties = {
        "format-version": draw(st.sampled_from(["2", "2", "1"])),
        "write.target-file-size-bytes": draw(st.sampled_from(["4000", "20000", "500000000"])),
        "write.parquet.row-group-limit": draw(st.sampled_from(["100000", "50"])),
        "write.metadata.metrics.default": draw(st.sampled_from(random_tables.MODES)),
    }
    partitions = draw(st.sampled_from(PARTITIONS))
    shared = Shared(spark, history.table)
    shared.create(properties)
    shared.change(lambda table: _partition(table, partitions))
    history.statements.append(f"-- created by PyIceberg: {properties}, {partitions}")
    append(spark, history, draw)
    changes = [*CHANGES, *([] if partitions else [import_file] * 3)]
    for change in draw(st.lists(st.sampled_from(changes), min_size=2, max_size=5)):
        change(spark, history, draw)
    return history


def _partition(table: Table, by: list[tuple[str, transforms.Transform[Any, Any]]]) -> None:
    with table.update_spec() as update:
        for column, transform in by:
            update.add_field(column, transform, f"{column}_part")


def append(spark: SparkSession, history: History, draw: Draw) -> None:
    """Append rows, in the files that the table's properties ask for."""
    sql = random_histories.rows(history, draw)
    history.statements.append(f"-- append by PyIceberg: {sql}")
    rows = to_arrow(spark.sql(sql))
    Shared(spark, history.table).change(lambda table: table.append(_typed(table, rows)))


def import_file(spark: SparkSession, history: History, draw: Draw) -> None:
    """Add a file that another writer has written, without field ids."""
    sql = random_histories.rows(history, draw)
    shared = Shared(spark, history.table)
    path = shared.folder / f"imported-{len(history.statements)}.parquet"
    history.statements.append(f"-- {path.name}, imported by PyIceberg: {sql}")
    rows = to_arrow(spark.sql(sql))

    def write_and_add(table: Table) -> None:
        pq.write_table(_typed(table, rows).replace_schema_metadata(), path, row_group_size=100)
        table.add_files([str(path)])

    shared.change(write_and_add)


def _typed(table: Table, rows: pa.Table) -> pa.Table:
    """Return rows with the types that the columns have now; all columns are optional."""
    fields = [field.remove_metadata() for field in table.schema().as_arrow()]
    plain = [pa.field(each.name, _without_ids(each.type)) for each in fields]
    return rows.select([each.name for each in plain]).cast(pa.schema(plain))


def _without_ids(kind: pa.DataType) -> pa.DataType:
    if not pa.types.is_struct(kind):
        return kind
    return pa.struct([pa.field(each.name, each.type) for each in kind])


def delete(spark: SparkSession, history: History, draw: Draw) -> None:
    """Delete a range of rows, which writes files again."""
    low, count = draw(st.sampled_from([0, 90, 1000, 5100])), draw(st.sampled_from([3, 40, 900]))
    name = history.names["id"]
    where = f"{name} >= {low} and {name} < {low + count}"
    history.statements.append(f"-- delete by PyIceberg: {where}")

    def change(table: Table) -> None:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Delete operation did not match any records")
            table.delete(where)

    Shared(spark, history.table).change(change)


def rename(spark: SparkSession, history: History, draw: Draw) -> None:
    """Swap the names of two columns in one commit."""
    free = sorted(set(history.names) - {"id"})
    one, other = draw(st.lists(st.sampled_from(free), min_size=2, max_size=2, unique=True))
    a, b = history.names[one], history.names[other]

    def swap(table: Table) -> None:
        for old, new in ((a, "swap"), (b, a), ("swap", b)):
            with table.update_schema() as update:
                update.rename_column(old, new)

    history.statements.append(f"-- renamed by PyIceberg: {a}, {b}")
    Shared(spark, history.table).change(swap)
    history.names |= {one: b, other: a}


def widen(spark: SparkSession, history: History, draw: Draw) -> None:
    """Widen the type of a column."""
    first, wider = draw(st.sampled_from([("k", types.LongType()), ("g", types.DoubleType())]))
    name = history.names[first]
    history.statements.append(f"-- widened by PyIceberg: {name}")

    def change(table: Table) -> None:
        with table.update_schema() as update:
            update.update_column(name, wider)

    Shared(spark, history.table).change(change)
    history.is_widened = True


CHANGES = [
    *[append] * 3,
    *[delete] * 2,
    rename,
    widen,
    random_histories.append,
    random_tables.delete,
    random_tables.update,
    random_tables.drop_and_add,
]
