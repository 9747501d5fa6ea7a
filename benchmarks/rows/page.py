"""The results as text: lines of the terminal, and the part of docs/benchmarks.md."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.engines import DATAFUSION, DUCKDB, OURS, PLAIN
from benchmarks.queries import COLLECT, TO_PANDAS
from benchmarks.report import store_costs
from benchmarks.rows import targets
from benchmarks.rows.queries import BELOW, CLICKBENCH, DISTINCT, FIRST_OF_EACH, GROUPS, ROOT

_ENGINES = (PLAIN, OURS, DATAFUSION, DUCKDB)
_TITLES = (
    "query",
    "MB: Spark / ours / DataFusion / DuckDB",
    "ms: Spark / ours",
)
_COMPARED = (
    "query", "Spark, `take(n)`", "Spark, `limit(n).toPandas()`", "ours, `take(n)`",
    "ours, `limit(n).toPandas()`", "DataFusion", "DuckDB",
)  # fmt: skip
_ABOUT_COMPARED = (
    "Queries at the root and not at the root: ms / MB / tasks. With `take(n)`, plain Spark begins "
    "with one task. For `limit(n).toPandas()`, it runs one for each part of the table, and one "
    "more. DataFusion and DuckDB return a pandas frame."
)
_ABOUT_KINDS = {
    GROUPS: (
        f"*{GROUPS}* is over *web_groups*: *web* in 12 files of 20 row groups, with 20 pages in a "
        "column chunk as in *web_spark*."
    ),
    CLICKBENCH: (
        f"*{CLICKBENCH}*, counted from 1, all `LIMIT 10`: query 24 selects all columns where `url` "
        "contains a text (0.01 % of the rows), `ORDER BY event_time`; 25 to 27 select "
        "`search_phrase` where it is not empty (13 %), `ORDER BY event_time`, `search_phrase`, or "
        "both."
    ),
    DISTINCT: f"*{DISTINCT}* is `SELECT DISTINCT url … LIMIT 10`.",
    FIRST_OF_EACH: (
        f"*{FIRST_OF_EACH}* is `row_number() OVER (PARTITION BY k ORDER BY event_time DESC) = 1` "
        "of all columns, where `k` is `status` or `region_id`, and 40 % of the rows match."
    ),
}
_ABOUT_STORE = (
    "Over *web_spark* on an object store of {milliseconds} ms for each request (`make bench-s3`), "
    "plain Spark / ours without / ours with cached footers; of each, the run with the median time:"
)


def header(engines: Sequence[str]) -> str:
    """Return the titles of the lines for the terminal; the first two engines are compared."""
    sizes = " ".join(f"{name[:8]:>8}" for name in ("MB alone", "ours", *engines[2:]))
    return f"{'query':34}  {sizes}   {'ms alone':>9} {'ours':>8}   tasks"


def line(measured: dict[str, Any]) -> str:
    """Return one line for the terminal."""
    costs = measured["costs"]
    sizes = " ".join(f"{cost['bytes'] / 1e6:8.1f}" for cost in costs.values())
    plain, ours = list(costs.values())[:2]
    return (
        f"{measured['query']['name']:34}  {sizes}   {plain['seconds'] * 1e3:9.0f} "
        f"{ours['seconds'] * 1e3:8.0f}   {plain['tasks']:>4}/{ours['tasks']:<3}   "
        f"bytes {plain['bytes'] / ours['bytes']:6.1f}, "
        f"time {plain['seconds'] / ours['seconds']:5.2f}"
    )


def page(results: dict[str, Any], machine: str, fill: Callable[[str], str]) -> str:
    """Return the results as paragraphs and tables.

    Args:
        results: The results, from JSON.
        machine: The machine, the day and the commit of the run.
        fill: Breaks a paragraph into lines.
    """
    about = results["about"]
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    rows = [_cells(one) for one in results["queries"] if _is_other(one)]
    table = [f"| {' | '.join(_TITLES)} |", "| --- " * len(_TITLES) + "|"]
    table += [f"| {' | '.join(row)} |" for row in rows]
    kinds = {one["query"]["kind"] for one in results["queries"]}
    parts = [
        fill(f"Medians of {about['runs']} runs; {versions}; {machine}."),
        fill(_means(results)),
        *(fill(text) for kind, text in _ABOUT_KINDS.items() if kind in kinds),
        fill(_ABOUT_COMPARED),
        _compared(results),
        _about_others([one for one in results["queries"] if _is_other(one)]),
        "\n".join(table),
        "The targets:",
        targets.table(results["queries"]),
    ]
    if results.get("store"):
        stored = store_costs({"queries": results["store"]}).rstrip("\n")
        parts += [fill(_ABOUT_STORE.format(milliseconds=about["milliseconds"])), stored]
    return "\n" + "\n\n".join(parts) + "\n\n"


def format_page(results: dict[str, Any], machine: str, fill: Callable[[str], str]) -> str:
    """Return the results over a table format as paragraphs and a table; arguments as of `page`."""
    about = results["about"]
    alone = next(iter(results["queries"][0]["costs"]))
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    both = f"{alone} / ours"
    table = [f"| query | MB: {both} | ms: {both} | tasks: {both} |", "| --- | --- | --- | --- |"]
    for one in results["queries"]:
        costs = list(one["costs"].values())
        shown = (
            [f"{cost['bytes'] / 1e6:.1f}" for cost in costs],
            [f"{cost['seconds'] * 1e3:.0f}" for cost in costs],
            [str(cost["tasks"]) for cost in costs],
        )
        table.append(f"| {' | '.join([one['query']['name'], *map(' / '.join, shown)])} |")
    parts = [
        fill(f"Medians of {about['runs']} runs; {versions}; {machine}."),
        fill(_means(results)),
        "\n".join(table),
    ]
    return "\n" + "\n\n".join(parts) + "\n\n"


def _cells(measured: dict[str, Any]) -> list[str]:
    costs = measured["costs"]
    both = (costs[PLAIN], costs[OURS])
    return [
        measured["query"]["name"],
        " / ".join(f"{costs[name]['bytes'] / 1e6:.1f}" for name in _ENGINES),
        " / ".join(f"{cost['seconds'] * 1e3:.0f}" for cost in both),
    ]


def _is_other(measured: dict[str, Any]) -> bool:
    return measured["query"]["kind"] not in (ROOT, BELOW)


def _about_others(queries: list[dict[str, Any]]) -> str:
    """Return what is common to the other queries as a sentence."""
    if not queries:
        return ""
    plain, ours = ([one["costs"][name]["tasks"] for one in queries] for name in (PLAIN, OURS))
    return (
        f"The other queries are collected. Plain Spark ran {min(plain)} to {max(plain)} tasks, "
        f"ours {min(ours)} to {max(ours)}:"
    )


def _compared(results: dict[str, Any]) -> str:
    """Return a line for each query that was both collected and returned as a pandas frame."""
    costs = {one["query"]["name"]: one["costs"] for one in results["queries"]}
    lines = [f"| {' | '.join(_COMPARED)} |", "| --- " * len(_COMPARED) + "|"]
    for name, taken in costs.items():
        query, _, action = name.rpartition(", ")
        if action == COLLECT:
            pandas = costs[f"{query}, {TO_PANDAS}"]
            ways = [one[engine] for engine in (PLAIN, OURS) for one in (taken, pandas)]
            cells = map(_cost, [*ways, pandas[DATAFUSION], pandas[DUCKDB]])
            lines.append(f"| {query} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cost(cost: dict[str, Any]) -> str:
    tasks = [str(cost["tasks"])] if "tasks" in cost else []
    return " / ".join([f"{cost['seconds'] * 1e3:.0f}", f"{cost['bytes'] / 1e6:.1f}", *tasks])


def _means(results: dict[str, Any]) -> str:
    """Return the geometric means of each kind as a sentence."""
    alone = next(iter(results["queries"][0]["costs"]))
    kinds: dict[str, list[tuple[float, float]]] = {}
    for one in results["queries"]:
        plain, ours = list(one["costs"].values())[:2]
        ratios = (plain["bytes"] / ours["bytes"], plain["seconds"] / ours["seconds"])
        kinds.setdefault(one["query"]["kind"], []).append(ratios)

    def mean(values: list[float]) -> float:
        return math.exp(sum(map(math.log, values)) / len(values))

    shown = [
        f"*{kind}* {mean([b for b, _ in ratios]):.1f} and {mean([t for _, t in ratios]):.1f}"
        for kind, ratios in kinds.items()
    ]
    return f"Geometric means of {alone} / ours, in bytes and in time: {'; '.join(shown)}."
