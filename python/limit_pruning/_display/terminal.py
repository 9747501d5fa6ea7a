"""The display in a terminal: rich's renderables for a scan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from limit_pruning._display.strip import ASCII, STYLES, UNICODE, Glyphs, strip
from limit_pruning._display.view import STATE_NAMES, Grid, View, counts
from limit_pruning._text import human_bytes

if TYPE_CHECKING:
    from rich.console import ConsoleOptions, RenderableType

_INDENT = 2
# Below this number of cells, states have short names, and sizes are not shown.
_WIDE = 80


def rendered(
    views: Sequence[View], nothing: str, options: ConsoleOptions
) -> Iterator[RenderableType]:
    """Yield the parts to print for these views, or the sentence `nothing`."""
    if not views:
        yield Text(nothing)
    glyphs = ASCII if options.ascii_only else UNICODE
    for number, view in enumerate(_writable(view, options) for view in views):
        if number:
            yield Text()
        yield _title(view)
        for note in view.notes[:1]:
            yield _indented(Text(note))
        if view.row_groups:
            yield _indented(_blocks(view, options.max_width - _INDENT, glyphs), around=1)
            yield _indented(_counts(view, glyphs, wide=options.max_width >= _WIDE))
        for note in view.notes[1:]:
            yield _indented(Text(note))
        if view.grid and view.grid.rows:
            yield _indented(_grid(view.grid), around=1)


def _title(view: View) -> Text:
    title = Text(view.table, style="bold")
    for word, rest in view.clauses:
        title.append(f" {word} ", style="not bold cyan")
        title.append(rest, style="not bold")
    return title


def _blocks(view: View, width: int, glyphs: Glyphs) -> Group:
    lines = list(strip(view.row_groups, width, glyphs))
    if view.omitted:
        lines.append(Text(f"row groups not shown, and not counted here: {view.omitted:,}"))
    return Group(*lines)


def _counts(view: View, glyphs: Glyphs, *, wide: bool) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bright_black")
    table.add_column(no_wrap=True)
    headings = ["row groups", "rows", f"{glyphs.scanned} scanned", "to read"]
    for heading in [*headings, "size"] if wide else headings:
        table.add_column(heading, justify="right")
    for count in counts(view.row_groups):
        name = Text(glyphs.of(count.state) * 2, style=STYLES[count.state])
        name.append(f" {STATE_NAMES[count.state] if wide else count.state}", style="default")
        numbers = (count.row_groups, count.rows, count.scanned, count.rows_to_read)
        size = [human_bytes(count.size)] if wide else []
        table.add_row(name, *(f"{number:,}" for number in numbers), *size)
    return table


def _grid(grid: Grid) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bright_black")
    for place, heading in enumerate(grid.headings):
        table.add_column(heading, justify="right" if place > 1 else "left", overflow="fold")
    for cells in grid.rows:
        table.add_row(*map(Text, cells))
    return table


def _indented(part: RenderableType, around: int = 0) -> Padding:
    return Padding(part, (around, 0, around, _INDENT), expand=False)


def _writable(view: View, options: ConsoleOptions) -> View:
    def written(text: str) -> str:
        # Control characters in a name or a value must not reach the terminal.
        text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
        if options.ascii_only:
            return text.replace("→", "->").encode("ascii", "backslashreplace").decode()
        return text

    return replace(
        view,
        table=written(view.table),
        clauses=tuple((word, written(rest)) for word, rest in view.clauses),
        notes=tuple(map(written, view.notes)),
        grid=view.grid
        and replace(view.grid, rows=tuple(tuple(map(written, row)) for row in view.grid.rows)),
    )
