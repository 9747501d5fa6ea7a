"""What became of one row group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["not", "partially", "fully"]
DecidedBy = Literal["statistics", "values", "pages"]


@dataclass(frozen=True, slots=True)
class RowGroupReport:
    """One row group, what is known of its rows, and how many of them are to be read.

    Attributes:
        file: Path of its file, as a URI.
        ordinal: Its place in the file, counted from 0.
        rows: Its rows.
        bytes: Compressed bytes of all its columns.
        state: Whether no row, perhaps some rows, or every row satisfies the predicate.
        decided_by: What proved the state: the statistics of the footer (or partition values), the
            values in dictionaries and bloom filters, or the statistics of pages; None where it is
            undecided.
        why: One sentence on the state.
        facts: What is known of each column that the predicate uses.
        chosen: Whether it is to be read.
        rows_to_read: Rows of it that are chosen: 0 where it is not chosen, fewer than `rows` where
            pages are skipped.
    """

    file: str
    ordinal: int
    rows: int
    bytes: int
    state: State
    decided_by: DecidedBy | None
    why: str
    facts: tuple[str, ...]
    chosen: bool
    rows_to_read: int
