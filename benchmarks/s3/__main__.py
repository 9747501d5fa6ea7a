"""Runs the benchmark: `python -m benchmarks.s3`, or `make bench-s3`."""

from __future__ import annotations

import sys
import time
from typing import Any

from benchmarks import report, tables
from benchmarks.run import WrongAnswerError
from benchmarks.s3.measure import Measured, measure
from benchmarks.s3.session import MILLISECONDS, started
from benchmarks.s3.targets import targets
from benchmarks.settings import from_environment


def main() -> int:
    """Write the tables if there are none, measure, report; return 1 for a wrong result."""
    settings = from_environment()
    root = tables.folder(settings)
    print(f"tables: {root} (stored between runs; `make bench-clean` removes them)", file=sys.stderr)
    tables.write_once(settings)
    beginning = time.monotonic()
    try:
        with started(root, root / "scratch" / "s3", tables.EVENTS.name) as spark:
            version = spark.session.version
            measured = measure(spark, settings.runs, settings.minutes)
    except WrongAnswerError as error:
        print(f"WRONG ANSWER: {error}", file=sys.stderr)
        return 1
    results = targets(measured)
    about = {
        "gigabytes": settings.gigabytes,
        "milliseconds": MILLISECONDS,
        "versions": {"Spark": version},
        "seconds": round(time.monotonic() - beginning),
    }
    path = settings.results / "s3.json"
    sizes = tables.sizes(root, [tables.EVENTS])
    report.write_json(path, [costs_of(m) for m in measured], results, about, sizes)
    print(f"\n{report.goals(results)}\n")
    print(f"{len(measured)} queries in {about['seconds']} s; written to {path}")
    return 0


def costs_of(m: Measured) -> dict[str, Any]:
    """Return a query with its costs without and with the extension, for JSON."""
    sides = {"plain": m.plain, "first": m.first, "second": m.second}
    costs = {name: run.as_dict() for name, run in sides.items()}
    return {"query": m.query.name, "sql": m.query.sql, "runs": m.runs, **costs}


if __name__ == "__main__":
    sys.exit(main())
