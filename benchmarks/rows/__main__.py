"""Runs the benchmark: `python -m benchmarks.rows`, or `make bench-rows` (builds the JAR).

Engines take turns, and each run of a query has its own literal, if the query has a predicate.
ROWS_RUNS (4) is the number of runs of each query, of which the first does not count; ROWS_QUERIES
words of which a query's name must contain one; PAIRS_ROWS and BENCH_DATA are those of
`make bench-pairs`, whose tables it uses.
Some queries are then run by both Sparks on the object store of `make bench-s3`.
"""

from __future__ import annotations

import os
import statistics
import sys
from dataclasses import asdict, replace
from typing import Any

from benchmarks import report
from benchmarks.engines import DATAFUSION, DUCKDB, OURS, PLAIN
from benchmarks.pairs.__main__ import prepare
from benchmarks.pairs.settings import from_environment
from benchmarks.process import EngineError, EngineProcess
from benchmarks.rows import store
from benchmarks.rows.page import HEADER, line
from benchmarks.rows.queries import TABLES, RowsQuery, queries
from benchmarks.s3.__main__ import costs_of
from benchmarks.s3.session import MILLISECONDS

ENGINES = (PLAIN, OURS, DATAFUSION, DUCKDB)


def main() -> int:
    """Write missing tables, measure, report; return 1 if engines return other numbers of rows."""
    settings = from_environment()
    words = os.environ.get("ROWS_QUERIES", "").replace(",", " ").split()
    runs = int(os.environ.get("ROWS_RUNS") or 4)
    chosen = [q for q in queries() if not words or any(word in q.name for word in words)]
    prepare(settings, TABLES)
    load = os.getloadavg()[0]
    engines = [EngineProcess(name, settings.data, "benchmarks.rows.worker") for name in ENGINES]
    measured: list[dict[str, Any]] = []
    wrong = 0
    try:
        for engine in engines:
            engine.wait_until_ready()
        print(HEADER)
        for query in chosen:
            costs, is_right = measure(query, engines, runs)
            wrong += not is_right
            measured.append({"query": asdict(query), "costs": costs})
            print(line(measured[-1]), "" if is_right else "DIFFERENT NUMBERS OF ROWS", flush=True)
    except EngineError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        for engine in engines:
            engine.stop()
    stored = [costs_of(one) for one in store.measure_all(settings.data, chosen, runs)]
    about = {
        "versions": {engine.name: engine.version for engine in engines},
        "runs": runs - 1,
        "rows": settings.rows,
        "milliseconds": MILLISECONDS,
        "load_before": round(load, 2),
    }
    folder = settings.data if words else settings.results
    report.save(folder / "rows.json", about, {"queries": measured, "store": stored})
    return 1 if wrong else 0


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
    sys.exit(main())
