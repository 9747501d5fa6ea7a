"""Runs the benchmark: `python -m benchmarks.pairs`, or `make bench-pairs` (builds the JARs)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence

from benchmarks import report as results_report
from benchmarks.engines import OURS
from benchmarks.pairs import kinds as all_kinds
from benchmarks.pairs import report, sessions, tables
from benchmarks.pairs.kind import Kind
from benchmarks.pairs.literals import Literals
from benchmarks.pairs.measure import Measured, Worker, in_turns, measure, runs
from benchmarks.pairs.report import Failed, Results
from benchmarks.pairs.sessions import Sessions
from benchmarks.pairs.settings import Settings, from_environment
from benchmarks.pairs.tables import PYARROW, Size, Table
from benchmarks.process import EngineError
from benchmarks.run import WrongAnswerError
from benchmarks.settings import ROOT

_SEED = 41
_WARM_UP = 20
_BUSY = 0.5


def main() -> int:
    """Write missing tables, measure, report; return 1 if a kind is slower, fails or is wrong."""
    settings = from_environment()
    chosen = settings.chosen(all_kinds.kinds())
    if not chosen:
        print(f"no kind has a name with any of {settings.kinds}", file=sys.stderr)
        return 2
    prepare(settings, [kind.table for kind in (*chosen, *sessions.control_kinds())])
    load = os.getloadavg()[0]
    if load > _BUSY:
        print(f"the load is {load:.1f}: another program disturbs the measurement", file=sys.stderr)
    started = time.monotonic()
    measured_commit = results_report.commit()  # the results are written twice, into this tree
    path = settings.results / "pairs.json"

    def save(results: Results) -> None:
        about = {
            "spark": spark,
            "pairs": settings.pairs,
            "rows": settings.rows,
            "seconds": round(time.monotonic() - started),
            "load_before": round(load, 2),
            "commit": measured_commit,
        }
        results_report.save(path, about, report.document(results))

    literals = Literals(_SEED)
    try:
        with sessions.started(OURS, settings.data) as worker:
            spark = worker.version
            measured, failed = run(worker, chosen, literals, settings.pairs)
        save(Results(measured, failed, None, []))  # in case that the rest fails
        first, off = compare_sessions(settings, literals)
    finally:
        shutil.rmtree(settings.data / "spark-local", ignore_errors=True)
    results = Results(measured, failed, first, off)
    save(results)
    print(report.summary(results))
    print(f"{len(measured)} kinds in {time.monotonic() - started:.0f} s; written to {path}")
    return 1 if results.red else 0


def compare_sessions(
    settings: Settings, literals: Literals
) -> tuple[Sessions | None, list[Sessions]]:
    """Measure first queries, and sessions with the extension switched off, unless told not to."""
    if not settings.sessions:
        return None, []
    print("comparing sessions", file=sys.stderr, flush=True)
    first = sessions.first_queries(settings.data, literals, settings.sessions)
    return first, sessions.switched_off(settings.data, literals, settings.pairs)


def prepare(settings: Settings, needed: Sequence[Table]) -> None:
    """Write the tables that are needed and do not exist yet."""
    root = settings.data
    print(f"tables: {root} (stored between runs; `make bench-clean` removes them)", file=sys.stderr)
    missing = [table for table in dict.fromkeys(needed) if not (root / table.name).exists()]
    copied = [source for table in missing for source in tables.sources(table)]
    tables.write_missing(root, Size(settings.rows), [*missing, *copied])
    names = [table.name for table in missing if table.writer != PYARROW]
    if names:
        # In a separate process, so that this one needs none of these programs.
        command = [sys.executable, "-m", "benchmarks.pairs.copies", str(root), *names]
        subprocess.run(command, cwd=ROOT, check=True)


def run(
    worker: Worker, chosen: Sequence[Kind], literals: Literals, pairs: int
) -> tuple[list[Measured], list[Failed]]:
    """Measure all kinds in one session, and print a line for each."""
    warm_up(worker, literals, min(_WARM_UP, pairs))
    print(report.header())
    measured, failed = [], []
    for kind in chosen:
        one = run_kind(worker, kind, literals, pairs)
        if isinstance(one, Failed):
            failed.append(one)
        else:
            measured.append(one)
    return measured, failed


def run_kind(worker: Worker, kind: Kind, literals: Literals, pairs: int) -> Measured | Failed:
    """Measure a kind, and print a line for it; the others are measured even if it fails."""
    try:
        measured = measure(worker, kind, literals, pairs)
    except (EngineError, WrongAnswerError) as error:
        print(f"{kind.name}: FAILED\n{error}", flush=True)
        return Failed(kind, str(error).strip().splitlines()[-1])
    print(report.line(measured), flush=True)
    return measured


def warm_up(worker: Worker, literals: Literals, pairs: int) -> None:
    """Run short queries of both, so that the JVM has loaded and compiled what they need."""
    for kind in sessions.control_kinds():
        plain, ours = runs(worker, kind, literals, False), runs(worker, kind, literals, True)
        in_turns(plain, ours, pairs)


if __name__ == "__main__":
    sys.exit(main())
