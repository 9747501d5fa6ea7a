"""Random Delta tables of small row groups, of which some have only deleted rows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from pathlib import Path

import deltalake
import pyarrow as pa
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from support.random_histories import Draw

ROWS = 10
"""Of a row group."""
NONE, SOME, ALL = (), range(1, ROWS, 3), range(ROWS)
"""Positions of deleted rows in a row group."""


@dataclass(frozen=True)
class Table:
    """A table with the columns ``id`` and ``v``.

    Attributes:
        name: What SQL names the table.
        files: For each row group of each file, its one value of ``v``, and which rows are deleted.
    """

    name: str
    files: list[list[tuple[int, range | tuple[()]]]]

    @property
    def left(self) -> list[int]:
        """The values of row groups in which rows are left."""
        return [value for groups in self.files for value, deleted in groups if deleted != ALL]


def create(spark: SparkSession, path: Path, draw: Draw) -> Table:
    """Write files with delta-rs, and delete rows with Delta Lake, by deletion vectors."""
    group = st.tuples(st.integers(0, 7), st.sampled_from([NONE, SOME, ALL, ALL]))
    files = draw(st.lists(st.lists(group, min_size=1, max_size=3), min_size=2, max_size=4))
    table = Table(f"delta.`{path}`", files)
    deleted: list[int] = []
    firsts = count(0, ROWS)
    for groups in files:
        ids: list[int] = []
        for _, positions in groups:
            first = next(firsts)
            ids += range(first, first + ROWS)
            deleted += [first + position for position in positions]
        values = [value for value, _ in groups for _ in range(ROWS)]
        deltalake.write_deltalake(
            str(path),
            pa.table({"id": ids, "v": values}),
            mode="append",
            writer_properties=deltalake.WriterProperties(max_row_group_size=ROWS),
        )
    spark.sql(
        f"ALTER TABLE {table.name} SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
    )
    if deleted:
        spark.sql(f"DELETE FROM {table.name} WHERE id IN ({', '.join(map(str, deleted))})")
    return table
