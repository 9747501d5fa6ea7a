"""The engines, one in each file; each runs in its own process."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol

from benchmarks.queries import Asked, Query

PLAIN, OURS, DATAFUSION, DUCKDB = "Spark", "Spark + extension", "DataFusion", "DuckDB"
ENGINES = (PLAIN, OURS, DATAFUSION, DUCKDB)
DELTA, DELTA_READS_ALL = "Delta", "Delta without push-down"
DELTA_OURS = "Delta + extension"
DELTA_ENGINES = (DELTA, DELTA_READS_ALL, DELTA_OURS)
ICEBERG_ENGINES = ICEBERG, ICEBERG_OURS = "Iceberg", "Iceberg + extension"
_MODULES = {
    PLAIN: "spark", OURS: "spark", DATAFUSION: "datafusion", DUCKDB: "duckdb",
    **dict.fromkeys(DELTA_ENGINES, "delta"), **dict.fromkeys(ICEBERG_ENGINES, "iceberg"),
}  # fmt: skip


@dataclass(frozen=True)
class Decoded:
    """The numbers that a query's scans decoded; None if the engine does not report them."""

    row_groups: int | None = None
    rows: int | None = None


class Engine(Protocol):
    """The interface of an engine; a process has one."""

    version: str

    def pid(self) -> int:
        """Return the process whose reads count."""

    def run(self, query: Asked, output: Path) -> int:
        """Run the query and return the rows of its result; `output` is a folder for files."""

    def values(self, sql: str) -> list[list[object]]:
        """Return the rows of any SQL."""

    def started(self) -> tuple[int, int] | None:
        """Return the jobs and tasks started so far; None if the engine has none."""

    def decoded(self, query: Query) -> Decoded:
        """Return what the last query decoded."""

    def stop(self) -> None:
        """Stop the engine."""


def start(name: str, data: Path) -> Engine:
    """Start an engine over the tables in `data`."""
    engine: Engine = import_module(f"benchmarks.engines.{_MODULES[name]}").start(name, data)
    return engine
