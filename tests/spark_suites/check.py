"""Runs suites with LIMIT pruning, repeats without it those that fail, and collects problems."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from spark_suites import compare, jars, jvm
from spark_suites.compare import Difference, Test
from spark_suites.jvm import Leg
from spark_suites.outcomes import Runs
from spark_suites.suites import Suite

ALONE_SECONDS = 900.0


@dataclass(frozen=True)
class Check:
    """One comparison; `limited`: with a LIMIT over each scan of Parquet, in both runs.

    `quick`: all suites share one JVM, and none runs without pruning for tests that are known to
    fail then.
    """

    limited: bool
    class_path: str
    jobs: int
    minutes: float
    quick: bool

    def leg(self, *, pruning: bool) -> Leg:
        """Return one of the two ways to run suites."""
        return Leg(limited=self.limited, pruning=pruning)

    def run(self, wanted: Iterable[Suite], *, pruning: bool) -> Runs:
        """Run the suites, each group of them in a JVM, several JVMs at a time.

        Quick suites are one group: starting a JVM and Spark takes as long as some suites.
        """
        leg = self.leg(pruning=pruning)
        groups: dict[str, dict[str, list[str]]] = {}
        for suite in wanted:
            tests = jars.inputs_with_limits() if suite.only_limits else []
            group = "quick" if self.quick else suite.group
            groups.setdefault(group, {})[suite.class_name] = tests

        def run_group(group: str) -> Runs:
            started = time.monotonic()
            runs = jvm.run(leg, group, groups[group], self.class_path, self.minutes * 60)
            tests = sum(len(run.tests) for run in runs.values())
            print(
                f"{leg.name}, {group}: {tests} tests, {time.monotonic() - started:.0f} s",
                flush=True,
            )
            return runs

        with ThreadPoolExecutor(self.jobs) as pool:
            return {
                suite: run for runs in pool.map(run_group, groups) for suite, run in runs.items()
            }

    def is_confirmed(self, difference: Difference) -> bool:
        """Run a differing test alone, in both ways; it counts unless that shows no difference."""
        suite, test = difference.test
        folder = f"alone-{suite.rpartition('.')[2]}"
        without, pruned = (
            jvm.run(self.leg(pruning=on), folder, {suite: [test]}, self.class_path, ALONE_SECONDS)
            for on in (False, True)
        )
        fails_without = suite not in without or not without[suite].all_passed
        return fails_without or bool(compare.differences(without, pruned))

    def problems(
        self, wanted: list[Suite], expected: Mapping[Test, str], anyway: Collection[Test]
    ) -> tuple[Runs, list[str]]:
        """Compare; return what ran with LIMIT pruning, and what is not as it should be.

        `anyway`: tests that are known to fail without pruning, too.
        """
        listed = {*expected, *anyway}
        pruned = self.run(wanted, pruning=True)
        names = [suite.class_name for suite in wanted]
        problems = compare.not_run(names, pruned) + compare.inactive(pruned)
        repeated = compare.to_repeat(names, pruned, listed if self.quick else ())
        without = self.run((s for s in wanted if s.class_name in repeated), pruning=False)
        problems += compare.active(without)
        found = compare.differences(without, pruned)
        print(f"{len(repeated)} suites ran without LIMIT pruning, too; {len(found)} tests differ")
        for difference in found:
            suite, test = difference.test
            if difference.test not in expected and self.is_confirmed(difference):
                message = compare.first_lines(difference.outcome.message)
                how = difference.outcome.how
                problems.append(f"{suite}: {test}\n  {how} with LIMIT pruning only: {message}")
        stale = {
            *compare.pass_now(listed, pruned),
            *compare.pass_now(anyway, without),
            *compare.gone(found, expected, without),
        }
        problems += [
            f"{suite}: {test}\n  expected.txt is wrong: the test passes with LIMIT pruning, or is "
            "listed in the wrong section, or does not exist"
            for suite, test in sorted(stale)
        ]
        return pruned, problems
