"""Edits the footer of a Parquet file, to make files as other writers leave them.

Field numbers are those of parquet.thrift.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from support.files import compact_thrift
from support.files.compact_thrift import BINARY, FALSE, I64, STRUCT, TRUE, Struct

_MAX_OLD, _MIN_OLD, NULL_COUNT, _DISTINCT, _MAX, _MIN, _MAX_EXACT, _MIN_EXACT = range(1, 9)
_BLOOM_FILTER_OFFSET = 14


def edit_footer(file: Path, edit: Callable[[Struct], None]) -> None:
    """Decode the file's footer, let `edit` change it in place, and write it back."""
    data = file.read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    footer = compact_thrift.Decoder(data[-8 - length : -8]).struct()
    edit(footer)
    encoded = compact_thrift.encode(footer)
    file.write_bytes(data[: -8 - length] + encoded + len(encoded).to_bytes(4, "little") + data[-4:])


def edit_statistics(
    file: Path, column: str, edit: Callable[[Struct], None], row_group: int | None = None
) -> None:
    """Let `edit` change the column's Statistics, of every row group or of one."""

    def visit(footer: Struct) -> None:
        for number, group in enumerate(footer[4][1][1]):
            if row_group not in (None, number):
                continue
            for chunk in group[1][1][1]:
                meta = chunk[3][1]
                if meta[3][1][1] == [column.encode()]:
                    edit(meta.setdefault(12, (STRUCT, {}))[1])

    edit_footer(file, visit)


def drop_null_count(file: Path, column: str) -> None:
    """Leave out null_count, as some writers do."""

    def edit(stats: Struct) -> None:
        stats.pop(NULL_COUNT, None)

    edit_statistics(file, column, edit)


def drop_bounds(file: Path, column: str) -> None:
    """Leave out min and max, keeping null_count."""

    def edit(stats: Struct) -> None:
        for field in (_MAX_OLD, _MIN_OLD, _MAX, _MIN, _MAX_EXACT, _MIN_EXACT):
            stats.pop(field, None)

    edit_statistics(file, column, edit)


def drop_statistics(file: Path, column: str, row_group: int | None = None) -> None:
    """Leave out everything that Statistics says."""
    edit_statistics(file, column, lambda stats: stats.clear(), row_group)


def set_bounds(file: Path, column: str, low: bytes, high: bytes, exact: bool | None = None) -> None:
    """Replace min and max by these plain-encoded values, and say whether they are exact."""

    def edit(stats: Struct) -> None:
        for field in (_MAX_OLD, _MIN_OLD, _MAX_EXACT, _MIN_EXACT):
            stats.pop(field, None)
        stats[_MIN], stats[_MAX] = (BINARY, low), (BINARY, high)
        if exact is not None:
            kind = TRUE if exact else FALSE
            stats[_MAX_EXACT] = stats[_MIN_EXACT] = (kind, exact)

    edit_statistics(file, column, edit)


def set_old_bounds(file: Path, column: str, low: bytes, high: bytes) -> None:
    """Leave only the deprecated min and max, which are ordered as signed bytes."""
    drop_bounds(file, column)

    def edit(stats: Struct) -> None:
        stats[_MIN_OLD], stats[_MAX_OLD] = (BINARY, low), (BINARY, high)

    edit_statistics(file, column, edit)


def set_null_count(file: Path, column: str, count: int) -> None:
    """Claim another null count."""
    edit_statistics(file, column, lambda stats: stats.update({NULL_COUNT: (I64, count)}))


def set_writer(file: Path, created_by: str) -> None:
    """Claim another writer."""
    edit_footer(file, lambda footer: footer.update({6: (BINARY, created_by.encode())}))


def set_column_order(file: Path, order: int, leaf: int | None = None) -> None:
    """Claim this member of the ColumnOrder union, for all columns or for one.

    1 is the order of the type, 2 the IEEE 754 total order, 3 the order of INT96 timestamps.
    """

    def edit(footer: Struct) -> None:
        kind, orders = footer[7][1]
        claimed = [
            {order: (STRUCT, {})} if leaf in (None, number) else before
            for number, before in enumerate(orders)
        ]
        footer[7] = (footer[7][0], (kind, claimed))

    edit_footer(file, edit)


def set_row_counts(file: Path, rows_in_each_group: int) -> None:
    """Claim another number of rows: every row group, every column chunk, and the file."""

    def edit(footer: Struct) -> None:
        groups = footer[4][1][1]
        for group in groups:
            group[3] = (I64, rows_in_each_group)
            for chunk in group[1][1][1]:
                chunk[3][1][5] = (I64, rows_in_each_group)
        footer[3] = (I64, rows_in_each_group * len(groups))

    edit_footer(file, edit)


def clear_bloom_filters(file: Path) -> None:
    """Clear every bit of every bloom filter, so that it denies all values."""
    data = bytearray(file.read_bytes())
    length = int.from_bytes(data[-8:-4], "little")
    footer = compact_thrift.Decoder(bytes(data[-8 - length : -8])).struct()
    chunks = [chunk[3][1] for group in footer[4][1][1] for chunk in group[1][1][1]]
    offsets = [meta[_BLOOM_FILTER_OFFSET][1] for meta in chunks if _BLOOM_FILTER_OFFSET in meta]
    assert offsets, f"{file} has no bloom filter"
    for offset in offsets:
        decoder = compact_thrift.Decoder(bytes(data[offset:]))
        size = decoder.struct()[1][1]
        start = offset + decoder.position
        data[start : start + size] = bytes(size)
    file.write_bytes(data)
