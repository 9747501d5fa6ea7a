"""The legend of a row-group map, with the number of row groups: an HTML table."""

from __future__ import annotations

from collections.abc import Sequence

from limit_pruning._display.view import Count
from limit_pruning._text import human_bytes

_SWATCH = '<svg width="16" height="12" aria-hidden="true"><rect class="{}" {}/></svg>'
_BLOCK, _FRAME = 'width="16" height="12"', 'x="1" y="1" width="14" height="10"'
_BAR = 'y="6" width="16" height="6"'
_WIDE = '<span class="wide">{}</span>'
_HEAD = (
    '<tr><th></th><th>row groups</th><th>rows</th><th class="wide">size</th>'
    f"<th>{_SWATCH.format('frame', _FRAME)}scanned</th>"
    f"<th>{_SWATCH.format('read', _BAR)}{_WIDE.format('rows ')}to read</th></tr>"
)
# Stripes mark partially matching row groups for readers who do not see colours.
_HATCH = (
    '<svg width="0" height="0" style="position:absolute" aria-hidden="true">'
    '<pattern id="{}" width="6" height="6" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><rect class="ground" width="6" height="6"/>'
    '<rect class="stripe" width="2.5" height="6"/></pattern></svg>'
)


def hatch(identifier: str) -> str:
    """Return the pattern with which page.css fills partially matching row groups."""
    return _HATCH.format(identifier)


def legend(counted: Sequence[Count]) -> str:
    """Return a line for each state, with the colour and the numbers of its row groups."""
    return f"<table>{_HEAD}{''.join(map(_row, counted))}</table>"


def _row(count: Count) -> str:
    return (
        f"<tr><th>{_SWATCH.format(count.state, _BLOCK)}{count.state}{_WIDE.format(' matching')}"
        f"</th><td>{count.row_groups:,}</td><td>{count.rows:,}</td>"
        f'<td class="wide">{human_bytes(count.size)}</td>'
        f"<td>{count.scanned:,}</td><td>{count.rows_to_read:,}</td></tr>"
    )
