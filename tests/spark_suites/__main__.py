"""Runs suites of Spark with and without LIMIT pruning, and compares."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from spark_suites import compare, expected, jars, jvm, suites
from spark_suites.compare import Difference
from spark_suites.jvm import Leg
from spark_suites.outcomes import Runs, SuiteRun

WITHOUT, WITH = Leg(pruning=False), Leg(pruning=True)


def run_all(
    wanted: list[suites.Suite], class_path: str, jobs: int, minutes: float
) -> dict[Leg, Runs]:
    """Run the suites in both ways, each group of them in a JVM, several JVMs at a time."""
    groups: dict[str, list[suites.Suite]] = {}
    for suite in wanted:
        groups.setdefault(suite.group, []).append(suite)

    def run(leg: Leg, group: str) -> Runs:
        started = time.monotonic()
        whole: list[tuple[str, list[str]]] = [(suite.class_name, []) for suite in groups[group]]
        runs = jvm.run(leg, group, whole, class_path, minutes * 60)
        tests = sum(len(run.tests) for run in runs.values())
        print(
            f"{group}, {leg.name}: {tests} tests in {time.monotonic() - started:.0f} s", flush=True
        )
        return runs

    result: dict[Leg, Runs] = {WITHOUT: {}, WITH: {}}
    with ThreadPoolExecutor(jobs) as pool:
        started = {(leg, group): pool.submit(run, leg, group) for group in groups for leg in result}
        for (leg, _), future in started.items():
            result[leg].update(future.result())
    return result


def confirm(found: Iterable[Difference], class_path: str) -> list[Difference]:
    """Run each differing test alone in both ways: those that differ again."""
    confirmed = []
    for difference in found:
        suite, test = difference.test
        again = {
            leg: jvm.run(leg, "alone", [(suite, [test])], class_path, seconds=600)
            for leg in (WITHOUT, WITH)
        }
        confirmed += compare.differences(again[WITHOUT], again[WITH])
        if not again[WITHOUT].get(suite, SuiteRun()).passed:
            confirmed.append(difference)  # it needs the tests before it, so this proves nothing
    return confirmed


def show_counts(runs: Runs) -> None:
    """Print what LIMIT pruning saw in each suite."""
    print(f"{'tests':>6} {'s':>5} {'LIMITs':>6} {'pruned':>6} {'not':>5} {'scans':>5}  suite, with")
    for name, run in sorted(runs.items(), key=lambda item: -item[1].counts["limits"]):
        c = run.counts
        print(
            f"{len(run.tests):6} {run.seconds:5.0f} {c['limits']:6} {c['pruned']:6} "
            f"{c['refused']:5} {c['scans']:5}  {name.removeprefix(suites.PACKAGE)}"
        )


def main() -> int:
    """Return 0 where what differs is what is expected, and every suite ran."""
    parser = argparse.ArgumentParser(prog="spark_suites", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only the suites marked so")
    parser.add_argument("--jobs", type=int, default=2, help="JVMs at a time (2)")
    parser.add_argument("--minutes", type=float, default=40, help="the longest for a group (40)")
    parser.add_argument(
        "words", nargs="*", help="only suites or groups whose name holds one of these"
    )
    options = parser.parse_args()
    wanted = [
        suite
        for suite in suites.parse(suites.LIST.read_text("utf-8"))
        if (suite.quick or not options.quick)
        and (
            not options.words
            or any(word in f"{suite.group} {suite.name}" for word in options.words)
        )
    ]
    reasons = expected.parse(expected.LIST.read_text("utf-8"))
    class_path = jars.class_path()
    runs = run_all(wanted, class_path, options.jobs, options.minutes)
    without, pruned = runs[WITHOUT], runs[WITH]
    show_counts(pruned)
    names = [suite.class_name for suite in wanted]
    problems = compare.not_run(names, without, WITHOUT.name)
    problems += compare.not_run(names, pruned, WITH.name)
    problems += compare.inactive(without, pruned)
    found = compare.differences(without, pruned)
    for difference in confirm(compare.unexpected(found, reasons), class_path):
        suite, test = difference.test
        message = compare.first_lines(difference.outcome.message)
        problems.append(
            f"{suite}: {test}\n  {difference.outcome.how} with LIMIT pruning only: {message}"
        )
    problems += [
        f"{suite}: {test}\n  differs no more; remove it from expected.txt"
        for suite, test in compare.gone(found, reasons, pruned)
    ]
    for problem in problems:
        print(f"PROBLEM {problem}")
    tests = sum(run.passed for run in without.values())
    failed = sum(len(run.tests) - run.passed for run in without.values())
    print(
        f"{len(wanted)} suites; {tests} tests passed without LIMIT pruning, {failed} did not; "
        f"{len(found)} differ, {len(problems)} problems"
    )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
