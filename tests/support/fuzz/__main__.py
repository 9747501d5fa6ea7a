"""Fuzzes for some minutes: `python -m support.fuzz MINUTES RESULTS.json`.

The processes start anew each hour. FUZZ_SEED repeats the draws of an earlier run, as far as time
allows; FUZZ_WORKERS sets the number of processes. With FUZZ_ADD, the counts are added to those of
earlier runs in the file.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pyspark

import limit_pruning
from benchmarks import report
from support.fuzz import counts
from support.paths import ROOT
from support.processes import environment, program
from support.random_profiles import FAILURES

LOG = ROOT / "target" / "fuzz.log"
# A new process compiles its code anew, which takes minutes on a busy machine.
MOST_MINUTES = 60.0
LATE = 300.0  # seconds that the last round of a process may take


def main(minutes: float, results: Path) -> int:
    """Return 0 if no answer was wrong and no process failed."""
    seed = int(os.environ.get("FUZZ_SEED") or random.SystemRandom().getrandbits(32))
    workers = int(os.environ.get("FUZZ_WORKERS") or 2)
    is_added = os.environ.get("FUZZ_ADD") and results.exists()
    before = json.loads(results.read_text(encoding="utf-8")) if is_added else {}
    earlier = before.get("about", {"minutes": 0.0, "commits": [], "seeds": []})
    commits = list(dict.fromkeys([*earlier["commits"], report.commit()]))
    start = time.monotonic()
    codes: list[int] = []
    files: list[Path] = []
    with TemporaryDirectory() as scratch:
        while (left := 60 * minutes - (time.monotonic() - start)) > min(30, 30 * minutes):
            batch = [Path(scratch) / f"{len(files) + n}.json" for n in range(workers)]
            first = seed + len(files)
            codes += _run(batch, first, min(left, 60 * MOST_MINUTES))
            files += batch
            done = [json.loads(file.read_text(encoding="utf-8")) for file in files if file.exists()]
            found = counts.document(counts.added([*done, before.get("kinds", {})]))
            about = {
                "minutes": round(earlier["minutes"] + (time.monotonic() - start) / 60, 1),
                "commits": commits,
                "version": limit_pruning.__version__,
                "spark": pyspark.__version__,
                "processes": workers,
                "seeds": [*earlier["seeds"], [seed, seed + len(files) - 1]],
            }
            report.save(results, about, found)
            print(counts.table(found), flush=True)
    total = found["total"]
    failed = sum(code != 0 for code in codes)
    print(f"{total[counts.QUERIES]:,} answers held to plain Spark's, {total[counts.WRONG]} wrong")
    if failed:
        print(f"{failed} processes failed: {LOG}", file=sys.stderr)
    if total[counts.WRONG] or total[counts.ERRORS]:
        print(f"what failed is in {FAILURES}", file=sys.stderr)
    return int(bool(failed or total[counts.WRONG] or total[counts.ERRORS]))


def _run(files: list[Path], seed: int, seconds: float) -> list[int]:
    """Run a process for each file, with seeds from `seed` on; return their exit codes."""
    LOG.parent.mkdir(exist_ok=True)
    with LOG.open("a", encoding="utf-8") as log:
        processes = [
            subprocess.Popen(
                program("support.fuzz.worker", str(seconds), str(seed + number), str(file)),
                env=environment(),
                stdin=subprocess.DEVNULL,
                stderr=log,
            )
            for number, file in enumerate(files)
        ]
        end = time.monotonic() + seconds + LATE
        return [_code(process, max(1, end - time.monotonic())) for process in processes]


def _code(process: subprocess.Popen[bytes], seconds: float) -> int:
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), Path(sys.argv[2])))
