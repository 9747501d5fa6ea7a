"""The results: a table for the terminal, JSON, and a part of the documentation."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.pairs import verdict
from benchmarks.pairs.interval import Estimate
from benchmarks.pairs.kind import Kind
from benchmarks.pairs.measure import Measured
from benchmarks.pairs.sessions import Sessions

_WIDTHS = (34, 10, 10, 22, 8, 15)
_HEADER = ("kind", "plain ms", "ours ms", "ours / plain", "CPU", "verdict")
SESSIONS_LIMIT = 1.1
"""The greatest ratio between two sessions, whose JVMs compile differently."""


@dataclass(frozen=True)
class Failed:
    """A kind that could not be measured, and why."""

    kind: Kind
    error: str


@dataclass(frozen=True)
class Results:
    """Everything that was measured.

    Attributes:
        measured: The kinds.
        failed: The kinds that failed.
        first: The first queries of sessions; None if they were not measured.
        off: Sessions with the extension switched off, against sessions without it.
    """

    measured: Sequence[Measured]
    failed: Sequence[Failed]
    first: Sessions | None
    off: Sequence[Sessions]

    @property
    def red(self) -> list[str]:
        """What makes the run fail, a line each."""
        slower = [f"{m.kind.name}: slower" for m in self.measured if of(m) == verdict.RED]
        failed = [f"{f.kind.name}: {f.error}" for f in self.failed]
        return slower + failed + [line for one in self.off for line in _red_off(one)]


def of(measured: Measured) -> str:
    """Return the verdict on a kind."""
    return verdict.verdict(measured.time, verdict.limit(measured.kind, measured.plain))


def line(measured: Measured) -> str:
    """Return a kind as a line of the table."""
    return _line(
        (
            measured.kind.name,
            _ms(measured.plain),
            _ms(measured.ours),
            interval(ends(measured.time)),
            f"{measured.cpu.median:.2f}",
            of(measured),
        )
    )


def header() -> str:
    """Return the titles of the lines."""
    return _line(_HEADER)


def summary(results: Results) -> str:
    """Return what was measured besides the kinds, and what makes the run fail."""
    lines = []
    if results.first:
        text = interval(ends(results.first.time))
        lines.append(f"first query of a session, with the extension / without it: {text}")
    for one in results.off:
        plans = "the same plans" if one.same_plans else "OTHER PLANS"
        text = interval(ends(one.time))
        lines.append(f"{one.kind.name}, switched off / without the extension: {text}, {plans}")
    lines += [f"RED: {text}" for text in results.red]
    return "\n".join(lines)


def document(results: Results) -> dict[str, Any]:
    """Return everything for JSON."""
    tables = {m.kind.table.name: m.kind.table for m in results.measured}
    return {
        "tables": {
            name: {"written by": table.writer, "about": table.about}
            for name, table in tables.items()
        },
        "first query of a session": results.first and _sessions(results.first),
        "switched off": [_sessions(one) for one in results.off],
        "kinds": [_kind(m) for m in results.measured],
        "failed": [{"kind": f.kind.name, "error": f.error} for f in results.failed],
        "red": results.red,
    }


def interval(ratio: dict[str, float | None]) -> str:
    """Return a ratio with its interval, as `document` has it."""
    if ratio["low"] is None:
        return f"{ratio['median']:.2f}"
    return f"{ratio['median']:.2f} [{ratio['low']:.2f}, {ratio['high']:.2f}]"


def ends(ratio: Estimate) -> dict[str, float | None]:
    """Return a ratio with its interval, for JSON."""
    return {
        "median": round(ratio.median, 4),
        "low": None if ratio.low is None else round(ratio.low, 4),
        "high": None if ratio.high is None else round(ratio.high, 4),
    }


def _red_off(one: Sessions) -> list[str]:
    name = f"{one.kind.name}, switched off"
    plans = [] if one.same_plans else [f"{name}: another plan than without the extension"]
    is_slower = verdict.verdict(one.time, SESSIONS_LIMIT) == verdict.RED
    return plans + ([f"{name}: slower than without the extension"] if is_slower else [])


def _kind(m: Measured) -> dict[str, Any]:
    plain, ours = m.first.plain, m.first.ours
    return {
        "kind": m.kind.name,
        "table": m.kind.table.name,
        "queries": [template.sql for template in m.kind.queries],
        "example": m.example[0],
        "result": m.kind.shape,
        "plain_ms": round(m.plain * 1e3, 1),
        "ours_ms": round(m.ours * 1e3, 1),
        "first_ms": [round(run.seconds * 1e3, 1) for run in (plain, ours)],
        "time": ends(m.time),
        "plain_cpu_ms": round(statistics.median(p.plain.cpu for p in m.pairs) * 1e3, 1),
        "ours_cpu_ms": round(statistics.median(p.ours.cpu for p in m.pairs) * 1e3, 1),
        "cpu": ends(m.cpu),
        "limit": verdict.limit(m.kind, m.plain),
        "verdict": of(m),
        "ratios": [round(p.ours.seconds / p.plain.seconds, 3) for p in m.pairs],
    }


def _sessions(one: Sessions) -> dict[str, Any]:
    return {
        "kind": one.kind.name,
        "plain_ms": round(statistics.median(p.plain.seconds for p in one.pairs) * 1e3, 1),
        "ours_ms": round(statistics.median(p.ours.seconds for p in one.pairs) * 1e3, 1),
        "time": ends(one.time),
        "same_plans": one.same_plans,
        "pairs": len(one.pairs),
    }


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.0f}"


def _line(cells: tuple[str, ...]) -> str:
    first, *rest = cells
    columns = [f"{cell:>{width}}" for cell, width in zip(rest, _WIDTHS[1:], strict=True)]
    return f"{first:<{_WIDTHS[0]}}" + "".join(columns)
