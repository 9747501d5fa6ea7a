"""Changes a table between planning a query and running it, and judges the answers."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession

from support.random_plans import (
    answers,
    changes,
    claims,
    conditions,
    reproduction,
    sessions,
    shapes,
    specs,
)
from support.random_plans.answers import ERRORS, Answer
from support.random_plans.places import PLACES, Sessions, Table
from support.random_plans.queries import Query, queries
from support.random_plans.specs import Spec
from support.random_plans.tally import Failure, Tally
from support.runs import ENABLED, conf, in_threads

PLAIN = {ENABLED: "false"}
_NUMBERS = itertools.count()


@dataclass(frozen=True)
class Case:
    """A table, a query over it, and what happens between planning and running the query."""

    spec: Spec
    query: Query
    changes: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """What is wrong with a case, if anything, and what happened."""

    problem: str
    errors: Sequence[str]
    covered: int
    statements: Sequence[str]
    sql: tuple[str, str]


# Shapes whose answers say enough about the rows that were read. No inner join: ids that a change
# brings have no partner, and rows of the LIMIT would be missing in the answer.
SHAPES = ["select", "star", "offset", "nested", "left join above", "count"]
SHAPES += ["order", "order, offset"]
RUNS = ["planned before", "planned after", "planned after a refresh"]


@st.composite
def cases(draw: st.DrawFn, place: str, firsts: Sequence[str]) -> Case:
    """Draw a case at a place, with one of some changes as the first."""
    spec = draw(specs.specs(place, PLACES[place][1]))
    shape = draw(st.sampled_from(SHAPES))
    query = draw(queries(spec, shape, conditions.PROVABLE))
    first = draw(st.sampled_from(firsts))
    second = draw(st.sampled_from(["", "", *changes.CHANGES])) if first in changes.SETTINGS else ""
    return Case(spec, query, tuple(filter(None, [first, second])))


def check(spark: SparkSession, drawn: Sequence[Case], tally: Tally) -> None:
    """Run the cases, and hold their answers to what plain Spark finds."""
    first = tally.start(len(RUNS) * len(drawn))
    outcomes = in_threads(lambda case: run(spark, case), drawn)
    for index, (case, outcome) in enumerate(zip(drawn, outcomes, strict=True)):
        number = first + index * len(RUNS)
        spec, covered = case.spec, outcome.covered > 0
        tally.counts["covered"] += covered * len(RUNS)
        for name in case.changes:
            tally.add("change", name, covered)
        for dimension, value in [("changing place", spec.place), ("changing", case.query.shape)]:
            tally.add(dimension, value, covered)
        for error in outcome.errors:
            tally.counts[f"error after a change: {error.split(':')[0].split(' < ')[0]}"] += 1
        if outcome.problem:
            text = reproduction.of_case(case, outcome, number)
            kind = (outcome.problem.split(" < ")[0][:70], *case.changes, f"place {spec.place}")
            tally.fail(Failure(number, kind, outcome.problem, text))


def run(spark: SparkSession, case: Case) -> Outcome:
    """Plan the query, change the table, run the query, and run it again."""
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        pair = sessions.pair(spark, case.query.settings)
        name = f"rc{next(_NUMBERS)}"
        table = PLACES[case.spec.place][0](case.spec, name, folder / "table", pair)
        try:
            sessions.add_helpers(pair, table, folder)
            return _outcome(pair, table, case)
        finally:
            table.drop(spark)


def _outcome(pair: Sessions, table: Table, case: Case) -> Outcome:
    """Run the query and plain Spark's in the first session; the second makes most changes."""
    own, _ = pair
    sql, candidates = texts = case.query.over(table)
    before = _plain(own, candidates)
    if before.error:
        return Outcome("", [f"before: {before.error}"], 0, table.statements, texts)
    try:
        planned = answers.planned(own, sql)
    except ERRORS as error:
        problem = f"{RUNS[0]}: fails: {answers.described(error)}"
        return Outcome(problem, [problem], 0, table.statements, texts)
    covered = answers.covered(planned)
    with conf(own, PLAIN):
        plainly, stale = (answers.planned(own, text) for text in texts)
    for name in case.changes:
        _change(name, table, pair)
    found = [_fetched(planned, case.query.way), answers.answer(own, sql)]
    with conf(own, PLAIN):
        excuse, state = _fetched(plainly), _fetched(stale)
    again = _plain(own, candidates)
    for session in pair:
        changes.refresh(table, session)
    after = _plain(own, candidates)
    found.append(answers.answer(own, sql))
    states = [before, state, again, after]
    problems = [
        _problem(case.query, found[0], states, bool(excuse.error)),
        _problem(case.query, found[1], states, bool(again.error)),
        _problem(case.query, found[2], [after], bool(after.error)),
    ]
    named = [f"{when}: {p}" for when, p in zip(RUNS, problems, strict=True) if p]
    errors = [answer.error for answer in found if answer.error]
    return Outcome("; ".join(named), errors, covered, table.statements, texts)


def _plain(spark: SparkSession, sql: str) -> Answer:
    with conf(spark, PLAIN):
        return answers.answer(spark, sql)


def _change(name: str, table: Table, pair: Sessions) -> None:
    try:
        changes.ALL[name](table, pair)
    except ERRORS as error:  # as Spark cannot overwrite a partition that it cannot list
        table.statements.append(f"-- {name} fails: {answers.described(error)}")


def _fetched(df: DataFrame, way: str = "once") -> Answer:
    try:
        return Answer(answers.fetched(df, way))
    except ERRORS as error:
        return Answer(error=answers.described(error))


def _problem(query: Query, answer: Answer, allowed: list[Answer], excused: bool) -> str:
    """Return what is wrong with an answer that may be about any of some states of the table."""
    if answer.error:
        # Of a file that is gone, Spark's own error says what to do.
        about_files = re.search("FileChangedException|FileNotFoundException", answer.error)
        clear = about_files and answers.ADVICE in answer.error
        return "" if excused or (clear and len(allowed) > 1) else f"fails: {answer.error}"
    states = [state for state in allowed if not state.error]
    claim = claims.CLAIMS[shapes.SHAPES[query.shape].claim]
    found = [claim(answer.rows, state.rows, query.limits, query.keys) for state in states]
    return "" if not all(found) else next(iter(found), "")
