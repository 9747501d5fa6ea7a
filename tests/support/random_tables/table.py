"""Random tables: columns of random types over some files, each of some row groups."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from support import tables
from support.random_tables import columns as random_columns
from support.random_tables import writers
from support.random_tables.columns import Column
from support.random_tables.files import File, files
from support.random_tables.kinds import KINDS, Kind
from support.random_tables.writers import SparkWriter

ID = Kind("BIGINT", "integer", pa.int64(), st.integers(0, 40), lambda value: [value - 1, value + 1])

STRINGS = [kind for kind in KINDS if kind.spark == "STRING"] * 2  # as common as they are in tables


@dataclass(frozen=True)
class RandomTable:
    """A table. Its first column, ``id``, is unique; `spark` tells how Spark rewrites the files."""

    columns: list[Column]
    partition: Column | None
    files: list[File]
    spark: SparkWriter | None

    @property
    def all_columns(self) -> list[Column]:
        """The partition column too."""
        return [*self.columns, *([self.partition] if self.partition else [])]

    @property
    def names(self) -> list[str]:
        """The top-level columns."""
        return list(dict.fromkeys(column.path[0] for column in self.all_columns))

    @property
    def ddl(self) -> str:
        """The schema that the table is read with."""
        return ", ".join(f"`{name}` {self._type(name)}" for name in self.names)

    def _type(self, name: str) -> str:
        fields = [column for column in self.all_columns if column.path[0] == name]
        if len(fields[0].path) == 1:
            return fields[0].kind.spark
        inner = ", ".join(f"`{field.path[1]}`: {field.kind.spark}" for field in fields)
        return f"STRUCT<{inner}>"

    def with_row_groups(self, least: int) -> RandomTable:
        """Return the table with so many copies of its files that it has this many row groups.

        Ids differ, and all other values come again in other row groups.
        """
        groups = [len(group["id"]) for file in self.files for group in file.groups]
        copies = range(-(-least // len(groups)))
        files = [file.moved(copy, copy * sum(groups)) for copy in copies for file in self.files]
        ids = _ids([groups * len(copies)])
        others = [replace(c, groups=c.groups * len(copies)) for c in self.columns[1:]]
        partition = self.partition
        if partition:
            partition = replace(partition, groups=partition.groups * len(copies))
        return replace(self, columns=[ids, *others], partition=partition, files=files)

    def write(self, folder: Path) -> None:
        """Write the files with pyarrow."""
        for file in self.files:
            tables.write(folder / file.path, file.groups, file.schema, **file.options)

    def register(self, spark: SparkSession, folder: Path) -> None:
        """Write the files below a folder, by Spark if it is the writer, and register view `t`."""
        path = folder / "written"
        self.write(path)
        if self.spark:
            source, path = path, folder / "rewritten"
            partition = "p" if self.partition else None
            self.spark.rewrite(spark, source, path, self.ddl, partition)
        spark.read.schema(self.ddl).parquet(str(path)).createOrReplaceTempView("t")


@st.composite
def random_tables(
    draw: st.DrawFn, most_files: int = 3, one_partitioned_in: int = 4, has_keys: bool = False
) -> RandomTable:
    """Draw a table of one to three files, or more; one in four is partitioned, or more.

    With `has_keys`, it has a column ``k`` of keys of groups, and three files or more. Some files
    share partition values, and more tables have no statistics.
    """
    rows = st.sampled_from([3, 4, 5, 6, 7, 8, 2, 1, 3, 4, 5, 6, 7, 8, 2, 0])
    least = 3 if has_keys else 1
    file = st.lists(rows, min_size=1, max_size=4)
    counts = draw(st.lists(file, min_size=least, max_size=most_files))
    columns = [_ids(counts), *draw(_data(_flat(counts)))]
    partition = None
    if _one_in(draw, one_partitioned_in):
        partition = draw(random_columns.partitions("p", counts))
    options = draw(writers.options())
    if has_keys:
        columns.append(draw(random_columns.keys("k", _flat(counts))))
        partition = partition and draw(random_columns.repeated(partition, counts))
        options["write_statistics"] = draw(st.sampled_from([True, True, False]))
    written = list(files(draw, counts, columns, partition, options))
    spark = draw(writers.spark_writers()) if _one_in(draw, 4) else None
    return RandomTable(columns, partition, written, spark)


def _one_in(draw: st.DrawFn, number: int) -> bool:
    return draw(st.integers(1, number)) == number


def _flat(counts: list[list[int]]) -> list[int]:
    return [count for file in counts for count in file]


def _ids(counts: list[list[int]]) -> Column:
    start, groups = 0, []
    for count in _flat(counts):
        groups.append(list(range(start, start + count)))
        start += count
    return Column(("id",), ID, groups)


@st.composite
def _data(draw: st.DrawFn, counts: list[int]) -> list[Column]:
    """Draw the columns with data: two of one type, so that they can be compared, and others."""
    kinds = draw(st.lists(st.sampled_from([*KINDS, *STRINGS]), min_size=1, max_size=3))
    names = [("c0",), ("c1",), ("s", "a"), ("s", "b b"), ("x.y",)]
    columns = []
    for kind, repeated in zip(kinds, [2, 1, 1], strict=False):
        pool = draw(random_columns.pools(kind))
        columns += [
            draw(random_columns.columns(names.pop(0), kind, counts, pool)) for _ in range(repeated)
        ]
    return columns
