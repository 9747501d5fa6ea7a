"""Random Delta tables of small row groups, of which some have only deleted rows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import deltalake
import pyarrow as pa
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from support.random_histories import Draw

# Rows of a row group, row groups of a file, and of the table.
ROWS, IN_FILE, ALL = 10, 3, 9
DELETED: list[Collection[int]] = [(), range(1, ROWS, 3), range(ROWS), range(ROWS)]
"""Positions of deleted rows in a row group."""


@dataclass(frozen=True)
class Table:
    """A table with the columns ``id`` and ``v``.

    Attributes:
        name: What SQL names the table.
        groups: For each row group, its one value of ``v``, and the positions of deleted rows.
    """

    name: str
    groups: list[tuple[int, Collection[int]]]

    @property
    def left(self) -> set[int]:
        """The values of row groups in which rows are left."""
        return {value for value, deleted in self.groups if len(deleted) < ROWS}


def create(spark: SparkSession, path: Path, draw: Draw) -> Table:
    """Write files with delta-rs, and delete rows with Delta Lake, by deletion vectors."""
    different = draw(st.sampled_from([ALL, ALL, 5]))
    values = [value % different for value in draw(st.permutations(range(ALL)))]
    table = Table(f"delta.`{path}`", [(value, draw(st.sampled_from(DELETED))) for value in values])
    for first in range(0, ALL * ROWS, IN_FILE * ROWS):
        ids = range(first, first + IN_FILE * ROWS)
        deltalake.write_deltalake(
            str(path),
            pa.table({"id": ids, "v": [values[i // ROWS] for i in ids]}),
            mode="append",
            writer_properties=deltalake.WriterProperties(max_row_group_size=ROWS),
        )
    vectors = "'delta.enableDeletionVectors' = 'true'"
    spark.sql(f"ALTER TABLE {table.name} SET TBLPROPERTIES ({vectors})")
    deleted = [i for i in range(ALL * ROWS) if i % ROWS in table.groups[i // ROWS][1]]
    spark.sql(f"DELETE FROM {table.name} WHERE id IN (-1, {', '.join(map(str, deleted)) or -2})")
    return table
