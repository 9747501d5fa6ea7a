"""The text of a report, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from limit_pruning._report import LimitReport

_INDENT = "\n  "


def limit_text(limit: LimitReport) -> str:
    """Return one line that names the LIMIT, and indented lines with what became of it."""
    where = f" WHERE {limit.predicate}" if limit.predicate else ""
    order = f" ORDER BY {limit.order_by}" if limit.order_by else ""
    lines = [f"{limit.table}{where}{order} LIMIT {'?' if limit.limit is None else limit.limit}"]
    return _INDENT.join(lines + _row_group_lines(limit) + outcome_lines(limit))


def outcome_lines(limit: LimitReport) -> list[str]:
    """Return why the LIMIT was left to Spark, or what reading costs, and what was read."""
    lines = []
    if limit.reason and limit.row_groups_scanned is None:
        lines.append(f"left to Spark: {limit.reason.message}")
    else:
        if limit.reason:
            lines.append(f"not covered: {limit.reason.message}")
        lines.append(_cost_line(limit))
    if limit.rows_read is not None:
        read = f"{human_rows(limit.rows_read)}{_groups_suffix(limit.row_groups_read)}"
        skipped = _known("; {:,} skipped", limit.row_groups_skipped or None)
        lines.append("read: " + _listed(read, limit.bytes_read) + skipped)
    return lines


def _row_group_lines(limit: LimitReport) -> list[str]:
    total, matched, fully = (
        limit.row_groups_total,
        limit.row_groups_matched,
        limit.row_groups_fully_matched,
    )
    if total is None or matched is None or fully is None:
        return []
    lines = [
        f"row_groups_pruned_statistics={total} total → {matched} matched -> {fully} fully matched"
    ]
    scanned = limit.row_groups_scanned
    if scanned is not None:
        if limit.order_by:
            lines.append(bound_line(limit))
        lines.append(f"limit_pruned_row_groups={matched} total → {scanned} matched")
    return lines


def bound_line(limit: LimitReport) -> str:
    """Return which value of the ORDER BY's key bounds the rows that are read."""
    if limit.bound is None:
        return "bound: found while reading"
    certain = f"{human_rows(limit.rows_certain or 0)} certain"
    return f"bound: {limit.bound}; {certain}; row groups dropped: {limit.row_groups_dropped}"


def _cost_line(limit: LimitReport) -> str:
    parts = [
        _known("files: {} scanned", limit.files_scanned),
        _known("{} looked at", limit.files_looked_at)
        + _known(" ({} known)", limit.footers_kept or None),
        _known("{} in all", limit.files_total),
    ]
    files = ", ".join(part for part in parts if part)
    rows = human_rows(limit.rows_to_read) if limit.rows_to_read is not None else ""
    to_read = _listed(rows, limit.bytes_to_read)
    return "; ".join(
        part
        for part in (
            files,
            f"to read: {to_read}" if to_read else "",
            _known("pages skipped: {:,}", limit.pages_skipped or None),
            _known("planning: {:.1f} ms", limit.planning_ms),
            _row_filter(limit),
        )
        if part
    )


def _row_filter(limit: LimitReport) -> str:
    if limit.predicate is None:
        return ""
    return f"row filter: {'skipped' if limit.row_filter_skipped else 'kept'}"


def _listed(text: str, size: int | None) -> str:
    return ", ".join(part for part in (text, "" if size is None else human_bytes(size)) if part)


def human_bytes(count: int) -> str:
    """Return a byte count in the largest binary unit that keeps it at 1 or above."""
    size = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"


def human_rows(count: int) -> str:
    """Return a number of rows with its unit."""
    return f"{count:,} row" + ("" if count == 1 else "s")


def _groups_suffix(count: int | None) -> str:
    if count is None:
        return ""
    return f" in {count:,} row group" + ("" if count == 1 else "s")


def _known(template: str, value: float | None) -> str:
    return "" if value is None else template.format(value)
