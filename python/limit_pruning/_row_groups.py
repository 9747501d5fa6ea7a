"""One row group in a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from limit_pruning._export import Exported

State = Literal["not", "partially", "fully"]
DecidedBy = Literal["statistics", "values", "pages", "rows"]


@dataclass(frozen=True, slots=True)
class RowGroupReport(Exported):
    """One row group: its state, what decided it, and how many of its rows are read.

    Attributes:
        file: Path of its file, as a URI.
        ordinal: Its position in the file, from 0.
        rows: Number of rows.
        bytes: Compressed bytes of all columns.
        state: "not" where no row matches the predicate, "fully" where every row is proved to match,
            else "partially".
        decided_by: What proved the state: "statistics" (of the footer, or partition values),
            "values" (of dictionaries and bloom filters), "pages" (their statistics) or "rows"
            (columns were read first); None where the state is undecided.
        why: One sentence that explains the state.
        facts: Value range and nulls of each column of the predicate, as text.
        scanned: Whether the scan reads rows of it for the LIMIT.
        rows_to_read: Number of these rows: 0 where it is not scanned, fewer than `rows`
            where pages are skipped.
    """

    file: str
    ordinal: int
    rows: int
    bytes: int
    state: State
    decided_by: DecidedBy | None
    why: str
    facts: tuple[str, ...]
    scanned: bool
    rows_to_read: int
