"""Runs suites of Spark with and without LIMIT pruning, and compares."""

from __future__ import annotations

import argparse
import fcntl
import resource
import sys
import time

from spark_suites import expected, jars, suites
from spark_suites.check import Check
from spark_suites.outcomes import Runs


def show(runs: Runs) -> None:
    """Print what ran, and what LIMIT pruning saw in each suite."""
    print(
        f"{'tests':>6} {'passed':>6} {'s':>5} {'LIMITs':>6} {'pruned':>6} {'not':>5} {'scans':>5}"
    )
    for name, run in sorted(runs.items(), key=lambda item: -item[1].counts["scans"]):
        c = run.counts
        print(
            f"{len(run.tests):6} {run.passed:6} {run.seconds:5.0f} {c['limits']:6} {c['pruned']:6} "
            f"{c['refused']:5} {c['scans']:5}  {name.removeprefix(suites.PACKAGE)}"
        )


def cpu_seconds() -> float:
    """Return what the JVMs that have ended took of the processors."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="spark_suites", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only the suites marked so")
    parser.add_argument("--mode", choices=expected.MODES, action="append", help="only this one")
    parser.add_argument("--jobs", type=int, default=2, help="JVMs at a time (2)")
    parser.add_argument("--minutes", type=float, default=60, help="the longest for a group (60)")
    parser.add_argument("words", nargs="*", help="only these groups and suites")
    return parser.parse_args()


def main() -> int:
    """Return 0 where what differs is what is expected, and every suite ran."""
    given = options()
    jars.WORK.mkdir(parents=True, exist_ok=True)
    lock = (jars.WORK / "lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("Spark's suites run already in this folder; wait until they end", file=sys.stderr)
        return 2
    listed = suites.parse(suites.LIST.read_text("utf-8"))
    chosen = [
        suite
        for suite in listed
        if not given.words or {suite.group, suite.short_name} & set(given.words)
    ]
    reasons = expected.parse(expected.LIST.read_text("utf-8"))
    class_path = jars.class_path()
    problems: list[str] = []
    for mode in given.mode or (["limited"] if given.quick else expected.MODES):
        wanted = [suite for suite in chosen if suite.is_in(mode, quick=given.quick)]
        started, computed = time.monotonic(), cpu_seconds()
        check = Check(mode == "limited", class_path, given.jobs, given.minutes, given.quick)
        anyway = reasons[expected.ANYWAY] if check.limited else {}
        runs, found = check.problems(wanted, reasons[mode], anyway)
        show(runs)
        tests = sum(len(run.tests) for run in runs.values())
        scans = sum(run.counts["scans"] for run in runs.values())
        print(
            f"{mode}: {len(runs)} suites, {tests} tests, {scans} plans with a LimitPrunedScan, "
            f"{time.monotonic() - started:.0f} s ({cpu_seconds() - computed:.0f} s of CPU), "
            f"{len(found)} problems",
            flush=True,
        )
        problems += [f"{mode}: {problem}" for problem in found]
    for problem in problems:
        print(f"PROBLEM {problem}")
    return 1 if problems or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
