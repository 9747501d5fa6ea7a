"""The display of a LIMIT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limit_pruning._display.view import View
from limit_pruning._text import outcome_lines, threshold_line

if TYPE_CHECKING:
    from limit_pruning._counts import RowGroupCounts
    from limit_pruning._report import LimitReport


def limit_view(limit: LimitReport) -> View:
    """Return the query, its row groups, how many remain after each step, and what is read."""
    clauses = (
        ("WHERE", limit.predicate),
        ("ORDER BY", limit.order_by),
        ("LIMIT", "?" if limit.limit is None else f"{limit.limit}"),
    )
    is_ordered = limit.order_by and limit.row_groups.scanned is not None
    threshold = [threshold_line(limit)] if is_ordered or limit.threshold is not None else []
    return View(
        table=limit.table,
        clauses=tuple((word, rest) for word, rest in clauses if rest),
        row_groups=limit.row_groups.details,
        omitted=limit.row_groups.omitted,
        notes=(*_steps(limit.row_groups), *threshold, *outcome_lines(limit)),
    )


def _steps(row_groups: RowGroupCounts) -> list[str]:
    if row_groups.total is None:
        return []
    steps = (
        (row_groups.matched, "matched"),
        (row_groups.fully_matched, "fully matched"),
        (row_groups.scanned, "scanned"),
    )
    reached = [f"{count:,} {word}" for count, word in steps if count is not None]
    total = f"{row_groups.total:,} row group" + ("" if row_groups.total == 1 else "s")
    return [" → ".join([total, *reached])]
