"""The results as a table and as JSON, and the targets as ratios within the run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.report import machine
from benchmarks.scale.measure import Measured, Side
from benchmarks.scale.session import Cost

_HEADER = (
    "table", "size", "query", "ms/request", "decision", "plan ms", "plain", "first rows ms",
    "plain", "requests", "plain", "KB read", "MB allocated", "plain", "heap MB", "plain",
)  # fmt: skip
_WIDTHS = (12, 8, 14, 11, 16, 9, 8, 14, 8, 9, 8, 8, 13, 8, 8, 8)


def table(measured: Sequence[Measured]) -> str:
    """Return a line for each query: ours, then plain Spark's; requests and bytes are planning's."""
    return "\n".join([_line(_HEADER), *(_line(_cells(one)) for one in measured)])


def growth(measured: Sequence[Measured]) -> dict[str, float]:
    """Return the growth of the time to the first rows of a covered LIMIT with the files.

    By latency, from the smallest number of files to 10,000 or the largest number below it.
    """
    ratios = {}
    files = [one for one in measured if one.table == "files" and one.query == "covered"]
    for latency in sorted({one.latency for one in files}):
        sized = {one.size: one.ours.first_rows for one in files if one.latency == latency}
        least, most = min(sized), max(size for size in sized if size <= max(10_000, min(sized)))
        first, last = sized[least], sized[most]
        if first and last:
            ratios[f"{least} to {most} files, {latency} ms"] = last.seconds / first.seconds
    return ratios


def worst(measured: Sequence[Measured]) -> dict[str, float]:
    """Return the maximum seconds that the extension added to planning, by query and latency."""
    unproved = [one for one in measured if one.query != "covered"]
    added: dict[str, float] = {}
    for one in unproved:
        more = one.ours.planning.seconds - one.plain.planning.seconds
        key = f"{one.query}, {one.latency} ms"
        added[key] = max(added.get(key, 0.0), more)
    return added


def write_json(path: Path, measured: Sequence[Measured], about: dict[str, Any]) -> None:
    """Write everything that was measured."""
    document = {
        "about": about | machine(),
        "growth of the time to the first rows of a covered LIMIT": _rounded(growth(measured)),
        "seconds added at most where nothing is proved": _rounded(worst(measured)),
        "measured": [_as_dict(one) for one in measured],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _rounded(values: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 3) for name, value in values.items()}


def _as_dict(one: Measured) -> dict[str, Any]:
    sides = {"ours": _side(one.ours), "plain": _side(one.plain)}
    return asdict(one) | {"listing": one.listing.as_dict()} | sides


def _side(side: Side) -> dict[str, Any]:
    first_rows = side.first_rows.as_dict() if side.first_rows else None
    return asdict(side) | {"planning": side.planning.as_dict(), "first_rows": first_rows}


def _cells(one: Measured) -> tuple[str, ...]:
    ours, plain = one.ours, one.plain
    return (
        one.table,
        str(one.size),
        one.query,
        str(one.latency),
        ours.decision,
        _millis(ours.planning),
        _millis(plain.planning),
        _millis(ours.first_rows),
        _millis(plain.first_rows),
        str(ours.planning.requests),
        str(plain.planning.requests),
        f"{ours.planning.bytes / 1e3:.0f}",
        f"{ours.planning.allocated / 1e6:.1f}",
        f"{plain.planning.allocated / 1e6:.1f}",
        f"{ours.heap / 1e6:.1f}",
        f"{plain.heap / 1e6:.1f}",
    )


def _millis(cost: Cost | None) -> str:
    return "-" if cost is None else f"{cost.seconds * 1e3:.0f}"


def _line(cells: tuple[str, ...]) -> str:
    return "".join(f"{cell:>{width}}" for cell, width in zip(cells, _WIDTHS, strict=True))
