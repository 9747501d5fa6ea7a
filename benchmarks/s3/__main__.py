"""Runs the benchmark: `python -m benchmarks.s3`, or `make bench-s3`."""

from __future__ import annotations

import json
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks import report, tables
from benchmarks.run import WrongAnswerError
from benchmarks.s3 import server
from benchmarks.s3.measure import Measured, measure
from benchmarks.s3.session import StoreSpark
from benchmarks.s3.targets import targets
from benchmarks.settings import from_environment
from benchmarks.targets import Target

MILLISECONDS = 30


def main() -> int:
    """Write the tables if there are none, measure, report; return 1 for a wrong result."""
    settings = from_environment()
    root = tables.folder(settings)
    print(f"tables: {root} (stored between runs; `make bench-clean` removes them)", file=sys.stderr)
    tables.write_once(settings)
    scratch = root / "scratch" / "s3"
    started = time.monotonic()
    try:
        with server.running(root, MILLISECONDS) as address:
            spark = StoreSpark(address, scratch)
            try:
                version = spark.session.version
                measured = measure(spark, settings.runs, settings.minutes)
            finally:
                spark.stop()
    except WrongAnswerError as error:
        print(f"WRONG ANSWER: {error}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    results = targets(measured)
    about = {
        "gigabytes": settings.gigabytes,
        "milliseconds": MILLISECONDS,
        "versions": {"Spark": version},
        "seconds": round(time.monotonic() - started),
    }
    path = settings.results / "s3.json"
    write_json(path, measured, results, about, root)
    print(f"\n{report.goals(results)}\n")
    print(f"{len(measured)} queries in {about['seconds']} s; written to {path}")
    return 0


def write_json(
    path: Path,
    measured: list[Measured],
    results: list[Target],
    about: dict[str, Any],
    root: Path,
) -> None:
    """Write everything that was measured, with the size of the table."""
    document = {
        "about": about | report.machine(),
        "tables": tables.sizes(root, [tables.EVENTS]),
        "targets": [report.target_fields(target) for target in results],
        "queries": [
            {
                "query": m.query.name,
                "sql": m.query.sql,
                "runs": m.runs,
                **{side: getattr(m, side).as_dict() for side in ("plain", "first", "second")},
            }
            for m in measured
        ],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
