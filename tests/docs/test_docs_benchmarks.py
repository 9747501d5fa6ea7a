"""Pages contain results of measurements; `make golden` writes these parts again."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import pytest

from benchmarks import summary
from benchmarks.engines import DATAFUSION, DELTA_ENGINES, DUCKDB, ICEBERG_ENGINES, OURS, PLAIN
from benchmarks.pairs import page as pairs
from benchmarks.queries import COLLECT, PLAN, queries
from benchmarks.reasons import REASONS
from benchmarks.report import cost_table, store_costs
from benchmarks.rows import page as rows
from benchmarks.spread import spread
from benchmarks.targets import NO_GOAL
from faults.planted import FAULTS
from support.doc_pages import PAIRS_RESULTS, RESULTS, S3_RESULTS, fill, hold_generated
from support.paths import DOCS, ROOT

DELTA_RESULTS = RESULTS.with_name("delta.json")
ICEBERG_RESULTS = RESULTS.with_name("iceberg.json")
JVM_RESULTS = RESULTS.with_name("jvm.json")
SOAK_RESULTS = RESULTS.with_name("soak.json")
FAULTS_RESULTS = RESULTS.with_name("faults.json")
ROWS_RESULTS = RESULTS.with_name("rows.json")
FORMAT_ROWS = {"delta-rows.json": "delta.md", "iceberg-rows.json": "iceberg.md"}
FUZZ_RESULTS = RESULTS.with_name("fuzz.json")
MUTANTS_RESULTS = RESULTS.with_name("mutants.json")
MET = {True: "met", False: "**missed**", None: "not measured"}


def test_the_readme_contains_what_is_saved(pytestconfig: pytest.Config) -> None:
    hold_generated(ROOT / "README.md", summary.table(), pytestconfig)


def test_the_page_contains_the_results(pytestconfig: pytest.Config) -> None:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    hold_generated(DOCS / "benchmarks.md", described(results), pytestconfig, RESULTS.name)


def test_the_page_contains_the_results_on_an_object_store(pytestconfig: pytest.Config) -> None:
    results = json.loads(S3_RESULTS.read_text(encoding="utf-8"))
    parts = [measured_on(results, "events"), ratios(results), STORE_COSTS, store_costs(results)]
    expected = "\n" + "\n\n".join(part.rstrip("\n") for part in parts) + "\n\n"
    hold_generated(DOCS / "benchmarks.md", expected, pytestconfig, S3_RESULTS.name)


def test_the_page_on_delta_contains_the_results(pytestconfig: pytest.Config) -> None:
    expected = beside(DELTA_RESULTS, "events_delta", costs)
    hold_generated(DOCS / "delta.md", expected, pytestconfig, DELTA_RESULTS.name)


def test_the_page_contains_the_results_over_iceberg(pytestconfig: pytest.Config) -> None:
    expected = beside(ICEBERG_RESULTS, "events_iceberg", iceberg_costs)
    hold_generated(DOCS / "benchmarks.md", expected, pytestconfig, ICEBERG_RESULTS.name)


def test_the_page_contains_the_results_of_pairs(pytestconfig: pytest.Config) -> None:
    expected = "\nIt has not been measured yet.\n\n"
    if PAIRS_RESULTS.exists():
        results = json.loads(PAIRS_RESULTS.read_text(encoding="utf-8"))
        expected = pairs.page(results, machine(results), fill)
    hold_generated(DOCS / "benchmarks.md", expected, pytestconfig, PAIRS_RESULTS.name)


def test_the_page_contains_the_results_of_rows(pytestconfig: pytest.Config) -> None:
    expected = "\nIt has not been measured yet.\n\n"
    if ROWS_RESULTS.exists():
        results = json.loads(ROWS_RESULTS.read_text(encoding="utf-8"))
        expected = rows.page(results, machine(results), fill)
    hold_generated(DOCS / "benchmarks.md", expected, pytestconfig, ROWS_RESULTS.name)


@pytest.mark.parametrize("name", FORMAT_ROWS)
def test_the_pages_on_formats_contain_the_results_of_rows(
    pytestconfig: pytest.Config, name: str
) -> None:
    results = json.loads(RESULTS.with_name(name).read_text(encoding="utf-8"))
    expected = rows.format_page(results, machine(results), fill)
    hold_generated(DOCS / FORMAT_ROWS[name], expected, pytestconfig, name)


def beside(path: Path, table: str, costs_of: Callable[[dict[str, Any]], str]) -> str:
    """Return the results over a table format, if there are any."""
    if not path.exists():
        return "\nIt has not been measured yet.\n\n"
    results = json.loads(path.read_text(encoding="utf-8"))
    parts = [measured_on(results, table), literals(results), ratios(results), costs_of(results)]
    return "\n" + "\n\n".join(part.rstrip("\n") for part in parts) + "\n\n"


def test_the_page_contains_the_results_of_jmh(pytestconfig: pytest.Config) -> None:
    results = json.loads(JVM_RESULTS.read_text(encoding="utf-8"))
    hold_generated(DOCS / "benchmarks.md", classifying(results), pytestconfig, JVM_RESULTS.name)


def test_the_page_contains_the_results_of_the_soak(pytestconfig: pytest.Config) -> None:
    results = json.loads(SOAK_RESULTS.read_text(encoding="utf-8"))
    hold_generated(DOCS / "reliability.md", soaked(results), pytestconfig, SOAK_RESULTS.name)


def test_the_page_contains_the_faults_that_tests_found(pytestconfig: pytest.Config) -> None:
    results = json.loads(FAULTS_RESULTS.read_text(encoding="utf-8"))
    hold_generated(DOCS / "soundness.md", planted(results), pytestconfig, FAULTS_RESULTS.name)


def test_the_page_contains_the_results_of_fuzzing(pytestconfig: pytest.Config) -> None:
    results = json.loads(FUZZ_RESULTS.read_text(encoding="utf-8"))
    hold_generated(DOCS / "soundness.md", fuzzed(results), pytestconfig, FUZZ_RESULTS.name)


def test_the_page_contains_the_mutants(pytestconfig: pytest.Config) -> None:
    results = json.loads(MUTANTS_RESULTS.read_text(encoding="utf-8"))
    hold_generated(DOCS / "soundness.md", mutated(results), pytestconfig, MUTANTS_RESULTS.name)


def test_the_results_are_those_of_the_faults_that_are_planted() -> None:
    results = json.loads(FAULTS_RESULTS.read_text(encoding="utf-8"))
    by_what = {fault.what: fault for fault in FAULTS}
    order = [fault.what for fault in FAULTS]
    found = [one["fault"] for one in results["faults"]]
    assert found == sorted(set(found), key=order.index)
    for one in results["faults"]:
        tried = tuple(run["test"] for run in one["runs"])
        assert tried
        assert tried == by_what[one["fault"]].tests[: len(tried)]


def fuzzed(results: dict[str, Any]) -> str:
    """Return the results of fuzz runs as a paragraph and a table."""
    about, total = results["about"], results["total"]
    wrong = f"{total['wrong']:,}" if total["wrong"] else "No"
    text = (
        f"In {about['minutes']:g} minutes, {about['processes']} processes held "
        f"{total['queries']:,} answers over {total['tables']:,} tables to those of plain Spark "
        f"{about['spark']}. {wrong} answer was wrong. Commits of all runs: "
        f"{', '.join(about['commits'])}. The last run: {machine(results)}."
    )
    names = ["tables", "queries", "pruned", "wrong in plain Spark, too", "no reference", "wrong"]
    lines = [f"| | {' | '.join(names)} |", "| --- " * (len(names) + 1) + "|"]
    for kind, counts in results["kinds"].items():
        lines.append(f"| {kind} | {' | '.join(f'{counts[name]:,}' for name in names)} |")
    return "\n".join(["", fill(text), "", *lines, "", ""])


def mutated(results: dict[str, Any]) -> str:
    """Return how many mutants were killed."""
    counts = results["counts"]
    number = len(results["equivalent"])
    text = (
        f"Of {counts['drawn']:,} mutants, the last run tried {counts['tried']:,}. Of these, "
        f"{counts['does not compile']:,} do not compile, the suites killed {counts['killed']:,}, "
        f"{counts['timed out']:,} timed out, and {counts['survived']:,} survived, of which "
        f"{number:,} are equivalent. {machine(results)}."
    )
    return f"\n{fill(text)}\n\n"


def planted(results: dict[str, Any]) -> str:
    """Return how many faults tests found, how soon, and which ones no test found."""
    runs = [one["runs"] for one in results["faults"]]
    first = [tried[0] for tried in runs if tried[0]["found"]]
    found = sum(tried[-1]["found"] for tried in runs)
    queries = [run["query"] for run in first if run["query"]]
    missed = [one["fault"] for one in results["faults"] if not one["runs"][-1]["found"]]
    untried = len(FAULTS) - len(runs)
    about = [
        f"Tests found {found} of {len(runs)} planted faults: {len(first)} by the test run first,",
        f"at query {median(queries):.0f} (median), and {found - len(first)} by another one.",
        *(f"No test found: {fault}." for fault in missed),
        *([f"{untried} faults were added since, and not tried."] if untried else []),
        f"{machine(results)}.",
    ]
    return f"\n{fill(' '.join(about))}\n\n"


def classifying(results: dict[str, Any]) -> str:
    """Return the costs of classifying a row group as a table, and the speed that follows."""
    costs = {(one["benchmark"], one["row_groups"]): one for one in results["benchmarks"]}
    sizes = sorted({row_groups for _, row_groups in costs})
    lines = []
    for size in sizes:
        cells = []
        for name in ("fromFooter", "fromFacts"):
            one = costs[name, size]
            cells += [f"{one['microseconds']:.2f} ± {one['error']:.2f}", f"{one['bytes']:.0f}"]
        lines.append(f"| {size:,} | {' | '.join(cells)} |")
    speeds = [1 / costs["fromFooter", size]["microseconds"] for size in sizes]
    about = fill(
        f"µs for one row group, with JMH's error: {min(speeds):.1f} to {max(speeds):.1f} million "
        "row groups per second on one thread. The target is 0.5 million, and a time that is "
        "linear in the number of row groups."
    )
    titles = "| row groups | from the footer | bytes | from facts | bytes |"
    table = "\n".join([titles, "| --- " * 5 + "|", *lines])
    return f"\n{machine(results)}.\n\n{table}\n\n{about}\n\n"


def soaked(results: dict[str, Any]) -> str:
    """Return the result of the last soak as a paragraph."""
    counts, uses = results["counts"], results["uses"]
    changes = sum(count for name, count in counts.items() if name.startswith("changes"))
    heaps = [use["heap"] / 1e6 for use in uses]
    later = heaps[len(heaps) // 3 :]
    threads, files = span(use["threads"] for use in uses), span(use["files"] for use in uses)
    text = (
        f"The last run took {results['about']['minutes']:g} minutes. The table changed {changes:,} "
        f"times. Of {counts['queries']:,} queries, {counts['covered']:,} were covered, and no "
        f"result was wrong. The heap after garbage collection was {heaps[0]:.0f} MB at first, and "
        f"between {min(later):.0f} and {max(later):.0f} MB after the first third of the run. The "
        f"number of threads was {threads}, without up to 200 of Spark's block manager. The number "
        f"of open files was {files}. "
        f"{machine(results)}."
    )
    return f"\n{fill(text)}\n\n"


def span(numbers: Iterable[int]) -> str:
    """Return the least and the greatest number, or the only one."""
    least, *_, most = sorted(numbers)
    return f"always {least}" if least == most else f"between {least} and {most}"


def described(results: dict[str, Any]) -> str:
    """Return the results as a sentence, a table, the reasons for missed targets, and times."""
    queries_run = f"{len(results['queries'])} queries; {measured_on(results, 'events')}"
    about = fill(TIMES + "; ".join(ABOUT_TABLES[name] for name in other_tables(results)) + ".")
    return (
        f"\n{fill(queries_run)} {literals(results)}\n\n{ratios(results)}\n{about}\n\n"
        f"{times(results)}\n"
    )


def literals(results: dict[str, Any]) -> str:
    """Return whether the runs of a query had new literals; earlier results do not say so."""
    if results["about"].get("new_literals"):
        return "Comparisons have new literals in each run."
    return "All runs of a query had the same literals."


def other_tables(results: dict[str, Any]) -> list[str]:
    """Return the tables of `ABOUT_TABLES` over which queries were run."""
    run = {query["query"].partition(", ")[0] for query in results["queries"]}
    return [name for name in ABOUT_TABLES if name in run]


def measured_on(results: dict[str, Any], table: str) -> str:
    """Return the size of the table, the versions and the machine."""
    about, size_of = results["about"], results["tables"][table]
    size = f"{size_of['bytes'] / 1e9:.1f} GB in {size_of['files']} files"
    versions = ", ".join(f"{n} {v}" for n, v in about["versions"].items() if "extension" not in n)
    return fill(f"{size}; {versions}; {machine(results)}.")


def machine(results: dict[str, Any]) -> str:
    """Return the machine, the day and the commit of a run."""
    about = results["about"]
    of = [about.get(key) for key in ("cpu", "system")]
    java = re.findall(r'"([\d.]+)"', about.get("jvm") or "")
    commit = [f"commit {about['commit']}"] if "commit" in about else []
    found = [*filter(None, of), f"{about['cores']} cores", *(f"Java {one}" for one in java)]
    load = f"load of 15 minutes {about['load_of_15_minutes']}"
    return ", ".join([*found, about["date"], *commit, load])


def ratios(results: dict[str, Any]) -> str:
    """Return the ratios that have a target as a table, with the reasons for missed ones.

    The others follow from the table of costs.
    """
    rows = [row(target) for target in results["targets"] if target["goal"] != NO_GOAL]
    return f"| ratio | target | measured | | if missed |\n{'| --- ' * 5}|\n{''.join(rows)}"


def row(target: dict[str, Any]) -> str:
    """Return one line of the table."""
    values = target["ratios"].values()
    why = reason(target) if target["met"] is False else ""
    cells = [target["name"], target["goal"], spread(target["geometric_mean"], values)]
    return f"| {' | '.join([*cells, MET[target['met']], why])} |\n"


def reason(target: dict[str, Any]) -> str:
    """Return why a target was missed."""
    return str(REASONS.get(target["name"]) or target["reason"] or "the reason is not known")


TIMES = (
    "Times in ms, as geometric means of the queries of a kind: *first*, the first run of a query "
    "in its process, of Spark / ours; *warm*, the median of the others, of Spark / ours / "
    "DataFusion / DuckDB. The last two are libraries without Spark's planning, tasks and commits. "
    "The table is that of 60 files, if no other is named: "
)
ABOUT_TABLES = {
    "by_day": "*by_day* has the partition column *day*",
    "int96": "*int96* has INT96 timestamps with dictionaries",
    "int96_plain": "*int96_plain* has INT96 timestamps without dictionaries",
}
"""The other tables whose queries are shown, and what is different about each."""
TIMED = {
    "first": ("first_seconds", (PLAIN, OURS)),
    "warm": ("seconds", (PLAIN, OURS, DATAFUSION, DUCKDB)),
}


def times(results: dict[str, Any]) -> str:
    """Return a table with a line for each kind of query, at the root and not at the root.

    All actions that are not at the root are one kind. Queries over tables that only differ from the
    one of 60 files in their layout are in the JSON.
    """
    kinds: dict[str, dict[bool, list[dict[str, Any]]]] = {}
    costs = {query["query"]: query["costs"] for query in results["queries"]}
    for query in queries():
        of_events = query.table.name == "events"
        if query.name in costs and (of_events or query.table.name in ABOUT_TABLES):
            table = "" if of_events else f"{query.table.name}, "
            limit = "LIMIT" if query.limit else "no LIMIT"
            of = kinds.setdefault(f"{table}{query.predicate}, {query.clause}{limit}", {})
            of.setdefault(query.action == COLLECT, []).append(costs[query.name])
    where = {True: "at the root", False: "not at the root"}
    titles = ["queries", *(f"{where[root]}, {title}" for root in where for title in TIMED)]
    lines = [f"| {' | '.join(titles)} |", "| --- " * len(titles) + "|"]
    for kind, by_root in kinds.items():
        cells = [timed(by_root.get(root), *of) for root in where for of in TIMED.values()]
        lines.append(f"| {kind} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def timed(costs: list[dict[str, Any]] | None, key: str, engines: Sequence[str]) -> str:
    """Return the geometric mean of the times of queries in ms, for each engine."""
    if costs is None:
        return ""
    return " / ".join(
        f"{1000 * geometric_mean([each[name][key] for each in costs]):.0f}" for name in engines
    )


COSTS = fill(
    "Each cell: Delta / Delta without push-down / ours, as geometric means of the queries of a "
    "kind. *First* is the first run of a query in its process; in the first line, it includes "
    "loading classes and the log."
)


def costs(results: dict[str, Any]) -> str:
    """Return a table of times and bytes, with a line for each query over the Delta table."""
    return f"{COSTS}\n\n{format_costs(results, DELTA_ENGINES)}"


def iceberg_costs(results: dict[str, Any]) -> str:
    """Return a table of times and bytes, with a line for each query over the Iceberg table."""
    about = fill(
        "Each cell: Iceberg alone / ours, as geometric means of the queries of a kind. All "
        "results: [`iceberg.json`](../benchmarks/results/iceberg.json)."
    )
    return f"{about}\n\n{format_costs(results, ICEBERG_ENGINES)}"


def format_costs(results: dict[str, Any], engines: Sequence[str]) -> str:
    """Return a table of times and bytes, with a line for each kind of query over a table format."""
    cells = {
        "first, ms": ("first_seconds", 1e3, 0),
        "warm, ms": ("seconds", 1e3, 0),
        "read, MB": ("bytes", 1e-6, 1),
    }
    kinds: dict[str, list[dict[str, Any]]] = {}
    for query in results["queries"]:
        rest, _, action = query["query"].rpartition(", ")
        shown = action if action in (COLLECT, PLAN) else "not at the root"
        kinds.setdefault(f"{rest}, {shown}", []).append(query["costs"])
    merged = [{"query": kind, "costs": means(costs, engines)} for kind, costs in kinds.items()]
    return cost_table(
        {"queries": merged}, cells, lambda query: [query["costs"].get(e) for e in engines]
    )


def means(costs: list[dict[str, Any]], engines: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the geometric means of the costs of queries, for each engine that has run all."""

    def mean(engine: str, key: str) -> float:
        values = [cost[engine][key] for cost in costs]
        return geometric_mean(values) if all(values) else 0.0

    keys = ("first_seconds", "seconds", "bytes")
    ran_all = [engine for engine in engines if all(engine in cost for cost in costs)]
    return {engine: {key: mean(engine, key) for key in keys} for engine in ran_all}


STORE_COSTS = fill(
    "Each cell: plain Spark / ours, first run / ours, second run; of each, the run with the median "
    "time. *No match in range* was only planned; its search stops early, and the worst case is "
    "[below](#planning-as-tables-grow)."
)
