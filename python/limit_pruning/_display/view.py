"""What there is to show of one scan, for whichever medium."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from limit_pruning._row_groups import RowGroupReport, State

STATES: tuple[State, ...] = ("not", "partially", "fully")
STATE_NAMES: dict[State, str] = {
    "not": "not matching",
    "partially": "partially matching",
    "fully": "fully matching",
}


@dataclass(frozen=True, slots=True)
class Grid:
    """A small table: its headings, and rows of as many cells, of which the first two are names."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class View:
    """One scan: what was asked, what is known of its row groups, and what else there is to say.

    Attributes:
        table: Table name or path.
        clauses: Keywords and what follows them, such as ("WHERE", "s >= 50") and ("LIMIT", "3").
        row_groups: In the order of the files.
        omitted: How many more row groups there are.
        notes: Sentences to stand below; the first one sums up.
        grid: What there is to tell of columns, below everything else.
    """

    table: str
    clauses: tuple[tuple[str, str], ...]
    row_groups: Sequence[RowGroupReport]
    omitted: int
    notes: tuple[str, ...]
    grid: Grid | None = None


@dataclass(frozen=True, slots=True)
class Count:
    """The row groups of one state. `size` is in compressed bytes of all columns."""

    state: State
    row_groups: int
    rows: int
    size: int
    chosen: int
    rows_to_read: int


def counts(row_groups: Sequence[RowGroupReport]) -> list[Count]:
    """Count row groups by state; each state has an entry, in the order not, partially, fully."""
    return [_count(state, [g for g in row_groups if g.state == state]) for state in STATES]


def _count(state: State, members: list[RowGroupReport]) -> Count:
    return Count(
        state=state,
        row_groups=len(members),
        rows=sum(group.rows for group in members),
        size=sum(group.bytes for group in members),
        chosen=sum(group.chosen for group in members),
        rows_to_read=sum(group.rows_to_read for group in members),
    )
