"""Runs the benchmark: `python -m benchmarks.delta`, or `make bench-delta`."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time

from benchmarks import report, tables
from benchmarks.delta.queries import engines_of, queries
from benchmarks.delta.report import table
from benchmarks.delta.targets import targets
from benchmarks.engines import DELTA, DELTA_ENGINES, DUCKDB
from benchmarks.engines.delta import jars
from benchmarks.process import EngineProcess
from benchmarks.run import WrongAnswerError, run_all
from benchmarks.settings import ROOT, Settings, from_environment

# More than `make bench` has: the least ratio that counts is 1.03, and most queries are short.
_RUNS = 21


def main() -> int:
    """Make the table if there is none, measure, report; return 1 for a wrong result."""
    settings = from_environment(_RUNS)
    delta_version = prepare(settings)
    started = time.monotonic()
    root = tables.folder(settings)
    # DuckDB counts the matching rows in the Parquet files, and is not measured.
    processes = {name: EngineProcess(name, root) for name in (*DELTA_ENGINES, DUCKDB)}
    try:
        for process in processes.values():
            process.wait_until_ready()
        measured = run_all(
            lambda query: [processes[name] for name in engines_of(query)],
            processes[DUCKDB],
            [query for query in queries() if settings.only in query.name],
            settings.runs,
            settings.minutes,
        )
    except WrongAnswerError as error:
        print(f"WRONG ANSWER: {error}", file=sys.stderr)
        return 1
    finally:
        for process in processes.values():
            process.stop()
        shutil.rmtree(root / "spark-local", ignore_errors=True)
    seconds = time.monotonic() - started
    results = targets(measured)
    versions = {"Spark": processes[DELTA].version, "Delta Lake": delta_version}
    about = {"gigabytes": settings.gigabytes, "versions": versions, "seconds": round(seconds)}
    path = settings.results / "delta.json"
    costs = [report.costs_of(m) for m in measured]
    report.write_json(path, costs, results, about, tables.sizes(root, [tables.EVENTS_DELTA]))
    print(f"\n{table(measured)}\n\n{report.goals(results)}\n")
    print(f"{len(measured)} queries in {seconds:.0f} s; written to {path}")
    return 0


def prepare(settings: Settings) -> str:
    """Write the tables that do not exist yet, and return the version of Delta Lake."""
    root = tables.folder(settings)
    print(f"tables: {root} (stored between runs; `make bench-clean` removes them)", file=sys.stderr)
    # Here, because the engines start at the same time, and each would download the JARs.
    names = " ".join(jar.name for jar in jars())
    tables.write_once(settings)
    if not (root / tables.EVENTS_DELTA.name).exists():
        # In a separate process, so that the Spark of this run starts with cold caches.
        subprocess.run([sys.executable, "-m", "benchmarks.delta.table"], cwd=ROOT, check=True)
    (version,) = re.findall(r"delta-storage-(\S+)\.jar", names)
    return str(version)


if __name__ == "__main__":
    sys.exit(main())
