"""Runs the benchmark: `python -m benchmarks.delta`, or `make bench-delta`."""

from __future__ import annotations

import sys

from benchmarks import tables
from benchmarks.delta.queries import engines_of, queries
from benchmarks.delta.targets import targets
from benchmarks.engines import DELTA_ENGINES
from benchmarks.engines.delta import version
from benchmarks.formats.run import Format, main
from benchmarks.settings import from_environment

# More than `make bench` has: the least ratio that counts is 1.03, and most queries are short.
_RUNS = 21

DELTA_LAKE = Format(
    name="Delta Lake",
    table=tables.EVENTS_DELTA,
    writer="benchmarks.delta.table",
    version=version,
    engines=DELTA_ENGINES,
    titles=("Delta", "no push-down", "ours"),
    queries=queries(),
    engines_of=engines_of,
    targets=targets,
    results="delta.json",
)

if __name__ == "__main__":
    sys.exit(main(DELTA_LAKE, from_environment(_RUNS)))
