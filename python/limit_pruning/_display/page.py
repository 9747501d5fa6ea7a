"""The display in a notebook: a card for each scan, in HTML without external resources."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib.resources import files

from limit_pruning._display.legend import hatch, legend
from limit_pruning._display.map import row_group_map
from limit_pruning._display.view import STATE_NAMES, Grid, View, counts


def page(views: Sequence[View], nothing: str) -> str:
    """Return the cards, or the sentence `nothing` where there is no view.

    The HTML has no scripts and makes no requests. Its style and identifiers are unique, so several
    outputs can be on one page.
    """
    name = f"limit-pruning-{secrets.token_hex(4)}"
    cards = "".join(map(_card, views)) or f"<section>{_paragraph(nothing, 'sum')}</section>"
    style = _style().replace(":scope", f"#{name}")
    return f'<div id="{name}"><style>{style}</style>{hatch(f"{name}-hatch")}{cards}</div>'


@cache
def _style() -> str:
    return (files("limit_pruning") / "_display" / "page.css").read_text(encoding="utf-8")


def _card(view: View) -> str:
    sum_up = [_paragraph(note, "sum") for note in view.notes[:1]]
    others = [_paragraph(note, "note") for note in view.notes[1:]]
    shown = _row_groups(view) if view.row_groups else []
    grid = [_grid(view.grid)] if view.grid and view.grid.rows else []
    return "".join(("<section>", _query(view), *sum_up, *shown, *others, *grid, "</section>"))


def _grid(grid: Grid) -> str:
    def row(cells: Sequence[str], kind: str) -> str:
        return f"<tr>{''.join(f'<{kind}>{escape(cell)}</{kind}>' for cell in cells)}</tr>"

    rows = "".join(row(cells, "td") for cells in grid.rows)
    return f'<div class="grid"><table>{row(grid.headings, "th")}{rows}</table></div>'


def _query(view: View) -> str:
    folder, slash, name = view.table.rstrip("/").rpartition("/")
    table = f"<i>{escape(folder + slash)}</i><strong>{escape(name)}</strong>"
    clauses = [f"<b>{escape(word)}</b> {escape(rest)}" for word, rest in view.clauses]
    return f"<code>{' '.join(f'<span>{part}</span>' for part in (table, *clauses))}</code>"


def _row_groups(view: View) -> list[str]:
    counted = counts(view.row_groups)
    states = ", ".join(f"{count.row_groups} {STATE_NAMES[count.state]}" for count in counted)
    label = f"Row groups in the order of the files: {states}"
    more = f"row groups not shown, and not counted here: {view.omitted:,}"
    return [
        row_group_map(view.row_groups, label),
        *([_paragraph(more, "note")] if view.omitted else []),
        legend(counted),
    ]


def _paragraph(text: str, kind: str) -> str:
    return f'<p class="{kind}">{escape(text)}</p>'
