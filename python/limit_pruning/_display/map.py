"""The row-group map: an SVG with one block for each row group, as wide as its number of rows.

Horizontal positions are in percent and vertical ones in pixels: a map fills any width, and the size
of its letters, gaps and frames does not change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from limit_pruning._display.layout import Block, Line, Span, file_spans, lines, scanned_spans
from limit_pruning._display.names import short_names
from limit_pruning._display.tooltip import tooltip
from limit_pruning._row_groups import RowGroupReport

_ALL_LINES = 320
_LEAST_HEIGHT, _MOST_HEIGHT = 10, 36
_GAP, _NAME = 4, 20
# The least share of a line, in percent, with room for a file's name on a wide map, and on any map.
_ROOM_FOR_NAME, _ROOM_ANYWHERE = 12, 30


def row_group_map(row_groups: Sequence[RowGroupReport], label: str) -> str:
    """Return the map as inline SVG, in the classes of page.css.

    Args:
        row_groups: At least one, in file order.
        label: A description of the map for screen readers.
    """
    placed = lines(row_groups)
    height = min(_MOST_HEIGHT, max(_LEAST_HEIGHT, _ALL_LINES // len(placed)))
    dense = height < _MOST_HEIGHT
    pitch = height + (_GAP if dense else _NAME)
    names = short_names(group.file for group in row_groups)
    rows = "".join(
        f'<svg y="{pitch * number}" height="{pitch}" role="presentation">'
        f"{''.join(_line(line, names, height, dense))}</svg>"
        for number, line in enumerate(placed)
    )
    return (
        f'<svg class="map{" dense" if dense else ""}" width="100%" '
        f'height="{pitch * len(placed)}" role="list" aria-label="{escape(label)}">{rows}</svg>'
    )


def _line(line: Line, names: Mapping[str, str], height: int, dense: bool) -> Iterator[str]:
    for block in line:
        yield _block(block, names[block.group.file], height)
    for span in file_spans(line):
        if span.first and span.x:
            yield f'<line class="cut" {_at(span.x)} y2="{height}"/>'
        if not dense:
            yield from _name(span, names[span.file], height)
    for span in scanned_spans(line):
        yield f'<rect class="frame" {_across(span)} y="-2" height="{height + 4}"/>'


def _block(block: Block, file: str, height: int) -> str:
    group = block.group
    drawn = (
        f'<rect class="{group.state}" {_across(block)} height="{height}" role="listitem">'
        f"<title>{escape(tooltip(group, file))}</title></rect>"
    )
    if group.rows_to_read and group.rows_to_read < group.rows:
        share = block.width * group.rows_to_read / group.rows
        drawn += f'<rect class="read" x="{block.x:.2f}%" width="{share:.2f}%"'
        drawn += f' y="{height - 6}" height="6"/>'
    return drawn


def _name(span: Span, name: str, height: int) -> Iterator[str]:
    if span.first:
        yield f'<line class="tick" {_at(span.x)} y1="{height + 3}" y2="{height + 15}"/>'
    if span.width >= _ROOM_FOR_NAME:
        kind = "name" if span.width >= _ROOM_ANYWHERE else "name wide"
        yield f'<foreignObject {_across(span)} y="{height}" height="{_NAME}" role="presentation">'
        yield f'<div class="{kind}">&nbsp;{escape(name if span.first else f"… {name}")}</div>'
        yield "</foreignObject>"


def _at(x: float) -> str:
    return f'x1="{x:.2f}%" x2="{x:.2f}%"'


def _across(part: Block | Span) -> str:
    return f'x="{part.x:.2f}%" width="{part.width:.2f}%"'
