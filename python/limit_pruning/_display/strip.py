"""The row groups of a scan as a strip of characters, one kind for each state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from limit_pruning._display.view import STATES
from limit_pruning._row_groups import RowGroupReport, State

STYLES: dict[State, str] = {"not": "bright_black", "partially": "yellow", "fully": "green"}
_MOST_LINES = 20
_ROOMY_WIDTH = 80
_ROOMY_CELLS = 4


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The characters for the states, in their order, for scanned row groups, and between files."""

    states: tuple[str, str, str]
    scanned: str
    between: str

    def of(self, state: State) -> str:
        """Return the character of a state."""
        return self.states[STATES.index(state)]


UNICODE = Glyphs(("░", "▒", "█"), "▔", "│")
ASCII = Glyphs((".", "/", "#"), "^", "|")


def strip(row_groups: Sequence[RowGroupReport], width: int, glyphs: Glyphs) -> Iterator[Text]:
    """Yield lines of at most `width` cells, and below a line the marks of scanned row groups.

    Few row groups have widths proportional to their rows, and gaps between them. Many row groups
    have one cell each, and gaps between files. Row groups after twenty lines are only counted.
    """
    sizes, group_gap, file_gap = _sizes(row_groups, width), " ", f" {glyphs.between} "
    if len(row_groups) * _ROOMY_CELLS > width:
        group_gap, file_gap = "", " "
    blocks, marks, shown, file = Text(), Text(), 0, None
    for number, (group, size) in enumerate(zip(row_groups, sizes, strict=True)):
        gap = "" if not blocks else group_gap if group.file == file else file_gap
        if len(blocks) + len(gap) + size > width:
            yield from _line(blocks, marks)
            blocks, marks, shown, gap = Text(), Text(), shown + 1, ""
            if shown == _MOST_LINES:
                yield Text(f"row groups not shown here: {len(row_groups) - number:,}")
                return
        blocks.append(gap, style="bright_black")
        blocks.append(glyphs.of(group.state) * size, style=STYLES[group.state])
        marks.append(" " * len(gap))
        marks.append((glyphs.scanned if group.scanned else " ") * size, style="bold")
        file = group.file
    yield from _line(blocks, marks)


def _sizes(row_groups: Sequence[RowGroupReport], width: int) -> list[int]:
    if len(row_groups) * _ROOMY_CELLS > width:
        return [1] * len(row_groups)
    gaps = len(row_groups) + 2 * len({group.file for group in row_groups}) - 3
    room = min(width, _ROOMY_WIDTH) - gaps
    rows = sum(group.rows for group in row_groups) or 1
    return [max(1, int(room * group.rows / rows)) for group in row_groups]


def _line(blocks: Text, marks: Text) -> Iterator[Text]:
    yield blocks
    if marks.plain.strip():
        yield marks
