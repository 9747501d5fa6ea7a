"""Runs the benchmark: `python -m benchmarks`, or `make bench`, which installs what it needs."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time

from benchmarks import report, tables
from benchmarks.chart import write_chart
from benchmarks.engines import DUCKDB, ENGINES
from benchmarks.process import EngineProcess
from benchmarks.queries import queries
from benchmarks.run import WrongAnswerError, run_all
from benchmarks.settings import ROOT, Settings, from_environment
from benchmarks.targets import targets


def main() -> int:
    """Write missing tables, measure, report; return the exit code, 1 for a wrong result."""
    settings = from_environment()
    prepare(settings)
    started = time.monotonic()
    root = tables.folder(settings)
    processes = [EngineProcess(name, root) for name in ENGINES]
    try:
        for process in processes:
            process.wait_until_ready()
        chosen = [query for query in queries() if settings.only in query.name]
        counter = processes[ENGINES.index(DUCKDB)]
        measured = run_all(lambda _: processes, counter, chosen, settings.runs, settings.minutes)
    except WrongAnswerError as error:
        print(f"WRONG ANSWER: {error}", file=sys.stderr)
        return 1
    finally:
        for process in processes:
            process.stop()
        shutil.rmtree(root / "spark-local", ignore_errors=True)
    seconds = time.monotonic() - started
    results = targets(measured)
    versions = {process.name: process.version for process in processes}
    about = {
        "gigabytes": settings.gigabytes,
        "versions": versions,
        "seconds": round(seconds),
        "new_literals": True,
    }
    path = settings.results / f"{settings.name}.json"
    costs = [report.costs_of(m) for m in measured]
    report.write_json(path, costs, results, about, tables.sizes(root, tables.TABLES))
    size, files = tables.size(root, tables.EVENTS)
    caption = f"{size / 1e9:.2g} GB in {files} files, Spark {versions[ENGINES[0]]}, 2 cores"
    write_chart(path.with_suffix(".png"), measured, caption)
    print(f"\n{report.table(measured)}\n\n{report.goals(results)}\n")
    print(f"{len(measured)} queries in {seconds:.0f} s; written to {path} and .png")
    return 0


def prepare(settings: Settings) -> None:
    """Write the tables that do not exist yet."""
    root = tables.folder(settings)
    print(f"tables: {root} (stored between runs; `make bench-clean` removes them)", file=sys.stderr)
    tables.write_once(settings)
    if not all((root / table.name).exists() for table in tables.TABLES):
        # In a separate process, so that the Spark of this run starts with cold caches.
        subprocess.run([sys.executable, "-m", "benchmarks.spark_written"], cwd=ROOT, check=True)


if __name__ == "__main__":
    sys.exit(main())
