"""Random columns: what stands in each row group, clustered more often than not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from support.random_tables.kinds import KINDS, Kind, order

# The values of keys of groups: few, so that row groups share some of them; zeros are equal.
_KEYS: dict[str, list[Any]] = {
    "BIGINT": [1, 2, 3, 4],
    "DOUBLE": [-0.0, 0.0, 1.0, 2.0],
    "STRING": ["a", "b", "c", "d"],
}
KEY_KINDS = [next(kind for kind in KINDS if kind.spark == name) for name in _KEYS]
PARTITION_KINDS = [kind for kind in KINDS if kind.spark in {"INT", "STRING", "DATE"}]


@dataclass(frozen=True)
class Column:
    """A column, or a field of a struct, and its values in each row group of the table."""

    path: tuple[str, ...]
    kind: Kind
    groups: list[list[Any]]

    @property
    def sql(self) -> str:
        """The column's name as it stands in a query."""
        return ".".join(f"`{name}`" for name in self.path)

    @property
    def bounds(self) -> list[Any]:
        """The least and the greatest value of each row group, and the rest after them.

        Of floats, the greatest but NaN as well: what writers call the greatest.
        """
        values = [self.values(number) for number in range(len(self.groups))]
        ends = [end for group in values if group for end in (group[0], group[-1])]
        ends += [group[-2] for group in values if len(group) > 1 and group[-1] != group[-1]]
        return ends + [value for group in values for value in group[1:-1]]

    def values(self, number: int) -> list[Any]:
        """Return what stands in a row group, sorted and without nulls."""
        return sorted((v for v in self.groups[number] if v is not None), key=order)


@st.composite
def columns(
    draw: st.DrawFn, path: tuple[str, ...], kind: Kind, counts: list[int], pool: list[Any]
) -> Column:
    """Draw a column of `counts` rows in each row group, with values out of the pool."""
    shape = draw(st.sampled_from(["sorted", "sorted", "constant", "mixed"]))
    some_nulls = draw(st.integers(0, 2)) == 2
    groups = []
    for number, count in enumerate(counts):
        if shape == "sorted":
            start = number * len(pool) // len(counts)
            end = max(start + 1, (number + 1) * len(pool) // len(counts))
        else:
            start = draw(st.integers(0, len(pool) - 1))
            end = start + 1 if shape == "constant" else draw(st.integers(start + 1, len(pool)))
        nulls = draw(st.sampled_from(["none", "none", "none", "some", "all"])) if some_nulls else ""
        first = draw(st.integers(0, 2))
        window = pool[start:end]
        groups.append([_value(window, first + row, nulls) for row in range(count)])
    return Column(path, kind, groups)


def _value(window: list[Any], number: int, nulls: str) -> Any:
    if nulls == "all" or (nulls == "some" and number % 3 == 0):
        return None
    return window[number % len(window)]


@st.composite
def pools(draw: st.DrawFn, kind: Kind) -> list[Any]:
    """Draw the values that columns of this type choose from, sorted."""
    return sorted(draw(st.lists(kind.values, min_size=1, max_size=8)), key=order)


@st.composite
def keys(draw: st.DrawFn, name: str, counts: list[int]) -> Column:
    """Draw a column with one or two values in each row group, and often with nulls before them."""
    kind = draw(st.sampled_from(KEY_KINDS))
    pool = _KEYS[kind.spark]
    groups = []
    for count in counts:
        start = draw(st.integers(0, len(pool) - 1))
        window = pool[start : start + draw(st.sampled_from([1, 1, 1, 2]))]
        nulls = draw(st.sampled_from([0, 0, 1, 2]))
        groups.append([_value(window, row, "all" if row < nulls else "") for row in range(count)])
    return Column((name,), kind, groups)


@st.composite
def repeated(draw: st.DrawFn, partition: Column, counts: list[list[int]]) -> Column:
    """Draw a partition column in which some files have the value of the file before."""
    groups: list[list[Any]] = []
    before, first = None, 0
    for number, file in enumerate(counts):
        now = partition.groups[first : first + len(file)]
        value = next((v for group in now for v in group), None)
        before = before if number and draw(st.booleans()) else value
        groups += [[before] * count for count in file]
        first += len(file)
    return Column(partition.path, partition.kind, groups)


@st.composite
def partitions(draw: st.DrawFn, name: str, counts: list[list[int]]) -> Column:
    """Draw a partition column: one value for all row groups of a file."""
    kind = draw(st.sampled_from(PARTITION_KINDS))
    groups = []
    for file in counts:
        value = draw(st.one_of(kind.values.filter(_partition_safe), st.none()))
        groups += [[value] * count for count in file]
    return Column((name,), kind, groups)


def _partition_safe(value: Any) -> bool:
    """Tell whether a partition keeps the value: no long names of folders, '' is read as null."""
    return not isinstance(value, str) or (0 < len(value) < 40 and value.strip() == value)


def folder(name: str, value: Any) -> str:
    """Return the name of the folder of a partition."""
    if value is None:
        return f"{name}=__HIVE_DEFAULT_PARTITION__"
    # As Spark does: ASCII alone is escaped, character by character.
    safe = (c if c.isalnum() or c in "-. " else f"%{ord(c):02X}" for c in str(value))
    return f"{name}={''.join(safe)}"
