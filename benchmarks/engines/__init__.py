"""One engine a file; each runs in a process of its own."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol

from benchmarks.queries import Query

PLAIN, OURS, DATAFUSION, DUCKDB = "Spark", "Spark + extension", "DataFusion", "DuckDB"
ENGINES = (PLAIN, OURS, DATAFUSION, DUCKDB)
_MODULES = {PLAIN: "spark", OURS: "spark", DATAFUSION: "datafusion", DUCKDB: "duckdb"}


@dataclass(frozen=True)
class Decoded:
    """What a query's scans decoded; None where the engine does not tell."""

    row_groups: int | None = None
    rows: int | None = None


class Engine(Protocol):
    """What every engine does; a process has one."""

    version: str

    def pid(self) -> int:
        """Return the process whose reads count."""

    def run(self, query: Query, output: Path) -> int:
        """Run the query and return the rows of its answer; `output` is a folder to write into."""

    def started(self) -> tuple[int, int] | None:
        """Return the jobs and tasks started so far; None where there are none."""

    def decoded(self, query: Query) -> Decoded:
        """Return what the query that was run last decoded."""

    def stop(self) -> None:
        """End what was started."""


def start(name: str, data: Path) -> Engine:
    """Start an engine over the tables in `data`."""
    engine: Engine = import_module(f"benchmarks.engines.{_MODULES[name]}").start(name, data)
    return engine
