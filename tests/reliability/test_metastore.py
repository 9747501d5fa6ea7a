"""Queries request partitions of a Hive metastore as often as in plain Spark."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.applications import metastore_driver
from support.processes import environment, output_of, program

pytestmark = [pytest.mark.spark, pytest.mark.slow]

PRUNED = {
    "any": "SELECT id FROM {table} WHERE p = 2 LIMIT 3",
    "first": "SELECT id FROM {table} WHERE p > 1 ORDER BY p LIMIT 3",
}
NOT_PRUNED = {
    "unproved": "SELECT id FROM {table} WHERE p >= 2 AND s LIKE '%3' LIMIT 30",
    "above an aggregate": "SELECT s, count(*) FROM {table} WHERE p = 1 GROUP BY s LIMIT 30",
    "in a union": "(SELECT id FROM {table} WHERE p = 1 AND s LIKE '%3' LIMIT 30)"
    " UNION ALL (SELECT p FROM {table} WHERE p > 2 AND s LIKE '%5' LIMIT 30)",
    "max": "SELECT max(s) FROM {table} WHERE p = 2",
    "waiting": "SELECT id FROM {table} WHERE p = 2 AND id > (SELECT 10) + length(s) LIMIT 30",
}
QUERIES = PRUNED | NOT_PRUNED


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What each query needed of a Hive metastore, with pruning and without."""
    scratch = tmp_path_factory.mktemp("metastore")
    command = program(metastore_driver.__name__, str(scratch), json.dumps(QUERIES))
    counts: dict[str, Any] = json.loads(output_of(*command, cwd=scratch, env=environment()))
    return counts


@pytest.mark.parametrize("table", metastore_driver.TABLES)
@pytest.mark.parametrize("name", QUERIES)
def test_partitions_are_requested_once(found: dict[str, Any], name: str, table: str) -> None:
    ours, plain = (found[f"{name}, {table}"][enabled] for enabled in ("true", "false"))
    assert ("LimitPrunedScan" in ours["plan"]) == (name in PRUNED)
    assert len(ours["rows"]) == len(plain["rows"])
    if name in NOT_PRUNED:
        assert sorted(ours["rows"]) == sorted(plain["rows"])
    assert 0 < ours["partitions"] <= plain["partitions"]
    assert 0 < ours["calls"] <= plain["calls"]
