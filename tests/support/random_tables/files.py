"""The files of a random table, as pyarrow is to write them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from support.random_tables import writers
from support.random_tables.columns import Column, folder
from support.random_tables.writers import Options


@dataclass(frozen=True)
class File:
    """One file as pyarrow writes it: its path in the table, its row groups, how it is written."""

    path: str
    schema: pa.Schema
    groups: list[dict[str, list[Any]]]
    options: Options

    def moved(self, copy: int, by: int) -> File:
        """Return a copy of the file that has other ids."""
        path = self.path.replace("part-", f"part-{copy}-")
        groups = [group | {"id": [id_ + by for id_ in group["id"]]} for group in self.groups]
        return replace(self, path=path, groups=groups)


def files(
    draw: st.DrawFn,
    counts: list[list[int]],
    columns: list[Column],
    partition: Column | None,
    options: Options,
) -> Iterator[File]:
    """Give the files; those before the last may lack a column, as older ones do."""
    optional = sorted({column.path[0] for column in columns} - {"id"})
    first = 0
    for number, file in enumerate(counts):
        lacks = number < len(counts) - 1 and draw(st.integers(0, 3)) == 3
        missing = draw(st.sampled_from(optional)) if lacks else None
        there = [column for column in columns if column.path[0] != missing]
        if partition and draw(st.integers(0, 2)) == 2:
            there.append(_contradicting(draw, partition))
        groups = [_group(there, first + index) for index in range(len(file))]
        path = f"part-{number}.parquet"
        if partition:
            value = next(
                (v for group in partition.groups[first:][: len(file)] for v in group), None
            )
            path = f"{folder('p', value)}/{path}"
        yield File(path, _schema(there), groups, writers.fitting(options, there))
        first += len(file)


def _contradicting(draw: st.DrawFn, partition: Column) -> Column:
    """Draw a column of the partition column's name in the file, which readers have to ignore."""
    value, nulls = draw(partition.kind.values), draw(st.sampled_from([0, 1, 3]))
    groups = [[None if row < nulls else value for row in range(len(g))] for g in partition.groups]
    return Column(partition.path, partition.kind, groups)


def _schema(columns: list[Column]) -> pa.Schema:
    fields: dict[str, Any] = {}
    for column in columns:
        inner = [*fields.get(column.path[0], []), pa.field(column.path[-1], column.kind.arrow)]
        fields[column.path[0]] = inner if len(column.path) > 1 else column.kind.arrow
    for name, kind in fields.items():
        fields[name] = pa.struct(kind) if isinstance(kind, list) else kind
    return pa.schema(list(fields.items()))


def _group(columns: list[Column], number: int) -> dict[str, list[Any]]:
    group: dict[str, list[Any]] = {}
    for column in columns:
        name, values = column.path[0], column.groups[number]
        if len(column.path) == 1:
            group[name] = values
        else:
            structs = group.setdefault(name, [{} for _ in values])
            group[name] = [
                struct | {column.path[1]: v} for struct, v in zip(structs, values, strict=True)
            ]
    if "s" in group:  # a struct of nothing but nulls is null in every other row
        group["s"] = [
            None if row % 2 and all(v is None for v in struct.values()) else struct
            for row, struct in enumerate(group["s"])
        ]
    return group
