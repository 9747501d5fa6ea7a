"""What there is to show of a LIMIT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limit_pruning._display.view import View
from limit_pruning._text import bound_line, outcome_lines

if TYPE_CHECKING:
    from limit_pruning._report import LimitReport


def limit_view(limit: LimitReport) -> View:
    """Return the query, its row groups, how many of them are left at each step, and the cost."""
    clauses = (
        ("WHERE", limit.predicate),
        ("ORDER BY", limit.order_by),
        ("LIMIT", "?" if limit.limit is None else f"{limit.limit}"),
    )
    bound = [bound_line(limit)] if limit.order_by and limit.row_groups_scanned is not None else []
    return View(
        table=limit.table,
        clauses=tuple((word, rest) for word, rest in clauses if rest),
        row_groups=limit.row_groups,
        omitted=limit.row_groups_omitted,
        notes=(*_steps(limit), *bound, *outcome_lines(limit)),
    )


def _steps(limit: LimitReport) -> list[str]:
    steps = (
        (limit.row_groups_matched, "matched"),
        (limit.row_groups_fully_matched, "fully matched"),
        (limit.row_groups_scanned, "scanned"),
    )
    if limit.row_groups_total is None:
        return []
    known = [f"{count:,} {word}" for count, word in steps if count is not None]
    groups = f"{limit.row_groups_total:,} row group" + ("" if limit.row_groups_total == 1 else "s")
    return [" → ".join([groups, *known])]
