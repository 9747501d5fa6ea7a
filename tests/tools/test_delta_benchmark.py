"""The benchmark beside Delta Lake: it reckons its targets, and runs at a small size."""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path

import pyspark
import pytest

from benchmarks.delta.queries import NO_PREDICATE, NOTHING_TO_GAIN, engines_of, queries
from benchmarks.delta.targets import targets
from benchmarks.engines import DELTA, DELTA_ENGINES, DELTA_OURS, DELTA_READS_ALL
from benchmarks.formats.report import table
from benchmarks.queries import Query
from benchmarks.report import goals
from benchmarks.run import Cost, Measured
from benchmarks.targets import Target
from support import downloads, small_benchmark

needs_duckdb = pytest.mark.skipif(
    not find_spec("duckdb"), reason="the extra `bench` is not installed; `make bench-delta` does"
)


def cost(seconds: float, size: int) -> Cost:
    return Cost(seconds, size, seconds, [seconds], size, 100, 1, 1, 1, 100)


def found(query: Query, **costs: Cost) -> dict[str, Target]:
    names = {"delta": DELTA, "reads_all": DELTA_READS_ALL, "ours": DELTA_OURS}
    measured = Measured(query, {names[key]: value for key, value in costs.items()})
    return {target.name: target for target in targets([measured])}


def test_every_query_has_a_name_of_its_own() -> None:
    names = [query.name for query in queries()]
    assert len(set(names)) == len(names)


def test_a_query_arrives_at_the_engine_as_it_was_sent() -> None:
    for query in queries():
        assert Query.from_dict(json.loads(json.dumps(asdict(query)))) == query


def test_all_jvms_have_run_the_same_before_they_are_compared() -> None:
    count = 1 + max(queries().index(query) for query in NO_PREDICATE)
    assert all(engines_of(query) == DELTA_ENGINES for query in queries()[:count])
    assert all(engines_of(query) == (DELTA, DELTA_OURS) for query in queries()[count:])


@pytest.mark.parametrize(("seconds", "size", "met"), [(1.0, 100, True), (0.9, 99, False)])
def test_targets_without_a_predicate_compare_with_delta_that_reads_all(
    seconds: float, size: int, met: bool
) -> None:
    costs = {"delta": cost(0.1, 1), "reads_all": cost(seconds, size), "ours": cost(0.1, 1)}
    of = found(NO_PREDICATE[0], **costs)
    for what in ("bytes", "time"):
        rows = f"{what}, {DELTA_READS_ALL} / ours: no predicate, toPandas or write"
        assert of[rows].met is met
        as_it_is = of[f"{what}, {DELTA} / ours: no predicate, toPandas or write"]
        assert (as_it_is.met, [ratio.value for ratio in as_it_is.ratios]) == (None, [1.0])


@pytest.mark.parametrize(("seconds", "met"), [(1.02, True), (1.04, False)])
def test_an_overhead_is_missed_and_shown(seconds: float, met: bool) -> None:
    of = found(NOTHING_TO_GAIN[0], delta=cost(1.0, 10), ours=cost(seconds, 10))
    target = of[f"time, ours / {DELTA}: nothing to gain"]
    assert target.met is met
    assert ("MISSED" in goals([target])) is not met
    assert not any(other.ratios for other in of.values() if other is not target)


def test_the_table_has_a_gap_where_an_engine_did_not_run() -> None:
    costs = {DELTA: cost(1.0, 10), DELTA_OURS: cost(1.0, 10)}
    measured = [Measured(NOTHING_TO_GAIN[0], costs)]
    assert " - " in table(measured, DELTA_ENGINES, ("Delta", "no push-down", "ours"))


@pytest.mark.spark
@pytest.mark.slow
@needs_duckdb
def test_it_runs_at_a_small_size(tmp_path: Path) -> None:
    minor = ".".join(pyspark.__version__.split(".")[:2])
    downloads.folder("delta-jars", minor)
    document = small_benchmark.run(
        "benchmarks.delta", "events, none, LIMIT 100, ", tmp_path
    ).document
    actions = [query["query"].rpartition(", ")[2] for query in document["queries"]]
    assert actions == ["toPandas", "write", "CREATE TABLE"]
    for query in document["queries"]:
        assert list(query["costs"]) == list(DELTA_ENGINES)
        assert {one["rows"] for one in query["costs"].values()} == {100}
        assert query["costs"][DELTA_OURS]["row_groups"] == 1
    assert document["tables"]["events_delta"]["files"] == 60
    assert set(document["about"]["versions"]) == {"Spark", "Delta Lake"}
