"""Compares what ran with and without LIMIT pruning; knows neither JVMs nor files."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass

from spark_suites.outcomes import Outcome, Runs, SuiteRun

Test = tuple[str, str]
"""The class name of a suite, and the name of one of its tests."""

NOT_RUN = Outcome("not run", "the test did not end")


@dataclass(frozen=True)
class Difference:
    """A test that passes without LIMIT pruning, and not with it."""

    test: Test
    outcome: Outcome


def to_repeat(wanted: Iterable[str], pruned: Runs, anyway: Container[Test] = ()) -> list[str]:
    """List the suites that must run without LIMIT pruning, too: with it, not all tests passed.

    Tests that are known to fail without it do not count, nor those that are canceled: they lack
    something on this machine, as Python with pandas for Spark's tests.
    """

    def is_done(suite: str, run: SuiteRun) -> bool:
        failed = {test for test, outcome in run.tests.items() if outcome.how == "failed"}
        return run.ended == "completed" and all((suite, test) in anyway for test in failed)

    return [suite for suite in wanted if not is_done(suite, pruned.get(suite, SuiteRun()))]


def differences(without: Runs, pruned: Runs) -> list[Difference]:
    """List the tests that pass without, and fail, are canceled or do not end with LIMIT pruning."""
    return [
        Difference((suite, test), found)
        for suite, run in without.items()
        for test, outcome in run.tests.items()
        if outcome.passed
        and not (found := pruned.get(suite, SuiteRun()).tests.get(test, NOT_RUN)).passed
    ]


def not_run(wanted: Iterable[str], runs: Runs) -> list[str]:
    """Tell of each suite that did not end, or of which no test passed."""
    problems = []
    for suite in wanted:
        run = runs.get(suite)
        if run is None:
            problems.append(f"{suite} did not run")
        elif run.ended != "completed":
            problems.append(f"{suite} {run.ended or 'did not end'}: {first_lines(run.message)}")
        elif not run.passed:
            problems.append(f"{suite}: none of {len(run.tests)} tests passed")
    return problems


def inactive(pruned: Runs) -> list[str]:
    """Tell of each suite in which LIMIT pruning should have been active, and was not."""
    problems = []
    for suite, run in pruned.items():
        if not run.counts["sessions"]:
            problems.append(f"{suite}: no session loaded the extensions")
        elif run.counts["limits"] and not run.counts["pruned"] + run.counts["refused"]:
            problems.append(f"{suite}: {run.counts['limits']} plans with a LIMIT, pruning saw none")
    if not sum(run.counts["scans"] for run in pruned.values()):
        problems.append("no query of any suite was planned with a LimitPrunedScan")
    return problems


def active(without: Runs) -> list[str]:
    """Tell of each suite in which LIMIT pruning was active where it should not be."""
    return [
        f"{suite}: LIMIT pruning was active in the run without it"
        for suite, run in without.items()
        if run.counts["pruned"] + run.counts["refused"] + run.counts["scans"]
    ]


def gone(found: Iterable[Difference], expected: Iterable[Test], pruned: Runs) -> list[Test]:
    """List the expected differences that are none any more, of suites that ran."""
    tests = {difference.test for difference in found}
    return [test for test in expected if test not in tests and test[0] in pruned]


def pass_now(listed: Iterable[Test], runs: Runs) -> list[Test]:
    """List the tests that pass although they are listed as failing, or that do not exist."""
    return [
        (suite, test)
        for suite, test in listed
        if suite in runs and (test not in runs[suite].tests or runs[suite].tests[test].passed)
    ]


def first_lines(message: str, most: int = 4) -> str:
    """Shorten a message of scalatest, which may hold whole plans."""
    lines = [line.strip()[:200] for line in message.splitlines() if line.strip()]
    return "\n    ".join(lines[:most])
