"""Edits of a footer after which it claims the absurd."""

from __future__ import annotations

from collections.abc import Callable

from support.files import footer_edit
from support.files.compact_thrift import I32, I64, LIST, STRUCT, Struct

MOST = 2**63 - 1
# Field numbers of parquet.thrift.
SCHEMA, NUM_ROWS, ROW_GROUPS = 2, 3, 4
COLUMNS, GROUP_ROWS, GROUP_SIZE = 1, 3, 6
OFFSET_INDEX, OFFSET_INDEX_LENGTH, COLUMN_INDEX, COLUMN_INDEX_LENGTH = 4, 5, 6, 7
META, VALUES, UNCOMPRESSED, COMPRESSED, DATA_PAGE, DICTIONARY_PAGE = 3, 5, 6, 7, 9, 11
CHILDREN = 5

Edit = Callable[[Struct], None]


def groups(edit: Edit) -> Edit:
    def visit(footer: Struct) -> None:
        for group in footer[ROW_GROUPS][1][1]:
            edit(group)

    return visit


def chunks(edit: Edit) -> Edit:
    def visit(group: Struct) -> None:
        for chunk in group[COLUMNS][1][1]:
            edit(chunk)

    return groups(visit)


def claim(field: int, value: int) -> Edit:
    """Let a column chunk's metadata claim this."""
    return chunks(lambda chunk: chunk[META][1].update({field: (I64, value)}))


def rows(count: int) -> Edit:
    def edit(group: Struct) -> None:
        group[GROUP_ROWS] = (I64, count)

    return groups(edit)


def only_file_rows(footer: Struct) -> None:
    footer[NUM_ROWS] = (I64, -MOST)


def same_midpoint(footer: Struct) -> None:
    """Let a thousand row groups stand at the same place."""
    kind, found = footer[ROW_GROUPS][1]
    footer[ROW_GROUPS] = (LIST, (kind, found[:1] * 1000))


def deep_unknown(footer: Struct) -> None:
    inner: Struct = {}
    for _ in range(20):
        inner = {1: (STRUCT, inner)}
    footer[99] = (STRUCT, inner)


def many_children(footer: Struct) -> None:
    footer[SCHEMA][1][1][0][CHILDREN] = (I32, 2**31 - 1)


def no_columns(group: Struct) -> None:
    group[COLUMNS] = (LIST, (STRUCT, []))


def indexes(offset: int, length: int) -> Edit:
    def edit(chunk: Struct) -> None:
        for at, size in ((OFFSET_INDEX, OFFSET_INDEX_LENGTH), (COLUMN_INDEX, COLUMN_INDEX_LENGTH)):
            chunk[at], chunk[size] = (I64, offset), (I32, length)

    return chunks(edit)


def wrong_statistics(nulls: int) -> Edit:
    def edit(chunk: Struct) -> None:
        chunk[META][1][12][1][footer_edit.NULL_COUNT] = (I64, nulls)

    return chunks(edit)


FOOTERS: dict[str, Edit] = {
    "negative rows": rows(-1),
    "no rows": rows(0),
    "as many rows as a long holds": rows(MOST),
    "rows that overflow when added": rows(MOST // 2),
    "the file's own number of rows": only_file_rows,
    "negative values": claim(VALUES, -5),
    "as many values as a long holds": claim(VALUES, MOST),
    "negative sizes": claim(COMPRESSED, -1000),
    "sizes that overflow when added": claim(COMPRESSED, MOST),
    "negative uncompressed sizes": claim(UNCOMPRESSED, -MOST),
    "negative offsets of data": claim(DATA_PAGE, -1),
    "offsets of data behind the file": claim(DATA_PAGE, MOST),
    "negative offsets of dictionaries": claim(DICTIONARY_PAGE, -MOST),
    "offsets of dictionaries behind the file": claim(DICTIONARY_PAGE, MOST),
    "a thousand row groups with the same midpoint": same_midpoint,
    "row groups without columns": groups(no_columns),
    "negative row group sizes": groups(lambda group: group.update({GROUP_SIZE: (I64, -MOST)})),
    "huge row group sizes": groups(lambda group: group.update({GROUP_SIZE: (I64, MOST)})),
    "unknown structs in structs": deep_unknown,
    "more children than columns": many_children,
    "page indexes behind the file": indexes(MOST - 5, 2**31 - 1),
    "page indexes at a wrong place": indexes(4, 100),
    "page indexes of negative size": indexes(4, -1),
    "negative null counts": wrong_statistics(-1),
    "more nulls than rows": wrong_statistics(MOST),
}
