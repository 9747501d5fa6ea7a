"""What `make test-spark` makes of the outcomes of Spark's suites."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from spark_suites import compare, expected, jars, jvm, outcomes, suites
from spark_suites.outcomes import Outcome, SuiteRun
from support.sparks import needs_spark

PASSED, FAILED = Outcome("passed"), Outcome("failed", "10 did not equal 11")


def ran(**tests: Outcome) -> SuiteRun:
    """Return a suite that came to its end, and in which a LIMIT was pruned."""
    counts = Counter(sessions=1, limits=1, pruned=1, scans=1)
    return SuiteRun("completed", tests=tests, counts=counts)


def test_a_test_that_fails_in_one_run_only_differs() -> None:
    without = {"S": ran(a=PASSED, b=FAILED, c=PASSED)}
    pruned = {"S": ran(a=PASSED, b=FAILED, c=FAILED)}
    assert [found.test for found in compare.differences(without, pruned)] == [("S", "c")]
    assert compare.to_repeat(["S"], pruned) == ["S"]


def test_a_test_that_did_not_end_differs() -> None:
    without = {"S": ran(a=PASSED), "T": ran(b=PASSED)}
    pruned = {"S": SuiteRun("aborted")}
    found = compare.differences(without, pruned)
    assert [(each.test, each.outcome.how) for each in found] == [
        (("S", "a"), "not run"),
        (("T", "b"), "not run"),
    ]
    assert compare.to_repeat(["S", "T"], pruned) == ["S", "T"]


def test_suites_of_which_all_tests_pass_are_not_repeated() -> None:
    assert not compare.to_repeat(["S"], {"S": ran(a=PASSED)})


def test_tests_that_fail_anyway_repeat_no_suite() -> None:
    pruned = {"S": ran(a=PASSED, b=FAILED, c=Outcome("canceled")), "T": ran(b=FAILED)}
    assert compare.to_repeat(["S", "T"], pruned, {("S", "b")}) == ["T"]
    assert compare.to_repeat(["S"], {"S": SuiteRun("aborted")}, {("S", "b")}) == ["S"]


def test_tests_that_fail_anyway_must_still_do_so() -> None:
    listed = [("S", "a"), ("S", "b"), ("S", "none"), ("T", "a")]
    assert compare.pass_now(listed, {"S": ran(a=PASSED, b=FAILED)}) == [("S", "a"), ("S", "none")]


@pytest.mark.parametrize("run", [SuiteRun(), SuiteRun("aborted"), ran(), ran(a=FAILED)])
def test_a_suite_that_proves_nothing_is_a_problem(run: SuiteRun) -> None:
    assert len(compare.not_run(["S"], {"S": run})) == 1
    assert compare.not_run(["S"], {}) == ["S did not run"]
    assert not compare.not_run(["S"], {"S": ran(a=PASSED)})


def test_pruning_must_be_active_where_it_is_tested_and_only_there() -> None:
    blind, idle, good = ran(a=PASSED), ran(a=PASSED), ran(a=PASSED)
    blind.counts = Counter(sessions=1, limits=2)
    idle.counts = Counter()
    assert len(compare.inactive({"blind": blind, "idle": idle, "good": good})) == 2
    assert len(compare.inactive({"blind": blind})) == 2
    assert not compare.inactive({"good": good})
    assert compare.active({"good": good})
    assert not compare.active({"blind": blind})


def test_an_expected_difference_must_still_be_one() -> None:
    reasons = {("S", "a"): "why", ("T", "b"): "why"}
    assert compare.gone([], reasons, {"S": ran(a=PASSED)}) == [("S", "a")]
    found = [compare.Difference(("S", "a"), FAILED)]
    assert not compare.gone(found, reasons, {"S": ran(a=FAILED)})


def test_events_become_outcomes() -> None:
    events = [
        {"suite": "S", "started": True},
        {"suite": "S", "test": "a", "outcome": "failed", "millis": 5, "message": "why"},
        {
            "suite": "S",
            "ended": "completed",
            "millis": 2500,
            "message": "",
            "counts": {"limits": 3},
        },
        {"suite": "T", "started": True},
    ]
    runs = outcomes.read(json.dumps(event) for event in events)
    assert runs["S"].tests == {"a": Outcome("failed", "why")}
    assert (runs["S"].ended, runs["S"].seconds, runs["S"].counts["limits"]) == ("completed", 2.5, 3)
    assert not runs["T"].ended


def test_what_is_committed_can_be_read() -> None:
    listed = suites.parse(suites.LIST.read_text("utf-8"))
    assert any(suite.is_in("limited", quick=True) for suite in listed)
    names = {suite.class_name for suite in listed}
    for reasons in expected.parse(expected.LIST.read_text("utf-8")).values():
        assert {suite for suite, _ in reasons} <= names


def test_a_mark_restricts_a_suite_to_a_mode() -> None:
    both, quick, plain = suites.parse("[g]\nA\nB quick\nC plain quick")
    assert [suite.is_in("limited", quick=False) for suite in (both, quick, plain)] == [
        True,
        True,
        False,
    ]
    assert [suite.is_in("plain", quick=True) for suite in (both, quick, plain)] == [
        False,
        True,
        True,
    ]


def test_lists_that_cannot_be_meant_are_refused() -> None:
    with pytest.raises(ValueError, match="more than once: A"):
        suites.parse("[g]\nA\nA quick")
    with pytest.raises(ValueError, match="unknown mark: slow"):
        suites.parse("[g]\nA slow")
    with pytest.raises(ValueError, match="no reason"):
        expected.parse("[plain]\nS: a test\n")


def test_reasons_are_read_by_mode() -> None:
    text = "# comment\n[plain]\nS: a: b\n  Because\n  so.\n[limited]\n"
    read = expected.parse(text)
    assert read["plain"] == {(suites.PACKAGE + "S", "a: b"): "Because so."}
    assert not read["limited"]


def test_runs_differ_in_the_extension_alone() -> None:
    without, pruned = (
        jvm.Leg(limited=True, pruning=on).properties()["spark.sql.extensions"].split(",")
        for on in (False, True)
    )
    assert [name for name in pruned if name not in without] == [jvm.PRUNING]
    assert pruned[-1] == jvm.WATCH
    assert any("jdk.internal.ref" in option for option in jvm.add_opens())


@needs_spark("suites that the project runs")
def test_the_jars_are_those_of_the_spark_that_is_installed() -> None:
    assert any(":4." in jar and jar.endswith("classifier=tests") for jar in jars.coordinates())
