"""Runs the benchmark: `python -m benchmarks.rows`, or `make bench-rows` (builds the JAR).

With `delta` or `iceberg` as an argument, it compares this format alone with the extension, over
tables of the same rows; `make bench-delta` and `make bench-iceberg` do that, too.

Engines take turns, and each run of a query has its own literal, if the query has a predicate.
ROWS_RUNS (4) is the number of runs of each query, of which the first does not count; ROWS_QUERIES
words of which a query's name must contain one; PAIRS_ROWS and BENCH_DATA are those of
`make bench-pairs`, whose tables it uses.
Over the Parquet tables, some queries are then run by both Sparks on the object store of
`make bench-s3`.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from benchmarks import report
from benchmarks.engines import DATAFUSION, DUCKDB, OURS, PLAIN
from benchmarks.pairs.__main__ import prepare
from benchmarks.pairs.settings import Settings, from_environment
from benchmarks.process import EngineError, EngineProcess
from benchmarks.rows import store
from benchmarks.rows.formats import COPIED, FORMATS, RowsFormat
from benchmarks.rows.page import header, line
from benchmarks.rows.queries import TABLES, RowsQuery, queries
from benchmarks.s3.__main__ import costs_of
from benchmarks.s3.session import MILLISECONDS
from benchmarks.settings import ROOT

ENGINES = (PLAIN, OURS, DATAFUSION, DUCKDB)


def main(name: str | None = None) -> int:
    """Write missing tables, measure, report; return 1 if engines return other numbers of rows.

    Args:
        name: A key of `FORMATS`; None for Parquet.
    """
    settings = from_environment()
    words = os.environ.get("ROWS_QUERIES", "").replace(",", " ").split()
    runs = int(os.environ.get("ROWS_RUNS") or 4)
    of = FORMATS[name] if name else None
    names, tables = (of.engines, COPIED) if of else (ENGINES, TABLES)
    chosen = [
        query
        for query in queries()
        if any(query.table == table.name for table in tables)
        and (not words or any(word in query.name for word in words))
    ]
    prepare(settings, tables)
    of_format = of.version() if of else ""  # here, because each engine would download the JARs
    if of:
        write(of, settings)
    load = os.getloadavg()[0]
    try:
        versions, measured, is_right = run(names, settings, chosen, runs)
    except EngineError as error:
        print(error, file=sys.stderr)
        return 1
    about = {
        "versions": versions if of is None else {"Spark": versions[names[0]], of.name: of_format},
        "runs": runs - 1,
        "rows": settings.rows,
        "load_before": round(load, 2),
    }
    document: dict[str, Any] = {"queries": measured}
    if of is None:
        about["milliseconds"] = MILLISECONDS
        document["store"] = [costs_of(o) for o in store.measure_all(settings.data, chosen, runs)]
    folder = settings.data if words else settings.results
    report.save(folder / (of.results if of else "rows.json"), about, document)
    return 0 if is_right else 1


def write(of: RowsFormat, settings: Settings) -> None:
    """Write the tables of a format that do not exist yet, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.rows.formats", of.key, str(settings.data)]
    subprocess.run(command, cwd=ROOT, check=True)


def run(
    names: Sequence[str], settings: Settings, chosen: Sequence[RowsQuery], runs: int
) -> tuple[dict[str, str], list[dict[str, Any]], bool]:
    """Run the queries on these engines, and print a line for each.

    Returns:
        The versions of the engines, the costs, and whether all found as many rows in each run.
    """
    engines = [EngineProcess(name, settings.data, "benchmarks.rows.worker") for name in names]
    measured: list[dict[str, Any]] = []
    wrong = 0
    try:
        for engine in engines:
            engine.wait_until_ready()
        print(header(names))
        for query in chosen:
            costs, is_right = measure(query, engines, runs)
            wrong += not is_right
            measured.append({"query": asdict(query), "costs": costs})
            print(line(measured[-1]), "" if is_right else "DIFFERENT NUMBERS OF ROWS", flush=True)
    finally:
        for engine in engines:
            engine.stop()
    return {engine.name: engine.version for engine in engines}, measured, not wrong


def measure(
    query: RowsQuery, engines: list[EngineProcess], runs: int
) -> tuple[dict[str, dict[str, float]], bool]:
    """Return the medians of each engine, and whether all found as many rows in each run."""
    found: dict[str, list[dict[str, Any]]] = {engine.name: [] for engine in engines}
    is_right = True
    for run in range(runs):
        asked = asdict(replace(query, run=run + 10))
        order = engines if run % 2 else engines[::-1]
        answers = {engine.name: engine.ask(asked, query.name) for engine in order}
        is_right = is_right and len({answer["rows"] for answer in answers.values()}) == 1
        for name, answer in answers.items():
            if run:
                found[name].append(answer)
    return {
        name: {
            key: statistics.median_low(a[key] for a in answers)
            for key in ("seconds", "bytes", "tasks")
            if answers[0][key] is not None
        }
        for name, answers in found.items()
    }, is_right


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
