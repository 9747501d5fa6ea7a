"""The page on benchmarks contains the results; `make golden` writes that part again."""

from __future__ import annotations

import json
from statistics import geometric_mean
from typing import Any

import pytest

from benchmarks.engines import DATAFUSION, DUCKDB, OURS, PLAIN
from benchmarks.queries import queries
from benchmarks.reasons import REASONS
from support.doc_pages import RESULTS, fill, hold_generated
from support.paths import DOCS

MET = {True: "met", False: "**missed**", None: "not measured"}


def test_the_page_contains_the_results(pytestconfig: pytest.Config) -> None:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    hold_generated(DOCS / "benchmarks.md", described(results), pytestconfig)


def described(results: dict[str, Any]) -> str:
    """Return the results as a sentence, a table, and the reasons for missed targets."""
    about, tables = results["about"], results["tables"]
    size = f"{tables['events']['bytes'] / 1e9:.1f} GB in {tables['events']['files']} files"
    versions = ", ".join(f"{n} {v}" for n, v in about["versions"].items() if "extension" not in n)
    rows = [row(target) for target in results["targets"]]
    missed = [
        fill(f"- *{target['name']}:* {REASONS.get(target['name'], target['reason'])}.", indent="  ")
        + "\n"
        for target in results["targets"]
        if target["met"] is False
    ]
    of = [about.get(key) for key in ("cpu", "system", "jvm", "date")]
    commit = [f"commit {about['commit']}"] if "commit" in about else []
    load = f"load of the last 15 minutes {about['load_of_15_minutes']}"
    machine = ", ".join([*filter(None, of), *commit, f"{about['cores']} cores", load])
    return (
        f"\n{fill(f'{size}; {versions}; {machine}.')}\n\n"
        f"| ratio | target | | geometric mean | least | most |\n{'| --- ' * 6}|\n"
        f"{''.join(rows)}\nKnown reasons for missed targets:\n\n"
        f"{''.join(missed)}\n{TIMES}\n\n{times(results)}\n"
    )


TIMES = fill(
    "The next table has times in ms: the geometric mean of the queries of a kind. *First* is the "
    "first run of a query in its process, *warm* the median of the others. DataFusion and DuckDB "
    "are libraries that run a query in the process that asks for it, without Spark's planning, "
    "tasks and commits; they are shown for scale."
)
COLUMNS = [
    ("Spark, first", PLAIN, "first_seconds"),
    ("ours, first", OURS, "first_seconds"),
    ("Spark, warm", PLAIN, "seconds"),
    ("ours, warm", OURS, "seconds"),
    ("DataFusion, warm", DATAFUSION, "seconds"),
    ("DuckDB, warm", DUCKDB, "seconds"),
]


def times(results: dict[str, Any]) -> str:
    """Return a table with a line for each kind of query over the table of 60 files."""
    kinds: dict[str, list[dict[str, Any]]] = {}
    costs = {query["query"]: query["costs"] for query in results["queries"]}
    for query in queries():
        if query.name in costs and query.table.name == "events":
            order = f"ORDER BY {query.order}, " if query.order else ""
            limit = "LIMIT" if query.limit else "no LIMIT"
            kind = f"{query.predicate}, {order}{limit}, {query.action}"
            kinds.setdefault(kind, []).append(costs[query.name])
    any_costs = next(iter(costs.values()))
    columns = [column for column in COLUMNS if column[2] in any_costs[column[1]]]
    titles = ["queries", "number", *(title for title, _, _ in columns)]
    lines = [f"| {' | '.join(titles)} |", "| --- " * len(titles) + "|"]
    for kind, of in kinds.items():
        means = [geometric_mean([each[name][key] for each in of]) for _, name, key in columns]
        lines.append(f"| {kind} | {len(of)} | {' | '.join(f'{1000 * n:.0f}' for n in means)} |")
    return "\n".join(lines) + "\n"


def row(target: dict[str, Any]) -> str:
    """Return one line of the table."""
    ratios = target["ratios"].values()
    numbers = (target["geometric_mean"], min(ratios), max(ratios))
    cells = [target["name"], target["goal"], MET[target["met"]], *(f"{n:.2f}" for n in numbers)]
    return f"| {' | '.join(cells)} |\n"
