"""What a fuzz run counts, by kind of query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

QUERIES, PRUNED, EXCUSED = "queries", "pruned", "wrong in plain Spark, too"
NO_REFERENCE, WRONG, ERRORS = "no reference", "wrong", "rounds that fail"
TABLES = "tables"
SECONDS = "seconds"
NAMES = (TABLES, QUERIES, PRUNED, EXCUSED, NO_REFERENCE, WRONG, ERRORS, SECONDS)

Counts = dict[str, Counter[str]]


def added(parts: Iterable[dict[str, dict[str, Any]]]) -> Counts:
    """Add the counts of several processes, kind by kind."""
    total: Counts = {}
    for part in parts:
        for kind, counts in part.items():
            total.setdefault(kind, Counter()).update(counts)
    return total


def document(counts: Counts) -> dict[str, Any]:
    """Return the counts for JSON: a sum of each, and each kind; names are sorted."""
    kinds = {kind: {name: round(counts[kind][name]) for name in sorted(NAMES)} for kind in counts}
    total = {name: sum(one[name] for one in kinds.values()) for name in sorted(NAMES)}
    return {"kinds": dict(sorted(kinds.items())), "total": total}


def table(found: dict[str, Any]) -> str:
    """Return the document as a table, with a line for each kind."""
    lines = [("", *NAMES)]
    rows = [*found["kinds"].items(), ("total", found["total"])]
    lines += [(kind, *(f"{counts[name]:,}" for name in NAMES)) for kind, counts in rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(NAMES) + 1)]
    return "\n".join(
        "  ".join(
            [line[0].ljust(widths[0])]
            + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
        )
        for line in lines
    )
