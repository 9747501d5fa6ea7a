"""The results as text: lines of the terminal, and the part of docs/benchmarks.md."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from benchmarks.engines import DATAFUSION, DUCKDB, OURS, PLAIN

_ENGINES = (PLAIN, OURS, DATAFUSION, DUCKDB)
HEADER = (
    f"{'query':34} {'MB: Spark':>10} {'ours':>8} {'DataF.':>8} {'DuckDB':>8}   "
    f"{'ms: Spark':>9} {'ours':>8}"
)
_TITLES = (
    "query", "kind", "MB: Spark", "ours", "DataFusion", "DuckDB", "ratio",
    "ms: Spark", "ours", "ratio",
)  # fmt: skip


def line(measured: dict[str, Any]) -> str:
    """Return one line for the terminal."""
    costs = measured["costs"]
    sizes = " ".join(f"{costs[name]['bytes'] / 1e6:8.1f}" for name in _ENGINES)
    plain, ours = costs[PLAIN], costs[OURS]
    return (
        f"{measured['query']['name']:34}  {sizes}   {plain['seconds'] * 1e3:9.0f} "
        f"{ours['seconds'] * 1e3:8.0f}   bytes {plain['bytes'] / ours['bytes']:6.1f}, "
        f"time {plain['seconds'] / ours['seconds']:5.2f}"
    )


def page(results: dict[str, Any], machine: str, fill: Callable[[str], str]) -> str:
    """Return the results as paragraphs and a table.

    Args:
        results: The results, from JSON.
        machine: The machine, the day and the commit of the run.
        fill: Breaks a paragraph into lines.
    """
    about = results["about"]
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    rows = [_cells(one) for one in results["queries"]]
    table = [f"| {' | '.join(_TITLES)} |", "| --- " * len(_TITLES) + "|"]
    table += [f"| {' | '.join(row)} |" for row in rows]
    parts = [
        fill(f"Medians of {about['runs']} runs; {versions}; {machine}."),
        fill(_means(results)),
        "\n".join(table),
    ]
    return "\n" + "\n\n".join(parts) + "\n\n"


def _cells(measured: dict[str, Any]) -> list[str]:
    costs = measured["costs"]
    plain, ours = costs[PLAIN], costs[OURS]
    return [
        measured["query"]["name"],
        measured["query"]["kind"],
        *(f"{costs[name]['bytes'] / 1e6:.1f}" for name in _ENGINES),
        f"{plain['bytes'] / ours['bytes']:.1f}",
        f"{plain['seconds'] * 1e3:.0f}",
        f"{ours['seconds'] * 1e3:.0f}",
        f"{plain['seconds'] / ours['seconds']:.2f}",
    ]


def _means(results: dict[str, Any]) -> str:
    """Return the geometric means of each kind as a sentence."""
    kinds: dict[str, list[tuple[float, float]]] = {}
    for one in results["queries"]:
        plain, ours = one["costs"][PLAIN], one["costs"][OURS]
        ratios = (plain["bytes"] / ours["bytes"], plain["seconds"] / ours["seconds"])
        kinds.setdefault(one["query"]["kind"], []).append(ratios)

    def mean(values: list[float]) -> float:
        return math.exp(sum(map(math.log, values)) / len(values))

    shown = [
        f"*{kind}* {mean([b for b, _ in ratios]):.1f} and {mean([t for _, t in ratios]):.1f}"
        for kind, ratios in kinds.items()
    ]
    return f"Geometric means of the ratios Spark / ours, in bytes and in time: {'; '.join(shown)}."
