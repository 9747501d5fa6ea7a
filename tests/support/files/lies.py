"""Real Parquet files whose metadata was changed at random, so that it does not say what is in them.

Numbers of fields are those of parquet.thrift. What every reader needs to find the values (offsets
of chunks, headers of pages) stays as it was. The offset index does not: readers that skip pages
alone use it. Where it lies, the file has no column indexes, so that plain Spark skips no page.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from random import Random
from typing import Any

from support.files import compact_thrift
from support.files.compact_thrift import BINARY, FALSE, I32, I64, LIST, STRUCT, TRUE, Struct

# Writers that are not listed: real ones, one that is too old, and none.
UNLISTED = (
    "Parquet.Net version 6.1.0 (build 0123456789)",
    "Parquet.Net version %Version% (build %Git.LongCommitHash%)",
    "ClickHouse v26.3.3.20",
    "hyparquet",
    "github.com/segmentio/parquet-go",
    "parquet-cpp version 1.5.1-SNAPSHOT",
    "parquet-rs version 9.0.0",
    "someone version 99.0",
    "",
)
LISTED = ("parquet-mr version 1.17.0 (build abc)", "parquet-cpp-arrow version 26.0.1")

_PLAIN = 0
_RLE_DICTIONARY = 8
_DICTIONARY_PAGE, _DATA_PAGE = 2, 0
_EPOCH = 2_440_588  # the Julian day of 1970-01-01


@dataclass(frozen=True)
class Claimable:
    """A column, with values that lies about its min and max are drawn from, ascending."""

    name: str
    values: Sequence[Any]


def plain(value: Any) -> bytes:
    """Return a value in the encoding of statistics."""
    match value:
        case bool() | bytes():
            raise TypeError(value)
        case str():
            return value.encode()
        case float():
            return struct.pack("<d", value)
        case Decimal():
            return int(value.scaleb(2)).to_bytes(4, "big", signed=True)
        case datetime():
            return int96(_EPOCH + (value.date() - date(1970, 1, 1)).days)
        case date():
            return struct.pack("<i", (value - date(1970, 1, 1)).days)
        case int():
            return struct.pack("<i", value)
    raise TypeError(value)


def int96(day: int) -> bytes:
    """Return the begin of a Julian day."""
    return struct.pack("<qi", 0, day)


class Chunk:
    """The metadata of one column chunk in a `LyingFile`."""

    def __init__(self, file: LyingFile, column: Struct, rows: int) -> None:
        """Hold the parts of the footer that are changed in place."""
        self._file, self._column, self.rows = file, column, rows
        self.meta: Struct = column[3][1]
        self.statistics: Struct = self.meta.setdefault(12, (STRUCT, {}))[1]

    @property
    def has_dictionary(self) -> bool:
        """Whether some pages use a dictionary."""
        return 11 in self.meta

    def bounds(self, low: bytes | None, high: bytes | None) -> None:
        """Replace min and max."""
        for field in (1, 2, 5, 6, 7, 8):
            self.statistics.pop(field, None)
        if low is not None:
            self.statistics[6] = (BINARY, low)
        if high is not None:
            self.statistics[5] = (BINARY, high)

    def null_count(self, count: int | None) -> None:
        """Replace the null count."""
        self.statistics.pop(3, None)
        if count is not None:
            self.statistics[3] = (I64, count)

    def index(self) -> Struct | None:
        """Return the column index, if there is one."""
        if 6 not in self._column:
            return None
        start, length = self._column[6][1], self._column[7][1]
        return compact_thrift.Decoder(bytes(self._file.body[start : start + length])).struct()

    def set_index(self, index: Struct) -> None:
        """Replace the column index by another one, at the end of the file."""
        self._append(index, place=6)

    def locations(self) -> list[Struct]:
        """Return the locations of pages in the offset index; none if there is no index."""
        if 4 not in self._column:
            return []
        start, length = self._column[4][1], self._column[5][1]
        index = compact_thrift.Decoder(bytes(self._file.body[start : start + length])).struct()
        pages: list[Struct] = index[1][1][1]
        return pages

    def set_locations(self, pages: list[Struct]) -> None:
        """Replace the offset index, and leave out the column indexes of the file."""
        self._file.drop_column_indexes()
        self._append({1: (LIST, (STRUCT, pages))}, place=4)

    def _append(self, index: Struct, place: int) -> None:
        encoded = compact_thrift.encode(index)
        self._column[place] = (I64, len(self._file.body))
        self._column[place + 1] = (I32, len(encoded))
        self._file.body += encoded


class LyingFile:
    """A Parquet file in memory, whose metadata can be changed."""

    def __init__(self, data: bytes) -> None:
        """Read the footer of a whole file."""
        length = int.from_bytes(data[-8:-4], "little")
        self.body = bytearray(data[: -8 - length])
        self.footer = compact_thrift.Decoder(data[-8 - length : -8]).struct()

    def row_groups(self) -> list[Struct]:
        """Return the row groups of the footer."""
        groups: list[Struct] = self.footer[4][1][1]
        return groups

    def chunks(self, column: str) -> list[Chunk]:
        """Return the chunks of a column, by row group."""
        return [
            Chunk(self, chunk, group[3][1])
            for group in self.row_groups()
            for chunk in group[1][1][1]
            if chunk[3][1][3][1][1] == [column.encode()]
        ]

    def drop_column_indexes(self) -> None:
        """Leave out what is claimed about the values of pages, in all columns."""
        for group in self.row_groups():
            for column in group[1][1][1]:
                column.pop(6, None)
                column.pop(7, None)

    def set_writer(self, name: str) -> None:
        """Claim another writer."""
        self.footer[6] = (BINARY, name.encode())

    def set_order_of_time(self, leaf: int) -> None:
        """Claim that min and max of an INT96 column are in the order of time."""
        self.footer[7][1][1][leaf] = {3: (STRUCT, {})}

    def bytes(self) -> bytes:
        """Return the file."""
        encoded = compact_thrift.encode(self.footer)
        return bytes(self.body) + encoded + len(encoded).to_bytes(4, "little") + b"PAR1"


def _range(draw: Random, column: Claimable) -> tuple[bytes, bytes]:
    low, high = sorted(draw.choices(range(len(column.values)), k=2))
    return plain(column.values[low]), plain(column.values[high])


def bounds(draw: Random, column: Claimable, chunk: Chunk) -> None:
    """Claim any min and max: of other values, of one value, swapped, only one, or none."""
    low, high = _range(draw, column)
    claims = [(low, high)] * 4 + [(low, low), (high, low), (low, None), (None, high), (None, None)]
    chunk.bounds(*draw.choice(claims))
    if draw.random() < 0.3:
        exact = draw.random() < 0.5
        chunk.statistics[7] = chunk.statistics[8] = (TRUE if exact else FALSE, exact)


def null_counts(draw: Random, _column: Claimable, chunk: Chunk) -> None:
    """Claim any null count; all nulls also without min and max."""
    count = draw.choice([0, 0, chunk.rows, draw.randrange(chunk.rows + 1), chunk.rows + 1, None])
    chunk.null_count(count)
    if count == chunk.rows and draw.random() < 0.7:
        chunk.bounds(None, None)


def page_index(draw: Random, column: Claimable, chunk: Chunk) -> None:
    """Claim any min, max and null count of pages, mostly so that they contradict nothing."""
    index = chunk.index()
    if index is None:
        return bounds(draw, column, chunk)
    pages = len(index[1][1][1])
    ranges = [_range(draw, column) for _ in range(pages)]
    nulls = [draw.random() < 0.15 for _ in range(pages)]
    index[1] = (LIST, (TRUE, nulls))
    for field, end in ((2, 0), (3, 1)):
        ends = [b"" if null else one[end] for null, one in zip(nulls, ranges, strict=True)]
        index[field] = (LIST, (BINARY, ends))
    index[4] = (I32, 0)
    index.pop(5, None)
    if draw.random() < 0.8:
        chunk.bounds(None, None)
    if draw.random() < 0.5:
        page = chunk.rows // pages
        index[5] = (LIST, (I64, [page if null else 0 for null in nulls]))
        chunk.null_count(draw.choice([None, sum(index[5][1][1])]))
    chunk.set_index(index)
    return None


def empty_page_bounds(_draw: Random, column: Claimable, chunk: Chunk) -> None:
    """Leave out the min and max of the chunk, and claim the empty string for those of pages.

    Not if the chunk has a dictionary: it proves rows that plain Spark does not find by the index.
    """
    index = chunk.index()
    if index is None or chunk.has_dictionary or not isinstance(column.values[0], str):
        return
    pages = len(index[1][1][1])
    index[2] = index[3] = (LIST, (BINARY, [b""] * pages))
    index[4] = (I32, 0)
    chunk.bounds(None, None)
    chunk.set_index(index)


def dictionary(_draw: Random, _column: Claimable, chunk: Chunk) -> None:
    """Claim that all pages use the dictionary, although later ones do not."""
    statistics = chunk.meta.get(13)
    if statistics is None or not chunk.has_dictionary:
        return
    chunk.bounds(None, None)
    count = sum(one[3][1] for one in statistics[1][1] if one[1][1] != _DICTIONARY_PAGE)
    chunk.meta[13] = (
        LIST,
        (
            STRUCT,
            [
                {1: (I32, _DICTIONARY_PAGE), 2: (I32, _PLAIN), 3: (I32, 1)},
                {1: (I32, _DATA_PAGE), 2: (I32, _RLE_DICTIONARY), 3: (I32, count)},
            ],
        ),
    )
    chunk.meta[2] = (LIST, (I32, [_PLAIN, 3, _RLE_DICTIONARY]))


def sizes(draw: Random, _column: Claimable, chunk: Chunk) -> None:
    """Claim another size of the decoded values."""
    chunk.meta[6] = (I64, draw.choice([0, 1, draw.randrange(1 << 20), 1 << 40]))


def page_sizes(draw: Random, _column: Claimable, chunk: Chunk) -> None:
    """Claim other sizes of pages: without the headers, too large, or none at all."""
    pages = chunk.locations()
    if not pages:
        return
    header = draw.randrange(1, 40)
    for page in pages:
        size = page[2][1]
        claims = [max(1, size - header)] * 4 + [size + header, 0, -1, (1 << 31) - 1]
        if draw.random() < 0.8:
            page[2] = (I32, draw.choice(claims))
    chunk.set_locations(pages)


def page_places(draw: Random, _column: Claimable, chunk: Chunk) -> None:
    """Claim other places of pages: all are moved, two are swapped, or one begins elsewhere."""
    pages = chunk.locations()
    if not pages:
        return
    distance = draw.choice([-9, -1, 1, 2, 30, 1 << 20])
    kind = draw.choice(["moved", "swapped", "begins elsewhere", "begins elsewhere"])
    if kind == "moved":
        for page in pages:
            page[1] = (I64, max(0, page[1][1] + distance))
    elif kind == "swapped":
        one, other = draw.choice(pages), draw.choice(pages)
        one[1], other[1] = other[1], one[1]
    else:
        _begin_elsewhere(pages, draw.randrange(len(pages)), distance)
    chunk.set_locations(pages)


def _begin_elsewhere(pages: list[Struct], at: int, distance: int) -> None:
    """Move the first byte of a page, so that the pages remain contiguous."""
    page, before = pages[at], pages[at - 1] if at else None
    distance = min(distance, page[2][1] - 1)
    if before:
        distance = max(distance, 1 - before[2][1])
        before[2] = (I32, before[2][1] + distance)
    page[1] = (I64, page[1][1] + distance)
    page[2] = (I32, page[2][1] - distance)


def page_rows(draw: Random, _column: Claimable, chunk: Chunk) -> None:
    """Claim other first rows of pages, or fewer pages than there are."""
    pages = chunk.locations()
    if not pages:
        return
    kind = draw.choice(["rows", "rows", "any rows", "a gap", "two in one"])
    at = draw.randrange(len(pages))
    if kind == "rows" and at > 0:
        pages[at][3] = (I64, max(1, pages[at][3][1] + draw.choice([-3, -2, -1, 1, 2, 3])))
    elif kind == "any rows":
        pages[at][3] = (I64, draw.choice([-1, 0, draw.randrange(chunk.rows), chunk.rows, 1 << 40]))
    elif kind == "a gap":
        del pages[at]
    elif kind == "two in one" and at > 0:
        pages[at - 1][2] = (I32, pages[at - 1][2][1] + pages[at][2][1])
        del pages[at]
    chunk.set_locations(pages)


Lie = Callable[[Random, Claimable, Chunk], None]

# Those that need a name that is not listed.
LIES: dict[str, Lie] = {
    "bounds": bounds,
    "null counts": null_counts,
    "page index": page_index,
    "empty page bounds": empty_page_bounds,
    "dictionary": dictionary,
    "sizes": sizes,
}
# Those that nothing may be proved from, whatever the name.
OF_ANY_WRITER: dict[str, Lie] = {"empty page bounds": empty_page_bounds}
# Those that no read may fail by, whatever the name. Row groups are decided without pages.
OF_LOCATIONS: dict[str, Lie] = {
    "page sizes": page_sizes,
    "page places": page_places,
    "page rows": page_rows,
}
