"""The tooltip of a row group."""

from limit_pruning._display.view import STATE_NAMES
from limit_pruning._row_groups import DecidedBy, RowGroupReport
from limit_pruning._text import human_bytes, human_rows

_DECIDED_BY: dict[DecidedBy, str] = {
    "statistics": "decided by the footer's statistics",
    "values": "decided by dictionaries and bloom filters",
    "pages": "decided by the statistics of pages",
    "rows": "decided by reading columns first",
}


def tooltip(group: RowGroupReport, file: str) -> str:
    """Return a few lines about a row group; `file` is the short name of its file."""
    lines = [
        f"{file}, row group {group.ordinal}: {STATE_NAMES[group.state]}",
        group.why,
        *group.facts,
        f"{human_rows(group.rows)}, {human_bytes(group.bytes)}",
    ]
    if group.decided_by:
        lines.append(_DECIDED_BY[group.decided_by])
    if group.scanned:
        lines.append(f"scanned: {human_rows(group.rows_to_read)} to read")
    return "\n".join(lines)
