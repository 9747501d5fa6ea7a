"""Measures the queries of a table format, and reports them."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks import report, tables
from benchmarks.engines import DUCKDB
from benchmarks.formats.report import table
from benchmarks.process import EngineProcess
from benchmarks.queries import Query
from benchmarks.run import Measured, WrongAnswerError, run_all
from benchmarks.settings import ROOT, Settings
from benchmarks.tables import Table
from benchmarks.targets import Target


@dataclass(frozen=True)
class Format:
    """A table format, and what is measured over its table.

    Attributes:
        name: Its name.
        table: The events, as a table of this format.
        writer: The module that writes this table.
        version: Returns its version; downloads its JARs once.
        engines: All engines: the format alone first, the extension last.
        titles: What the columns of the engines are called in the output, in the same order.
        queries: The queries, in the order of their runs.
        engines_of: Returns the engines that run a query.
        targets: Returns the targets with their ratios.
        results: The name of the file for the results.
    """

    name: str
    table: Table
    writer: str
    version: Callable[[], str]
    engines: tuple[str, ...]
    titles: tuple[str, ...]
    queries: Sequence[Query]
    engines_of: Callable[[Query], tuple[str, ...]]
    targets: Callable[[Sequence[Measured]], list[Target]]
    results: str


def main(of: Format, settings: Settings) -> int:
    """Make the table if there is none, measure, report; return 1 for a wrong result."""
    version = prepare(of, settings)
    started = time.monotonic()
    root = tables.folder(settings)
    # DuckDB counts the matching rows in the Parquet files, and is not measured.
    processes = {name: EngineProcess(name, root) for name in (*of.engines, DUCKDB)}
    try:
        for process in processes.values():
            process.wait_until_ready()
        measured = run_all(
            lambda query: [processes[name] for name in of.engines_of(query)],
            processes[DUCKDB],
            [query for query in of.queries if settings.only in query.name],
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
    results = of.targets(measured)
    versions = {"Spark": processes[of.engines[0]].version, of.name: version}
    about = {
        "gigabytes": settings.gigabytes,
        "versions": versions,
        "seconds": round(seconds),
        "new_literals": True,
    }
    path = settings.results / of.results
    costs = [report.costs_of(m) for m in measured]
    report.write_json(path, costs, results, about, tables.sizes(root, [of.table]))
    print(f"\n{table(measured, of.engines, of.titles)}\n\n{report.goals(results)}\n")
    print(f"{len(measured)} queries in {seconds:.0f} s; written to {path}")
    return 0


def prepare(of: Format, settings: Settings) -> str:
    """Write the tables that do not exist yet, and return the version of the format."""
    root = tables.folder(settings)
    print(f"tables: {root} (stored between runs; `make bench-clean` removes them)", file=sys.stderr)
    # Here, because the engines start at the same time, and each would download the JARs.
    version = of.version()
    tables.write_once(settings)
    if not (root / of.table.name).exists():
        # In a separate process, so that the Spark of this run starts with cold caches.
        subprocess.run([sys.executable, "-m", of.writer], cwd=ROOT, check=True)
    return version
