"""The settings of the measurement, each an environment variable."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from benchmarks.settings import ROOT

FILES = (100, 1_000, 10_000, 100_000)
LATENCIES = (0, 5, 30)


@dataclass(frozen=True)
class Settings:
    """One run's settings.

    Attributes:
        files: SCALE_FILES, files of each table, separated by commas.
        latencies: SCALE_LATENCIES, milliseconds that a request to the storage takes.
        runs: SCALE_RUNS, measured runs of a query; the median counts.
        data: SCALE_DATA, the folder for the tables, which are removed at the end.
        results: BENCH_RESULTS, the folder for the JSON; its default depends on the sizes.
    """

    files: tuple[int, ...]
    latencies: tuple[int, ...]
    runs: int
    data: Path
    results: Path


def from_environment() -> Settings:
    """Read the settings; only results of the default sizes are written to the repository."""
    files = _numbers("SCALE_FILES", FILES)
    latencies = _numbers("SCALE_LATENCIES", LATENCIES)
    data = Path(os.environ.get("SCALE_DATA") or ROOT / ".bench-data" / "scale").resolve()
    is_default = (files, latencies) == (FILES, LATENCIES)
    results = ROOT / "benchmarks" / "results" if is_default else data.parent / "results"
    return Settings(
        files=files,
        latencies=latencies,
        runs=int(os.environ.get("SCALE_RUNS") or 3),
        data=data,
        results=Path(os.environ.get("BENCH_RESULTS") or results).resolve(),
    )


def _numbers(name: str, default: tuple[int, ...]) -> tuple[int, ...]:
    text = os.environ.get(name)
    return tuple(int(part) for part in text.split(",")) if text else default
