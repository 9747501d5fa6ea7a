"""Changes a table between planning a query and running it, and judges the answers."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession

from random_plans import answers, changes, claims, reproduction, sessions, shapes, specs
from random_plans.answers import ERRORS, Answer
from random_plans.places import PLACES, Sessions, Table
from random_plans.queries import Query, queries
from random_plans.settings import CASE_SENSITIVE, Settings, settings
from random_plans.specs import Spec
from random_plans.tally import Failure, Tally
from runs import in_threads

_NUMBERS = itertools.count()


@dataclass(frozen=True)
class Case:
    """A table, a query over it, and what happens between planning and running the query."""

    spec: Spec
    settings: Settings
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


# Shapes whose answers say enough about the rows that were read.
SHAPES = ["select", "star", "offset", "nested", "join above", "count", "order", "order, offset"]
RUNS = ["planned before", "planned after", "planned after a refresh"]


@st.composite
def cases(draw: st.DrawFn, place: str) -> Case:
    """Draw a case at a place."""
    spec = draw(specs.specs(place, PLACES[place][1]))
    chosen = draw(settings())
    shape = draw(st.sampled_from(SHAPES))
    query = draw(queries(spec, shape, chosen[CASE_SENSITIVE] == "true"))
    first = draw(st.sampled_from(list(changes.ALL)))
    second = draw(st.sampled_from(["", "", *changes.CHANGES])) if first in changes.SETTINGS else ""
    return Case(spec, chosen, query, tuple(filter(None, [first, second])))


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
        pair = sessions.pair(spark, case.settings)
        name = f"rc{next(_NUMBERS)}"
        table = PLACES[case.spec.place][0](case.spec, name, folder / "table", pair)
        try:
            sessions.add_helpers(pair, table, folder)
            return _outcome(pair, table, case)
        finally:
            table.drop(spark)


def _outcome(pair: Sessions, table: Table, case: Case) -> Outcome:
    own, plain = pair
    sql, candidates = case.query.over(table)
    before = answers.answer(plain, candidates)
    try:
        planned = answers.planned(own, sql)
    except ERRORS as error:
        problem = "" if before.error else f"fails: {answers.described(error)}"
        return Outcome(problem, [before.error], 0, table.statements, (sql, candidates))
    covered = answers.covered(planned)
    stale = [answers.planned(plain, text) for text in (sql, candidates)] if not before.error else []
    for name in case.changes:
        _change(name, table, pair)
    found = [_fetched(planned, case.query.way), answers.answer(own, sql)]
    plainly = [_fetched(df) for df in stale]
    plainly.append(answers.answer(plain, candidates))
    for session in pair:
        changes.refresh(table, session)
    after = answers.answer(plain, candidates)
    found.append(answers.answer(own, sql))
    allowed = [before, *plainly[1:], after]
    excused = any(answer.error for answer in [before, *plainly, after])
    problems = [
        f"{when}: {problem}"
        for when, answer in zip(RUNS, found, strict=True)
        if (
            problem := _problem(
                case.query, answer, [after] if when == RUNS[2] else allowed, excused
            )
        )
    ]
    errors = [answer.error for answer in found if answer.error]
    return Outcome("; ".join(problems), errors, covered, table.statements, (sql, candidates))


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
        clear = "FileChangedException" in answer.error and "REFRESH TABLE" in answer.error
        return "" if excused or (clear and len(allowed) > 1) else f"fails: {answer.error}"
    states = [state for state in allowed if not state.error]
    claim = claims.CLAIMS[shapes.SHAPES[query.shape].claim]
    found = [claim(answer.rows, state.rows, query.limits, query.keys) for state in states]
    return "" if not all(found) else next(iter(found), "")
