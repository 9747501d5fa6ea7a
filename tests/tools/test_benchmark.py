"""The benchmark itself: it finds wrong answers, reckons its targets, and runs at a small size."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import cast

import pytest

from benchmarks import tables
from benchmarks.engines import DATAFUSION, DUCKDB, ENGINES, OURS, PLAIN
from benchmarks.process import EngineProcess, Run
from benchmarks.queries import (
    COLLECT,
    COUNTED,
    DAY,
    LATEST,
    NEWEST,
    NONE,
    SPECIES,
    TO_PANDAS,
    UNPROVABLE,
    USER,
    WRITE,
    Query,
    queries,
)
from benchmarks.run import Cost, Measured, WrongAnswerError, compare, run_all, run_one
from benchmarks.spread import spread
from benchmarks.targets import targets
from support import small_benchmark

QUERY = Query(tables.EVENTS, NONE, 100, TO_PANDAS)
needs_engines = pytest.mark.skipif(
    not all(find_spec(name) for name in ("datafusion", "duckdb", "matplotlib")),
    reason="the extra `bench` is not installed; `make bench` does",
)


class FakeEngine:
    """Answers as it is told."""

    def __init__(self, name: str, rows: int) -> None:
        """Give so many rows to every query."""
        self.name = name
        self._rows = rows

    def run(self, query: Query) -> Run:
        """Return the same cost always."""
        assert replace(query, run=0) == QUERY
        return Run(seconds=0.1, bytes=10, rows=self._rows, jobs=1, tasks=1)

    def decoded(self, query: Query) -> dict[str, int | None]:
        """Return the same counts always."""
        assert query is QUERY
        return {"row_groups": 1, "rows": 100}


def fake(name: str, rows: int) -> EngineProcess:
    return cast(EngineProcess, FakeEngine(name, rows))


def test_a_wrong_number_of_rows_stops_the_benchmark() -> None:
    engines = [fake(PLAIN, 100), fake(OURS, 99)]
    with pytest.raises(WrongAnswerError, match="99 rows instead of 100"):
        run_one(engines, QUERY, expected=100, runs=1, share=0)
    assert run_one(engines[:1], QUERY, expected=100, runs=1, share=0).costs[PLAIN].rows == 100


class Answering:
    """Gives one answer to the check of every query."""

    def __init__(self, name: str, rows: list[list[str]]) -> None:
        """Take the answer."""
        self.name = name
        self._rows = rows

    def check(self, query: Query) -> list[list[str]]:
        """Return the answer."""
        assert query.check
        return self._rows


def test_a_wrong_row_stops_the_benchmark() -> None:
    latest = Query(tables.EVENTS, NONE, 2, COLLECT, LATEST)

    def checked(query: Query, *answers: list[list[str]]) -> None:
        engines = [Answering(name, rows) for name, rows in zip(ENGINES, answers, strict=False)]
        compare(cast(list[EngineProcess], engines), query)

    checked(latest, [["9", "1"], ["8", "1"]], [["9", "1"], ["8", "1"]])
    with pytest.raises(WrongAnswerError, match="ORDER BY ts DESC"):
        checked(latest, [["9", "1"], ["8", "1"]], [["9", "1"], ["7", "1"]])
    checked(QUERY, [["0"]], [["0"]])
    with pytest.raises(WrongAnswerError, match="IS NOT TRUE"):
        checked(QUERY, [["1"]], [["1"]])


def test_the_checks_are_of_the_query() -> None:
    clustered = Query(tables.EVENTS, UNPROVABLE, 10, WRITE)
    assert (
        "(user_id + 7 * 0) % 7 = 3 LIMIT 10) AS e WHERE ((user_id + 7 * 0) % 7 = 3) IS NOT TRUE"
        in clustered.check
    )
    unlimited = Query(tables.EVENTS, NONE, None, COLLECT)
    assert unlimited.check == unlimited.sql
    distinct = Query(tables.EVENTS, UNPROVABLE, 10, COLLECT, keys=SPECIES)
    every = "SELECT DISTINCT species FROM events WHERE (user_id + 7 * 0) % 7 = 3"
    assert (distinct.sql, distinct.counted) == (f"{every} LIMIT 10", f"({every}) AS g")
    assert f"(({every} LIMIT 10) EXCEPT ({every}))" in distinct.check


class Sending:
    """Answers all requests, and notes what it counted."""

    name = PLAIN

    def __init__(self, rows: int) -> None:
        """Give so many rows to every query."""
        self.counted: list[str] = []
        self._rows = rows

    def count(self, source: str) -> int:
        """Return 2."""
        self.counted.append(source)
        return 2

    def run(self, query: Query) -> Run:
        """Return the same cost always."""
        assert query.limit
        return Run(seconds=0.1, bytes=10, rows=self._rows, jobs=1, tasks=1)

    def decoded(self, query: Query) -> dict[str, int | None]:
        """Return the same counts always."""
        assert query.limit
        return {"row_groups": 1, "rows": 2}

    def check(self, query: Query) -> list[list[str]]:
        """Return that all rows are right."""
        assert query.limit
        return [["0"]]


def test_a_limit_over_groups_counts_groups() -> None:
    query = Query(tables.PARTITIONED, NONE, 3, COLLECT, keys=DAY, functions=COUNTED)

    def run(rows: int) -> Sending:
        engine = Sending(rows)
        process = cast(EngineProcess, engine)
        run_all(lambda _: [process], process, [query], runs=1, minutes=1)
        return engine

    assert run(2).counted == ["(SELECT DISTINCT day FROM by_day) AS g"]
    with pytest.raises(WrongAnswerError, match="3 rows instead of 2"):
        run(3)


def test_every_query_has_a_name_of_its_own() -> None:
    names = [query.name for query in queries()]
    assert len(set(names)) == len(names)


def cost(seconds: float, size: int) -> Cost:
    return Cost(seconds, size, seconds, [seconds], size, 100, 1, 1, 1, 100)


@pytest.mark.parametrize(
    ("plain", "met"),
    [(cost(1.6, 101), [True, True]), (cost(1.4, 99), [False, False])],
    ids=["reached", "missed"],
)
def test_targets_say_whether_they_are_met(plain: Cost, met: list[bool]) -> None:
    ours = cost(0.1, 1)
    measured = Measured(QUERY, {PLAIN: plain, OURS: ours, DATAFUSION: ours, DUCKDB: ours})
    found = targets([measured])
    assert [target.met for target in found[:2]] == met
    assert found[2].met is None


@pytest.mark.parametrize(
    ("query", "name"),
    [
        (Query(tables.INT96, NONE, 100, COLLECT, LATEST), "INT96 with dictionaries"),
        (Query(tables.PARTITIONED, NEWEST, 10, TO_PANDAS), "scalar subquery"),
        (Query(tables.EVENTS, NONE, 10, COLLECT, keys=SPECIES), "DISTINCT or GROUP BY, LIMIT"),
        (
            Query(tables.PARTITIONED, NONE, 3, COLLECT, keys=DAY, functions=COUNTED),
            "DISTINCT or GROUP BY, LIMIT",
        ),
    ],
    ids=["int96", "subquery", "distinct", "whole groups"],
)
def test_other_shapes_have_targets_of_their_own(query: Query, name: str) -> None:
    ours, other = cost(1.1, 1), cost(1.0, 5)
    measured = Measured(query, {PLAIN: other, OURS: ours, DATAFUSION: other, DUCKDB: other})
    found = {target.name: target.met for target in targets([measured]) if target.ratios}
    assert found == {f"bytes, plain / ours: {name}": True, f"time, plain / ours: {name}": False}


def test_groups_that_are_not_proved_have_nothing_to_gain() -> None:
    costs = {name: cost(1.0, 1) for name in ENGINES}
    for keys in (USER, DAY):
        query = Query(tables.PARTITIONED, NONE, 10, COLLECT, keys=keys)
        (of, _) = (target for target in targets([Measured(query, costs)]) if target.ratios)
        assert (of.name, of.met) == ("time, ours / plain: nothing to gain", True)


def test_a_collect_that_costs_more_is_a_target_missed() -> None:
    query = Query(tables.EVENTS, NONE, 100, COLLECT)
    costs = {PLAIN: cost(0.1, 1), OURS: cost(0.12, 1), DATAFUSION: cost(1, 1), DUCKDB: cost(1, 1)}
    found = {target.name: target for target in targets([Measured(query, costs)])}
    assert found["time, ours / plain: collect that one task answers"].met is False


@pytest.mark.spark
@pytest.mark.slow
@needs_engines
def test_it_runs_at_a_small_size(tmp_path: Path) -> None:
    done = small_benchmark.run("benchmarks", "events, none, LIMIT 100,", tmp_path)
    assert "events, none, LIMIT 100, toPandas" in done.output
    document = done.document
    assert done.file.with_suffix(".png").stat().st_size > 0
    for query in document["queries"]:
        assert list(query["costs"]) == list(ENGINES)
        assert {one["rows"] for one in query["costs"].values()} == {100}
        assert query["costs"][OURS]["tasks"] <= 2
        assert all(one["first_seconds"] > 0 for one in query["costs"].values())


def test_a_mean_is_shown_with_the_least_and_the_most() -> None:
    assert spread(2.0, [4.0, 1.0]) == "2.00 (1.00 to 4.00)"
    assert spread(177.53, [177.53]) == "178"
    assert spread(None, [1417.07, -29.35]) == "-29.4 to 1417"
