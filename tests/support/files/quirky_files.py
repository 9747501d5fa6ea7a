"""The files in ``data/quirks``, and what must hold of them and of others whose metadata lies."""

from __future__ import annotations

from pyspark.sql import SparkSession

import limit_pruning
from support import oracle
from support.paths import TESTS
from support.predicates import Predicate, sql
from support.runs import ENABLED, as_dicts, assert_answer, conf
from support.tables import Table

DATA = TESTS / "data" / "quirks"
FILES = sorted(file.stem for file in DATA.glob("*.parquet"))


def made_by(spark: SparkSession, name: str) -> Table:
    """Register one of `FILES` as the table ``q``."""
    file = DATA / f"{name}.parquet"
    return Table("q", file, oracle.read(file)).register(spark)


def covered_and_right(spark: SparkSession, table: Table, predicate: Predicate, limit: int) -> bool:
    """Return whether the limit is covered.

    If so, the answer is the data's, even where Spark alone loses rows to such metadata; what is
    left to Spark is whatever it makes of the file.
    """
    query = f"SELECT id FROM {table.name} WHERE {sql(predicate)} LIMIT {limit}"
    pruned = spark.sql(query)
    rows = as_dicts(pruned)
    matching = oracle.matching(table.rows, predicate)
    if limit_pruning.report(pruned).only.covered:
        assert_answer(rows, matching, limit, ["id"])
        return True
    with conf(spark, {ENABLED: "false"}):
        assert len(rows) == spark.sql(query).count()
    assert not oracle.as_bag(rows, ["id"]) - oracle.as_bag(matching, ["id"])
    return False
