"""The benchmark beside Apache Iceberg: it reckons its targets, and runs at a small size."""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks.engines import ICEBERG, ICEBERG_ENGINES, ICEBERG_OURS
from benchmarks.iceberg.queries import NO_PREDICATE, ORDERED, PLANNED, queries
from benchmarks.iceberg.targets import targets
from benchmarks.queries import Query
from benchmarks.run import Cost, Measured
from benchmarks.targets import Target
from support import small_benchmark
from support.iceberg import session


def found(query: Query, alone: tuple[float, int], ours: tuple[float, int]) -> dict[str, Target]:
    costs = {
        name: Cost(seconds, size, seconds, [seconds], size, 100, 1, 1, None, 100)
        for name, (seconds, size) in zip(ICEBERG_ENGINES, (alone, ours), strict=True)
    }
    return {target.name: target for target in targets([Measured(query, costs)])}


def test_every_query_has_a_name_of_its_own_and_arrives_as_it_was_sent() -> None:
    names = [query.name for query in queries()]
    assert len(set(names)) == len(names)
    for query in queries():
        assert Query.from_dict(json.loads(json.dumps(asdict(query)))) == query


@pytest.mark.parametrize(("size", "met"), [(50, True), (49, False)])
def test_bytes_are_compared_with_iceberg_alone(size: int, met: bool) -> None:
    of = found(NO_PREDICATE[0], (1.0, size), (0.5, 1))
    target = of[f"bytes, {ICEBERG} / ours: no predicate, not at the root"]
    assert (target.met, [ratio.value for ratio in target.ratios]) == (met, [size])
    faster = of[f"time, {ICEBERG} / ours: no predicate, not at the root"]
    assert (faster.met, [ratio.value for ratio in faster.ratios]) == (None, [2.0])


@pytest.mark.parametrize(("size", "met"), [(100, True), (99, False)])
def test_the_first_rows_of_an_order_have_a_target_of_their_own(size: int, met: bool) -> None:
    of = found(ORDERED[0], (1.0, size), (1.0, 1))
    target = of[f"bytes, {ICEBERG} / ours: ORDER BY ts DESC LIMIT 100"]
    assert target.met is met


@pytest.mark.parametrize(("seconds", "met"), [(1.09, True), (1.11, False)])
def test_planning_that_takes_longer_is_a_target_missed(seconds: float, met: bool) -> None:
    of = found(PLANNED[0], (1.0, 1), (seconds, 1))
    target = of[f"time, ours / {ICEBERG}: planning, at the root"]
    assert target.met is met
    assert not any(other.ratios for other in of.values() if other is not target)


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.skipif(
    not find_spec("duckdb"), reason="the extra `bench` is not installed; `make bench-iceberg` does"
)
def test_it_runs_at_a_small_size(tmp_path: Path) -> None:
    session.jars()
    document = small_benchmark.run("benchmarks.iceberg", "LIMIT 100, ", tmp_path).document
    actions = {query["query"].rpartition(", ")[2] for query in document["queries"]}
    assert actions == {"collect", "toPandas", "write", "plan"}
    for query in document["queries"]:
        assert list(query["costs"]) == list(ICEBERG_ENGINES)
        rows = {one["rows"] for one in query["costs"].values()}
        assert rows == ({0} if query["query"].endswith("plan") else {100})
        if "none, LIMIT" in query["query"] and "write" in query["query"]:
            tasks = {name: cost["tasks"] for name, cost in query["costs"].items()}
            assert tasks[ICEBERG_OURS] <= tasks[ICEBERG]
    assert document["tables"]["events_iceberg"]["files"] == 60
    assert set(document["about"]["versions"]) == {"Spark", "Iceberg"}
