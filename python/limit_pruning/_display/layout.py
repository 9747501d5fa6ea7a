"""The layout of a row-group map: positions and widths in percent of a line's width."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from limit_pruning._row_groups import RowGroupReport

# Blocks on one line at most, while labels and frames are easy to see.
_FEW = 24
# The least share of a line that is visible: 1.6 pixels of 400.
_LEAST_SHARE = 0.004


@dataclass(frozen=True, slots=True)
class Block:
    """A row group on a line: its position, and whether it is the first one of its file."""

    group: RowGroupReport
    x: float
    width: float
    first: bool


@dataclass(frozen=True, slots=True)
class Span:
    """Adjacent blocks on a line: the file of the first one, and whether it begins that file."""

    file: str
    x: float
    width: float
    first: bool


Line = tuple[Block, ...]


def lines(row_groups: Sequence[RowGroupReport]) -> list[Line]:
    """Return the blocks of row groups in their order, on as many lines as make them easy to see.

    Widths are proportional to rows, with one scale for all lines; blocks that would be invisible
    are wider. The fullest line is 100 percent wide.
    """
    if not row_groups:
        return []
    count = math.ceil(len(row_groups) / max(_FEW, round(1.8 * math.sqrt(len(row_groups)))))
    least = max(1.0, _LEAST_SHARE * sum(group.rows for group in row_groups) / count)
    widths = [max(least, group.rows) for group in row_groups]
    capacity = sum(widths) / count
    filled: dict[int, list[int]] = {}
    before = 0.0
    for place, width in enumerate(widths):
        filled.setdefault(int((before + width / 2) / capacity), []).append(place)
        before += width
    scale = 100 / max(sum(widths[place] for place in line) for line in filled.values())
    return [tuple(_placed(row_groups, widths, line, scale)) for line in filled.values()]


def file_spans(line: Line) -> list[Span]:
    """Return the files on a line, from left to right."""
    return [_span(list(blocks)) for _, blocks in groupby(line, lambda block: block.group.file)]


def scanned_spans(line: Line) -> list[Span]:
    """Return the runs of adjacent scanned blocks on a line."""
    runs = groupby(line, lambda block: block.group.scanned)
    return [_span(list(blocks)) for scanned, blocks in runs if scanned]


def _placed(
    row_groups: Sequence[RowGroupReport], widths: list[float], line: list[int], scale: float
) -> Iterator[Block]:
    x = 0.0
    for place in line:
        group, width = row_groups[place], widths[place] * scale
        first = place == 0 or row_groups[place - 1].file != group.file
        yield Block(group, x, width, first)
        x += width


def _span(blocks: list[Block]) -> Span:
    width = sum(block.width for block in blocks)
    return Span(blocks[0].group.file, blocks[0].x, width, blocks[0].first)
