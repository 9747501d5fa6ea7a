"""All that a file states about its values, read byte by byte and compared with them.

These are null counts, min and max of chunks and pages, rows of pages, dictionaries, bloom filters.
"""

from __future__ import annotations

import io
import itertools
import struct
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from support.files.compact_thrift import Decoder, Struct
from support.files.lies import Chunk, LyingFile

# Numbers of parquet.thrift.
BOOLEAN, INT32, INT64, INT96, FLOAT, DOUBLE, BYTE_ARRAY, FIXED = range(8)
DECIMAL, UINT_32, UINT_64, INTERVAL = 5, 13, 14, 21  # of ConvertedType
FLOAT16 = 15  # of LogicalType
CODECS = {1: "snappy", 2: "gzip", 4: "brotli", 6: "zstd", 7: "lz4_raw"}
DATA_PAGE, DICTIONARY_PAGE, DATA_PAGE_V2 = 0, 2, 3
OF_DICTIONARIES = (2, 8)  # encodings
ASCENDING, DESCENDING = 1, 2  # of a column index
WIDTHS = {INT32: "<i", INT64: "<q", FLOAT: "<f", DOUBLE: "<d", BOOLEAN: "<?"}


@dataclass(frozen=True)
class Leaf:
    """A column without repeated values, and the order of its values."""

    name: str
    number: int
    kind: int
    length: int
    annotation: int | None

    @property
    def claim(self) -> str:
        """What min and max are, as ``Claim.minMaxOf`` has it."""
        if self.annotation == DECIMAL:
            return "DecimalsMinMax"
        if self.annotation in (UINT_32, UINT_64):
            return "UnsignedMinMax"
        return "BytesMinMax" if self.kind in (BYTE_ARRAY, FIXED) else "NumbersMinMax"

    @property
    def is_ordered(self) -> bool:
        """Whether min and max are in the order of these numbers or bytes."""
        return self.kind != INT96 and self.annotation not in (FLOAT16, INTERVAL)

    def plain(self, value: Any) -> bytes:
        """Return the bytes of a value, without a length."""
        return struct.pack(WIDTHS[self.kind], value) if self.kind in WIDTHS else bytes(value)

    def key(self, plain: bytes) -> Any:
        """Return what sorts as the value with these bytes; None for NaN, which has no place."""
        if self.kind not in WIDTHS:
            is_number = self.annotation == DECIMAL
            return int.from_bytes(plain, "big", signed=True) if is_number else plain
        (value,) = struct.unpack(WIDTHS[self.kind], plain)
        if self.annotation in (UINT_32, UINT_64):
            return value % (1 << 8 * len(plain))
        return None if value != value else value


class StatingFile(LyingFile):
    """A file, with the values of each chunk as they are stored, without any logical type."""

    def __init__(self, data: bytes) -> None:
        """Read all values by pyarrow, from a copy whose footer states nothing about them."""
        super().__init__(data)
        self.writer = self.footer[6][1].decode()
        self.parquet = pq.ParquetFile(io.BytesIO(data))
        columns = [self.parquet.schema.column(n) for n in range(len(self.parquet.schema))]
        elements = [element for element in self.footer[2][1][1] if 1 in element]
        self.leaves = [
            Leaf(column.path, at, element[1][1], element.get(2, (0, 0))[1], _annotation(element))
            for at, (column, element) in enumerate(zip(columns, elements, strict=True))
            if column.max_repetition_level == 0
        ]
        self._stored = pq.ParquetFile(io.BytesIO(_without_types(data)))

    def values(self, group: int) -> dict[str, list[bytes | None]]:
        """Return the plain bytes of the values of a row group, by column."""
        table = self._stored.read_row_group(group)
        while any(pa.types.is_struct(kind) for kind in table.schema.types):
            table = table.flatten()
        return {
            leaf.name: [
                None if value is None else leaf.plain(value)
                for value in table.column(leaf.name).to_pylist()
            ]
            for leaf in self.leaves
        }

    def chunk(self, group: int, leaf: Leaf) -> Chunk:
        """Return what the footer states about a chunk."""
        row_group = self.row_groups()[group]
        return Chunk(self, row_group[1][1][1][leaf.number], row_group[3][1])

    def header(self, offset: int) -> tuple[Struct, int]:
        """Return a header of a page or of a bloom filter, and where what follows it begins."""
        decoder = Decoder(bytes(self.body[offset : offset + 4096]))
        return decoder.struct(), offset + decoder.position


def _annotation(element: Struct) -> int | None:
    """Return the type of a column, if it has one that matters for the order of values."""
    if FLOAT16 in element.get(10, (0, {}))[1]:
        return FLOAT16
    return element[6][1] if 6 in element else None


def _without_types(data: bytes) -> bytes:
    copy = LyingFile(data)
    copy.footer.pop(5, None)  # the schema of Arrow
    copy.footer.pop(7, None)  # orders
    for element in copy.footer[2][1][1]:
        for annotation in (6, 7, 8, 10):
            element.pop(annotation, None)
        if element.get(1, (0, None))[1] == INT96:
            element[1], element[2] = (5, FIXED), (5, 12)
    for group in copy.row_groups():
        for column in group[1][1][1]:
            meta = column[3][1]
            meta.pop(12, None)
            if meta[1][1] == INT96:
                meta[1] = (5, FIXED)
    return copy.bytes()


@dataclass
class Comparison:
    """What was compared with the values, and what is wrong: a column and a kind of statement."""

    compared: Counter[str] = field(default_factory=Counter)
    wrong: set[tuple[str, str]] = field(default_factory=set)

    def note(self, leaf: Leaf, claim: str, is_right: bool, count: int = 1) -> None:
        """Count statements about a column."""
        self.compared[claim] += count
        if not is_right:
            self.wrong.add((leaf.name, claim))


Contains = Callable[[bytes, bytes], bool]


def compare(data: bytes, contains: Contains) -> Comparison:
    """Compare all that a file states with its values.

    Args:
        data: The file.
        contains: Whether a bloom filter with these bits has a value with these plain bytes.
    """
    file, result = StatingFile(data), Comparison()
    for group in range(len(file.row_groups())):
        for name, values in file.values(group).items():
            (leaf,) = (leaf for leaf in file.leaves if leaf.name == name)
            chunk = file.chunk(group, leaf)
            _chunk(leaf, chunk, values, result)
            _pages(file, leaf, chunk, values, result)
            stored = {value for value in values if value is not None}
            entries = _all_entries(file, leaf, chunk)
            if entries is not None:
                result.note(leaf, "Dictionaries", stored <= entries, len(stored))
                result.note(leaf, "EntriesOccur", entries <= stored, len(entries))
            if 14 in chunk.meta:
                header, start = file.header(chunk.meta[14][1])
                bits = bytes(file.body[start : start + header[1][1]])
                has_all = all(contains(bits, value) for value in stored)
                result.note(leaf, "BloomFilters", has_all, len(stored))
    return result


def _holds(leaf: Leaf, low: bytes, high: bytes, values: list[bytes | None]) -> bool | None:
    """Return whether no value is outside of min and max; None if they state nothing."""
    keys = [leaf.key(value) for value in values if value is not None]
    comparable = [key for key in keys if key is not None]
    if leaf.kind in WIDTHS and len(low) != struct.calcsize(WIDTHS[leaf.kind]):
        return False
    first, last = leaf.key(low), leaf.key(high)
    if not comparable or not leaf.is_ordered or first is None or last is None:
        return None
    return bool(first <= min(comparable) and max(comparable) <= last)


def _chunk(leaf: Leaf, chunk: Chunk, values: list[bytes | None], result: Comparison) -> None:
    stated = chunk.statistics
    if 3 in stated:
        result.note(leaf, "NullCounts", stated[3][1] == values.count(None))
    # The deprecated fields are in the order of signed numbers; readers use them for no other type.
    ends = [(6, 5)] + [(2, 1)] * (leaf.claim == "NumbersMinMax")
    for low, high in ends:
        if low in stated and high in stated:
            holds = _holds(leaf, stated[low][1], stated[high][1], values)
            if holds is not None:
                result.note(leaf, leaf.claim, holds)
            if holds and leaf.claim == "NumbersMinMax" and leaf.kind in (INT32, INT64):
                occur = {stated[low][1], stated[high][1]} <= set(values)
                result.note(leaf, "NumbersOccur", occur)


def _pages(
    file: StatingFile, leaf: Leaf, chunk: Chunk, values: list[bytes | None], result: Comparison
) -> None:
    locations = chunk.locations()
    firsts = [page[3][1] for page in locations] + [chunk.rows]
    rows = [values[first:end] for first, end in itertools.pairwise(firsts)]
    for location, page in zip(locations, rows, strict=True):
        is_right = firsts[0] == 0 and _rows_of(file, location) == len(page)
        result.note(leaf, "PageIndexes", is_right)
    index = chunk.index()
    if index is None:
        return
    nulls, lows, highs = (index[number][1][1] for number in (1, 2, 3))
    counts = index[5][1][1] if 5 in index else [page.count(None) for page in rows]
    result.note(leaf, "PageIndexes", len(nulls) == len(lows) == len(highs) == len(rows))
    for at, page in enumerate(rows[: len(nulls)]):
        result.note(leaf, "PageIndexes", counts[at] == page.count(None))
        if page:
            result.note(leaf, "PageIndexes", nulls[at] == (page.count(None) == len(page)))
        if not nulls[at]:
            result.note(leaf, "PageIndexes", _holds(leaf, lows[at], highs[at], page) is not False)
    for ends in (lows, highs):
        known = [end for null, end in zip(nulls, ends, strict=True) if not null]
        keys = [key for key in map(leaf.key, known) if key is not None]
        in_order = {ASCENDING: sorted(keys), DESCENDING: sorted(keys, reverse=True)}
        result.note(leaf, "PageIndexes", in_order.get(index[4][1], keys) == keys)


def _rows_of(file: StatingFile, page: Struct) -> int | None:
    """Return the rows by the page's header; None if the location is not that of a data page."""
    header, start = file.header(page[1][1])
    if page[2][1] != start - page[1][1] + header[3][1]:
        return None
    part = {DATA_PAGE: 5, DATA_PAGE_V2: 8}.get(header[1][1])
    rows: int | None = header[part][1][1][1] if part in header else None
    return rows


def _all_entries(file: StatingFile, leaf: Leaf, chunk: Chunk) -> set[bytes] | None:
    """Return the dictionary, if the encoding statistics say that all pages use one."""
    pages = [(one[1][1], one[2][1]) for one in chunk.meta.get(13, (9, (12, [])))[1][1]]
    encodings = [how for what, how in pages if what != DICTIONARY_PAGE]
    if len(encodings) == len(pages) or not set(encodings) <= set(OF_DICTIONARIES):
        return None
    header, start = file.header(chunk.meta[11 if 11 in chunk.meta else 9][1])
    assert header[1][1] == DICTIONARY_PAGE
    body = bytes(file.body[start : start + header[3][1]])
    codec = CODECS.get(chunk.meta[4][1])
    if codec and body:
        body = pa.Codec(codec).decompress(body, header[2][1]).to_pybytes()
    entries = list(_entries(leaf, body))
    assert len(entries) == header[7][1][1][1]
    return set(entries)


def _entries(leaf: Leaf, body: bytes) -> Iterator[bytes]:
    fixed = {INT96: 12, FIXED: leaf.length}
    at = 0
    while at < len(body):
        if leaf.kind == BYTE_ARRAY:
            size = int.from_bytes(body[at : at + 4], "little")
            at += 4
        else:
            size = fixed[leaf.kind] if leaf.kind in fixed else struct.calcsize(WIDTHS[leaf.kind])
        yield body[at : at + size]
        at += size
