"""Runs many queries over one random table, and holds each answer to what plain Spark finds."""

from __future__ import annotations

import itertools
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.sql import SparkSession

from support.random_plans import answers, claims, reproduction, sessions, shapes
from support.random_plans.answers import Answer
from support.random_plans.places import PLACES, Sessions, Table
from support.random_plans.queries import Query
from support.random_plans.settings import CODEGEN_MODE, REFERENCE, Settings
from support.random_plans.specs import Spec
from support.random_plans.tally import Failure, Tally
from support.runs import VECTORIZED, in_threads

_NUMBERS = itertools.count()
PLAIN_TOO = "wrong in plain Spark, too"
CANNOT_SAY = "no reference, as plain Spark fails"


def check(spark: SparkSession, spec: Spec, queries: list[Query], tally: Tally) -> None:
    """Write a table, and run queries over it."""
    if not queries:
        return
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        pair = sessions.pair(spark, REFERENCE | _settings(spec))
        table = PLACES[spec.place][0](spec, f"rp{next(_NUMBERS)}", folder / "table", pair)
        try:
            sessions.add_helpers(pair, table, folder)
            tally.counts["tables"] += 1
            _run(pair, table, queries, tally)
        finally:
            table.drop(spark)


def _settings(spec: Spec) -> Settings:
    """Return the settings of all queries over a table: which of Spark's readers they use."""
    reader = {VECTORIZED: "false" if spec.seed % 3 == 0 else "true"}
    # Spark cannot read variants that are shredded without generated code.
    return reader | ({CODEGEN_MODE: "FALLBACK"} if spec.place == "variants" else {})


def _run(pair: Sessions, table: Table, queries: list[Query], tally: Tally) -> None:
    texts = [query.over(table) for query in queries]
    distinct = list(dict.fromkeys(candidates for _, candidates in texts))
    found = in_threads(lambda sql: answers.answer(pair[1], sql), distinct)
    references = dict(zip(distinct, found, strict=True))
    first = tally.start(len(queries))
    pairs = list(zip(queries, texts, strict=True))
    results = in_threads(lambda p: _answer(pair[0], table, p[0], p[1][0]), pairs)
    for number, ((query, (sql, candidates)), answer) in enumerate(
        zip(pairs, results, strict=True), first
    ):
        for dimension, value in _dimensions(table.spec, query):
            tally.add(dimension, value, answer.covered)
        tally.counts["covered"] += answer.covered > 0
        reference = references[candidates]
        problem = _problem(query, answer, reference)
        if reference.error:
            tally.counts[CANNOT_SAY] += 1
            print(CANNOT_SAY, reference.error, candidates)
        elif problem and _problem(query, _answer(pair[1], table, query, sql), reference):
            tally.counts[PLAIN_TOO] += 1
        elif problem:
            text = reproduction.of_query(table, query, problem, number)
            tally.fail(Failure(number, _kind(table, query, problem), problem, text))


def _answer(spark: SparkSession, table: Table, query: Query, sql: str) -> Answer:
    # Plain Spark fails to cast rows where the session of a query wants another reader than the
    # session that made the table.
    session = sessions.copied(spark, query.settings | _settings(table.spec))
    return answers.answer(session, sql, query.way, counts=True)


def _dimensions(spec: Spec, query: Query) -> list[tuple[str, str]]:
    return [
        ("place", spec.place),
        ("partitioned by", spec.partition),
        ("shape", query.shape),
        ("condition", query.kind),
        ("fetched", query.way),
    ]


def _problem(query: Query, answer: Answer, reference: Answer) -> str:
    if answer.error:
        return f"fails: {answer.error}"
    claim = claims.CLAIMS[shapes.SHAPES[query.shape].claim]
    return claim(answer.rows, reference.rows, query.limits, query.keys)


def _kind(table: Table, query: Query, problem: str) -> tuple[str, ...]:
    what = problem.split(": ", 2)
    name = what[1].split(" < ")[0] if what[0] == "fails" else ""
    ordered = "ORDER BY" if query.shape.startswith("order") else "LIMIT"
    return (f"{what[0]} {name}".strip(), ordered, query.kind, f"place {table.spec.place}")
