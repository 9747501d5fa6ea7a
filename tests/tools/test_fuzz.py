"""What `make fuzz` counts, and that it notices a wrong answer."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from support import random_profiles
from support.fuzz import counts, rounds
from support.fuzz.counts import EXCUSED, QUERIES, WRONG
from support.random_tables import runs as table_runs
from support.random_tables.queries import Query, variations
from support.runs import ENABLED, as_dicts


def test_the_counts_of_processes_are_added_by_kind() -> None:
    one: dict[str, dict[str, Any]] = {
        "LIMIT": {QUERIES: 3, "seconds": 1.4},
        "ORDER BY": {QUERIES: 2, WRONG: 1},
    }
    found = counts.document(counts.added([one, {"LIMIT": {QUERIES: 4, "seconds": 1.4}}]))
    assert found["kinds"]["LIMIT"][QUERIES] == 7
    assert found["kinds"]["LIMIT"]["seconds"] == 3
    assert (found["total"][QUERIES], found["total"][WRONG]) == (9, 1)
    assert list(found["total"]) == sorted(found["total"])
    assert counts.table(found).splitlines()[-1].startswith("total")


def test_variations_keep_the_predicates_and_are_all_different() -> None:
    queries = [Query(None, ("id",), 1, False, 0, "select")]
    found = variations(queries, ["id", "c"], 50, seed=1)
    assert len(found) == len(set(found)) > 30
    assert {query.predicate for query in found} == {None}
    assert set(queries) < set(found)


@pytest.mark.slow
@pytest.mark.random
@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("kind", list(rounds.KINDS)[:2])
def test_a_row_that_is_lost_with_the_extension_is_a_wrong_answer(
    spark: SparkSession, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: Counter[str] = Counter()
    problems: list[str] = []
    rows_of = as_dicts

    def without_one(df: Any) -> list[dict[str, Any]]:
        rows = rows_of(df)
        is_pruned = spark.conf.get(ENABLED, "true") == "true"
        return rows[1:] if is_pruned and len(rows) > 1 else rows

    monkeypatch.setattr(table_runs, "as_dicts", without_one)
    monkeypatch.setattr(rounds, "as_dicts", without_one)

    def check(data: st.DataObject) -> None:
        rounds.KINDS[kind][0](spark, data, found, problems.append)

    random_profiles.run(2, check, start=7)  # the first table and its queries are trivial
    assert found[WRONG] == len(problems) > 0
    assert found[EXCUSED] == 0
