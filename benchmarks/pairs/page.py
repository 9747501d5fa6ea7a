"""The part of docs/benchmarks.md that shows the results."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any

from benchmarks.pairs.report import interval
from benchmarks.pairs.verdict import UNCLEAR, WITHIN

_NEITHER = (WITHIN, UNCLEAR)
_HIGH = 1.03
"""A ratio above it is shown, also if its interval reaches down to 1."""
_TITLES = ("kind", "ms: plain / ours", "ours / plain")


def page(results: dict[str, Any], machine: str, fill: Callable[[str], str]) -> str:
    """Return the results as paragraphs and tables.

    Args:
        results: The results, from JSON.
        machine: The machine, the day and the commit of the run.
        fill: Breaks a paragraph into lines.
    """
    about = results["about"]
    shown = [kind for kind in results["kinds"] if _is_shown(kind)]
    parts = [
        fill(f"{about['pairs']} pairs of each kind; Spark {about['spark']}; {machine}."),
        fill(f"{_sentence(results)} {_cpu(results)}"),
        fill(_others(results)),
        _table(_TITLES, [_cells(kind) for kind in shown]),
        fill(_sessions(results)),
        "The tables:",
        _table(("table", "written by", "contents"), _tables(results)),
    ]
    return "\n" + "\n\n".join(part for part in parts if part) + "\n\n"


def _sentence(results: dict[str, Any]) -> str:
    """Return how many kinds have which verdict."""
    counts: dict[str, int] = {}
    for kind in results["kinds"]:
        counts[kind["verdict"]] = counts.get(kind["verdict"], 0) + 1
    shown = ", ".join(f"{count} *{name}*" for name, count in sorted(counts.items()))
    failed = "".join(f" {one['kind']} failed." for one in results["failed"])
    return f"Of {len(results['kinds'])} kinds: {shown}.{failed}"


def _is_shown(kind: dict[str, Any]) -> bool:
    """Return whether a kind is faster or slower than plain Spark, or may be slower."""
    return kind["verdict"] not in _NEITHER or round(kind["time"]["median"], 2) > _HIGH


def _others(results: dict[str, Any]) -> str:
    """Return the ratios of the kinds that the table leaves out as a sentence."""
    ratios = [kind["time"]["median"] for kind in results["kinds"] if not _is_shown(kind)]
    if not ratios:
        return ""
    return (
        f"These are faster, slower, or have a median above {_HIGH}. The medians of the other "
        f"{len(ratios)} are {min(ratios):.2f} to {max(ratios):.2f}."
    )


def _cpu(results: dict[str, Any]) -> str:
    """Return the ratios of CPU time as a sentence."""
    ratios = [kind["cpu"]["median"] for kind in results["kinds"]]
    return (
        f"The medians of the ratios of CPU time are {min(ratios):.2f} to {max(ratios):.2f}, and "
        f"{median(ratios):.2f} in the middle."
    )


def _cells(kind: dict[str, Any]) -> list[str]:
    mark = f" **{kind['verdict']}**" if kind["verdict"].isupper() else ""
    return [
        kind["kind"],
        f"{kind['plain_ms']:.0f} / {kind['ours_ms']:.0f}",
        f"{interval(kind['time'])}{mark}",
    ]


def _tables(results: dict[str, Any]) -> list[list[str]]:
    tables = results["tables"]
    return [[name, tables[name]["written by"], tables[name]["about"]] for name in tables]


def _sessions(results: dict[str, Any]) -> str:
    """Return the comparison of sessions as sentences."""
    sentences = []
    first = results["first query of a session"]
    if first:
        sentences.append(
            f"The first query of a session (*{first['kind']}*) took {first['plain_ms']:.0f} ms "
            f"without and {first['ours_ms']:.0f} ms with the extension: ratio "
            f"{interval(first['time'])}, {first['pairs']} new sessions of each."
        )
    off = [
        f"{'the same plan' if one['same_plans'] else 'another plan'} for *{one['kind']}*, ratio "
        f"{interval(one['time'])}"
        for one in results["switched off"]
    ]
    if off:
        sentences.append(
            f"Switched off, against a session without the extension: {'; '.join(off)}."
        )
    return " ".join(sentences)


def _table(titles: tuple[str, ...], rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(titles)} |", "| --- " * len(titles) + "|"]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows])
