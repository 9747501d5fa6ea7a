"""The settings of the benchmark: sizes, duration, folders."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DEFAULT_GB = 5.0
DEFAULT_SMALL_FILES = 2000


@dataclass(frozen=True)
class Settings:
    """One run's settings, each an environment variable.

    Attributes:
        gigabytes: BENCH_GB, size of the table of 60 files; the sizes of the others depend on it.
        small_files: BENCH_SMALL_FILES, number of files of the table of small files; 60 or more.
        runs: BENCH_RUNS, maximum of measured runs of a query, after one to warm up.
        minutes: BENCH_MINUTES, total time for queries; slow queries get fewer runs.
        only: BENCH_ONLY, part of the names of the queries to run; empty for all.
        data: BENCH_DATA, the folder that stores the tables between runs.
        results: BENCH_RESULTS, the folder for JSON and chart.
    """

    gigabytes: float
    small_files: int
    runs: int
    minutes: float
    only: str
    data: Path
    results: Path

    @property
    def name(self) -> str:
        """The name of tables and results of this size."""
        return f"{self.gigabytes:g}GB-{self.small_files}"


def from_environment(runs: int = 7, minutes: float = 7.5) -> Settings:
    """Read the settings; only results of the default size are written to the repository.

    Args:
        runs: The default of BENCH_RUNS.
        minutes: The default of BENCH_MINUTES.
    """
    environment = os.environ
    gigabytes = float(environment.get("BENCH_GB") or DEFAULT_GB)
    small_files = int(environment.get("BENCH_SMALL_FILES") or DEFAULT_SMALL_FILES)
    only = environment.get("BENCH_ONLY") or ""
    data = Path(environment.get("BENCH_DATA") or ROOT / ".bench-data").resolve()
    is_default = (gigabytes, small_files, only) == (DEFAULT_GB, DEFAULT_SMALL_FILES, "")
    results = ROOT / "benchmarks" / "results" if is_default else data / "results"
    return Settings(
        gigabytes=gigabytes,
        small_files=small_files,
        runs=int(environment.get("BENCH_RUNS") or runs),
        minutes=float(environment.get("BENCH_MINUTES") or minutes),
        only=only,
        data=data,
        results=Path(environment.get("BENCH_RESULTS") or results).resolve(),
    )
