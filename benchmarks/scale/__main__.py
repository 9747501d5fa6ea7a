"""Runs the benchmark: `python -m benchmarks.scale`, or `make bench-scale` (builds the JARs)."""

from __future__ import annotations

import shutil
import sys
import time

from benchmarks.scale import report, tables
from benchmarks.scale.measure import Measured, measure
from benchmarks.scale.session import SlowSpark
from benchmarks.scale.settings import Settings, from_environment


def main() -> int:
    """Create the tables, measure, report, and remove the tables."""
    settings = from_environment()
    shutil.rmtree(settings.data, ignore_errors=True)
    settings.data.mkdir(parents=True)
    started = time.monotonic()
    spark = SlowSpark(settings.data / "scratch")
    try:
        measured = run(spark, settings)
    finally:
        spark.stop()
        shutil.rmtree(settings.data, ignore_errors=True)
    seconds = time.monotonic() - started
    path = settings.results / "scale.json"
    about = {"spark": spark.session.version, "seconds": round(seconds)}
    report.write_json(path, measured, about)
    print(report.table(measured))
    for name, ratio in report.growth(measured).items():
        print(f"time to the first rows of a covered LIMIT, {name}: {ratio:.2f} times")
    for name, more in report.worst(measured).items():
        print(f"maximum added to planning, {name}: {more * 1e3:.0f} ms")
    print(f"{len(measured)} queries in {seconds:.0f} s; written to {path}")
    return 0


def run(spark: SlowSpark, settings: Settings) -> list[Measured]:
    """Measure every table, after one to warm up."""
    folder, runs = settings.data, settings.runs
    measure(spark, "warm-up", 50, tables.many_files(folder, 50), (0,), 10)
    measured = []
    for files in settings.files:
        made = tables.many_files(folder, files)
        measured += measure(spark, "files", files, made, settings.latencies, runs)
        shutil.rmtree(made)
    largest = settings.latencies[-1:]
    for count in tables.COLUMNS:
        measured += measure(spark, "columns", count, tables.wide(folder, count), largest, runs)
    for count in tables.ROW_GROUPS:
        # Without latency, because plain Spark reads the dictionaries of the row groups in sequence.
        made = tables.row_groups(folder, count)
        measured += measure(spark, "row groups", count, made, (0,), runs)
    for count in tables.PARTITIONS:
        made = tables.partitions(folder, count)
        measured += measure(spark, "partitions", count, made, largest, runs)
    return measured


if __name__ == "__main__":
    sys.exit(main())
