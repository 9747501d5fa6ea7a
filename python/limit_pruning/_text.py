"""The text of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from limit_pruning._counts import FileCounts
    from limit_pruning._report import LimitReport

_PENDING = ("decided-when-run", "decided-by-rows")
_INDENT = "\n  "


def limit_text(limit: LimitReport) -> str:
    """Return one line with the query of the LIMIT, and indented lines with the result."""
    where = f" WHERE {limit.predicate}" if limit.predicate else ""
    order = f" ORDER BY {limit.order_by}" if limit.order_by else ""
    lines = [f"{limit.table}{where}{order} LIMIT {'?' if limit.limit is None else limit.limit}"]
    return _INDENT.join(lines + _row_group_lines(limit) + outcome_lines(limit))


def outcome_lines(limit: LimitReport) -> list[str]:
    """Return why the LIMIT is not pruned, or what is to be read, and what was read."""
    lines = []
    if limit.reason and limit.row_groups.scanned is None:
        what = "not decided yet" if limit.reason.code in _PENDING else "not pruned"
        lines.append(f"{what}: {limit.reason.message}")
        lines += [line for line in (_verified(limit),) if line]
    else:
        if limit.reason:
            lines.append(f"not covered: {limit.reason.message}")
        lines.append(_cost_line(limit))
    if limit.rows.read is not None:
        read = f"{human_rows(limit.rows.read)}{_groups_suffix(limit.row_groups.read)}"
        skipped = _known("; {:,} skipped", limit.row_groups.skipped or None)
        lines.append("read: " + _listed(read, limit.bytes.read) + skipped)
    return lines


def _row_group_lines(limit: LimitReport) -> list[str]:
    counts = limit.row_groups
    if counts.total is None:
        return [threshold_line(limit)] if limit.threshold is not None else []
    steps = (
        f"{counts.total} total → {counts.matched} matched -> {counts.fully_matched} fully matched"
    )
    lines = [f"row_groups_pruned_statistics={steps}"]
    if counts.scanned is not None:
        if limit.order_by:
            lines.append(threshold_line(limit))
        if not _reads_whole_files(limit):
            lines.append(
                f"limit_pruned_row_groups={counts.matched} total → {counts.scanned} matched"
            )
    return lines


def _reads_whole_files(limit: LimitReport) -> bool:
    """Whether another scan than the extension's reads the selected files whole."""
    return limit.row_groups.scanned is not None and limit.rows.to_read is None


def threshold_line(limit: LimitReport) -> str:
    """Return the value of the ORDER BY's key that the rows to be read must reach."""
    if limit.threshold is None:
        return "threshold: found while reading"
    certain = f"{human_rows(limit.rows.certain or 0)} certain"
    dropped = _known("; row groups dropped: {}", limit.row_groups.dropped)
    return f"threshold: {limit.threshold}; {certain}{dropped}"


def _cost_line(limit: LimitReport) -> str:
    rows = human_rows(limit.rows.to_read) if limit.rows.to_read is not None else ""
    to_read = _listed(rows, limit.bytes.to_read)
    return "; ".join(
        part
        for part in (
            _files(limit.files),
            _verified(limit),
            f"to read: {to_read}" if to_read else "",
            limit.pages.not_skipped_reason if _reads_whole_files(limit) else "",
            _known("skipped by OFFSET: {:,} rows", limit.rows.skipped or None),
            _known("pages skipped: {:,}", limit.pages.skipped or None),
            _known("planning: {:.1f} ms", limit.time.planning_ms),
            _row_filter(limit),
        )
        if part
    )


def _verified(limit: LimitReport) -> str:
    if limit.rows.verified is None:
        return ""
    found = _listed(human_rows(limit.rows.verified), limit.bytes.read_first)
    return f"verified: {found} read first"


def _files(files: FileCounts) -> str:
    parts = (
        _known("files: {} scanned", files.scanned),
        _known("{} inspected", files.inspected)
        + _known(" ({} cached)", files.footers_cached or None),
        _known("{} total", files.total),
        _known("{} pruned by log", files.pruned_by_log or None),
    )
    return ", ".join(part for part in parts if part)


def _row_filter(limit: LimitReport) -> str:
    if limit.predicate is None:
        return ""
    return f"row filter: {'skipped' if limit.row_filter_skipped else 'evaluated'}"


def _listed(text: str, size: int | None) -> str:
    return ", ".join(part for part in (text, "" if size is None else human_bytes(size)) if part)


def human_bytes(count: int) -> str:
    """Return a number of bytes in the largest binary unit of which it is at least 1."""
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
