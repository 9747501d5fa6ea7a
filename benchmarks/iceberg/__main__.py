"""Runs the benchmark: `python -m benchmarks.iceberg`, or `make bench-iceberg`."""

from __future__ import annotations

import sys

from benchmarks import tables
from benchmarks.engines import ICEBERG_ENGINES
from benchmarks.engines.iceberg import version
from benchmarks.formats.run import Format, main
from benchmarks.iceberg.queries import queries
from benchmarks.iceberg.targets import targets
from benchmarks.settings import from_environment

# Planning takes milliseconds, and its ratio needs many runs.
_RUNS, _MINUTES = 41, 3.5

APACHE_ICEBERG = Format(
    name="Iceberg",
    table=tables.EVENTS_ICEBERG,
    writer="benchmarks.iceberg.table",
    version=version,
    engines=ICEBERG_ENGINES,
    titles=("Iceberg", "ours"),
    queries=queries(),
    engines_of=lambda _: ICEBERG_ENGINES,
    targets=targets,
    results="iceberg.json",
)

if __name__ == "__main__":
    sys.exit(main(APACHE_ICEBERG, from_environment(_RUNS, _MINUTES)))
