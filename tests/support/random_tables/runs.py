"""Runs random queries over a random table, and holds each answer to the reference."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.sql import SparkSession

import limit_pruning
from limit_pruning import PruningReport
from support import oracle
from support.random_tables import reproduction
from support.random_tables.queries import Query
from support.random_tables.reference import Reference, Row
from support.random_tables.settings import Settings
from support.random_tables.table import RandomTable
from support.runs import ENABLED, VECTORIZED, as_dicts, conf, in_threads
from support.sparks import QUERY_ERRORS

EXCUSED = "queries that plain Spark gets wrong"
MOST_EXCUSED = 0.01


@dataclass
class Tally:
    """What random runs came across; `counts` goes by name."""

    counts: Counter[str] = field(default_factory=Counter)

    @property
    def covered(self) -> float:
        """The share of queries whose LIMIT was covered."""
        return self.counts["covered"] / max(1, self.counts["queries"])

    def assert_few_are_excused(self) -> None:
        """Assert that nearly all answers count: hardly any is wrong in plain Spark, too."""
        excused = self.counts[EXCUSED]
        assert excused <= MOST_EXCUSED * (self.counts["queries"] + excused), str(self)

    def add(self, query: Query, report: PruningReport) -> None:
        """Count a query that was held to the reference."""
        form = (
            "none" if not query.predicate else "function" if query.predicate.functions else "plain"
        )
        covered = any(limit.covered for limit in report)
        self.counts["queries"] += 1
        self.counts["covered"] += covered
        self.counts[f"queries, predicate {form}"] += 1
        self.counts[f"covered, predicate {form}"] += covered
        for limit in report:
            self.counts["row groups proved"] += limit.row_groups.fully_matched or 0
            if limit.reason:
                self.counts[f"left to Spark, {limit.reason.code}, predicate {form}"] += 1
        if not report.limits:
            self.counts[f"no LIMIT in the plan, predicate {form}"] += 1

    def __str__(self) -> str:
        """Return a line for each count."""
        lines = [f"{name}: {count}" for name, count in sorted(self.counts.items())]
        return "\n".join([f"share covered: {self.covered:.0%}", *lines])


def write_and_check(
    spark: SparkSession, table: RandomTable, settings: Settings, queries: list[Query], tally: Tally
) -> None:
    """Write the table to disk and hold every query over it to the reference."""
    with TemporaryDirectory() as folder:
        table.register(spark, Path(folder))
        predicates = [query.predicate.sql for query in queries if query.predicate]
        reference = Reference(spark, settings, predicates)
        assert len(reference.rows) == sum(len(group) for group in table.columns[0].groups)
        tally.counts["tables"] += 1
        pairs = []
        for query in queries:
            sql = query.predicate.sql if query.predicate else None
            if sql is not None and sql not in reference.matching:
                tally.counts["queries left out, as the reference fails"] += 1
            else:
                pairs.append((query, reference.rows if sql is None else reference.matching[sql]))
        with conf(spark, settings):
            answers = in_threads(lambda pair: problem_with(spark, *pair), pairs)
            for (query, matching), (problem, report) in zip(pairs, answers, strict=True):
                if problem:
                    _judge(spark, table, settings, query, matching, tally)
                else:
                    tally.add(query, report)


def _judge(
    spark: SparkSession,
    table: RandomTable,
    settings: Settings,
    query: Query,
    matching: list[Row],
    tally: Tally,
) -> None:
    """Raise what is wrong with the answer to a query, unless it is plain Spark that is wrong."""
    problem, report = problem_with(spark, query, matching)
    with conf(spark, {ENABLED: "false"}):
        own, _ = problem_with(spark, query, matching)
    with conf(spark, {VECTORIZED: "false"}):  # a bug of Spark's other reader is not ours
        by_rows, _ = problem_with(spark, query, matching)
    if own and not (by_rows and any(limit.covered for limit in report)):
        tally.counts[EXCUSED] += 1
        return
    what = problem or "right when run alone, but wrong beside others"
    text = reproduction.script(table, settings, query, len(matching), what)
    path = reproduction.save(text)
    number = f"at query {tally.counts['queries'] + 1}"
    print(number)  # Hypothesis runs the failing example again, and shows only that error
    raise AssertionError(f"{number}: {what}\nto reproduce, run {path}:\n{text}")


def problem_with(
    spark: SparkSession, query: Query, matching: list[Row]
) -> tuple[str, PruningReport]:
    """Run the query; return what is wrong with its answer, or '', and its report."""
    report = PruningReport(())
    due = query.rows_due(len(matching))
    try:
        df = spark.sql(query.sql(len(matching)))
        report = limit_pruning.report(df)
        found = as_dicts(df)
    except QUERY_ERRORS as error:
        return f"fails: {str(error)[:1000]}", report
    if query.shape == "count":
        return ("" if found == [{"n": due}] else f"counts {found}, not {due}"), report
    if len(found) != due:
        return f"gives {len(found)} rows, not {due}", report
    names = list(query.columns)
    wrong = oracle.as_bag(found, names) - oracle.as_bag(matching, names)
    return (f"gives rows that do not match: {dict(wrong)}" if wrong else ""), report
