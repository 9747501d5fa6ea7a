"""Runs a benchmark at a small size."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.paths import ROOT


@dataclass(frozen=True)
class SmallRun:
    """What a benchmark printed, the file of its results, and their content."""

    output: str
    file: Path
    document: dict[str, Any]


def run(module: str, only: str, folder: Path) -> SmallRun:
    """Run each query twice, over a table of 10 MB; the results must say of which machine they are.

    Args:
        module: The benchmark.
        only: Part of the names of the queries to run.
        folder: An empty folder for the tables.
    """
    settings = {
        "BENCH_GB": "0.01",
        "BENCH_SMALL_FILES": "60",
        "BENCH_RUNS": "1",
        "BENCH_ONLY": only,
        "BENCH_DATA": str(folder),
    }
    done = subprocess.run(
        [sys.executable, "-m", module],
        cwd=ROOT,
        env=os.environ | settings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (file,) = (folder / "results").glob("*.json")
    document: dict[str, Any] = json.loads(file.read_text())
    for key in ("date", "commit", "jvm", "cpu", "load_of_15_minutes"):
        assert document["about"][key]
    return SmallRun(done.stdout, file, document)
