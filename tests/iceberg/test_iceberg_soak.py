"""Queries beside changes of a table: answers stay right, and nothing stays behind."""

from __future__ import annotations

import random

import pytest
from pyspark.sql import SparkSession

from support import soak
from support.iceberg.session import staged_task_sets
from support.iceberg.soak import POOLS, ChangingTable
from support.sessions import OURS_FIRST

pytestmark = [
    pytest.mark.slow,
    pytest.mark.random,
    OURS_FIRST,
]


def test_a_table_that_changes_while_queries_run(spark: SparkSession) -> None:
    random.seed(7)
    table = ChangingTable(spark)
    tally = soak.soak(spark, table, seconds=30, samples=3, pools=POOLS)
    assert tally.counts["covered"] > 0
    assert sum(name.startswith("changes") for name in tally.counts) >= 3, tally
    soak.hold_level(tally)
    assert staged_task_sets(spark, table.name) == set()
