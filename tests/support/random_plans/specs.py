"""What a random table is: its place, its partition columns, its files, how they are written."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from support import tables
from support.random_plans import rows

# The partition columns and the values that they may have, as literals of SQL; NULL is the last.
PARTITIONS: dict[str, dict[str, list[str]]] = {
    "none": {},
    "int": {"p": ["1", "2", "0", "NULL"]},
    # Where a schema is given, Spark keeps the digits that the names of the directories have.
    "decimal": {"m": ["1.5", "2.25", "10.0", "NULL"]},
    "string": {"Q": ["'b'", "'a'", "'x y'", "NULL"]},
    "date": {"day": ["DATE'2024-01-02'", "DATE'2024-01-01'", "DATE'2023-12-31'", "NULL"]},
    "int, string": {"p": ["1", "2", "NULL"], "Q": ["'b'", "'a'", "NULL"]},
}
TYPES = {"p": "INT", "Q": "STRING", "day": "DATE", "m": "DECIMAL(5, 2)"}
Values = tuple[str, ...]


@dataclass(frozen=True)
class Spec:
    """A table. The same spec gives the same files.

    Attributes:
        place: How Spark reads it; a key of `places.PLACES`.
        partition: A key of `PARTITIONS`.
        seed: What its rows are drawn with.
        directories: How many partitions it has, if it has partition columns.
        files: Files in each directory.
        groups: Row groups in each file.
        count: Rows in each row group.
        options: Options of pyarrow's writer.
    """

    place: str
    partition: str
    seed: int
    directories: int
    files: int
    groups: int
    count: int
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def partition_columns(self) -> dict[str, list[str]]:
        """The partition columns, and the values that they may have."""
        return PARTITIONS[self.partition]

    @property
    def partition_values(self) -> list[Values]:
        """The values of each partition, as literals of SQL."""
        return _product(list(self.partition_columns.values()))[: self.directories]

    @property
    def rows(self) -> int:
        """How many rows the files have."""
        return len(self.partition_values) * self.files * self.groups * self.count

    def folder(self, values: Values) -> str:
        """Return the directory of a partition, as Spark names it; '.' where there is none."""
        pairs = zip(self.partition_columns, values, strict=True)
        return "/".join(f"{name}={_in_path(value)}" for name, value in pairs) or "."

    def write_to(self, folders: dict[Values, Path]) -> None:
        """Write the files of each partition to its folder."""
        chance = random.Random(self.seed)
        start = 0
        for values in self.partition_values:
            for number in range(self.files):
                write(folders[values] / f"part-{number}.parquet", chance, start, self)
                start += self.groups * self.count


def write(file: Path, chance: random.Random, start: int, spec: Spec) -> None:
    """Write a file of a table with the ids from `start` on."""
    groups = [rows.group(chance, start + n * spec.count, spec.count) for n in range(spec.groups)]
    tables.write(file, groups, rows.SCHEMA, **spec.options)


def _product(values: list[list[str]]) -> list[Values]:
    found: list[Values] = [()]
    for choices in values:
        found = [(*before, value) for before in found for value in choices]
    # The last comes second, so that few partitions have NULL among them.
    return [found[0], *found[:0:-1]]


def _in_path(literal: str) -> str:
    if literal == "NULL":
        return "__HIVE_DEFAULT_PARTITION__"
    return literal.removeprefix("DATE").strip("'")


_OPTIONS: dict[str, list[Any]] = {
    "use_dictionary": [True, False],
    "compression": ["none", "snappy"],
    "write_page_index": [True, False],
    "max_rows_per_page": [5, 20_000],
    "write_batch_size": [5],
}


def specs(place: str, partitions: Sequence[str]) -> st.SearchStrategy[Spec]:
    """Draw a table at this place, partitioned in one of these ways."""
    return st.builds(
        Spec,
        place=st.just(place),
        partition=st.sampled_from(partitions),
        seed=st.integers(0, 1_000_000),
        directories=st.sampled_from([3, 4, 2]),
        files=st.sampled_from([1, 2, 3]),
        groups=st.sampled_from([3, 2, 4]),
        count=st.sampled_from([20, 10, 15]),
        options=st.fixed_dictionaries({k: st.sampled_from(v) for k, v in _OPTIONS.items()}),
    )


def value(literal: str) -> int | str | date | Decimal | None:
    """Return what a literal of SQL is in Python."""
    if literal == "NULL":
        return None
    if literal.startswith("DATE"):
        return date.fromisoformat(_in_path(literal))
    if literal.startswith("'"):
        return literal.strip("'")
    return Decimal(literal) if "." in literal else int(literal)
