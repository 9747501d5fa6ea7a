"""Queries in several threads and sessions: right rows, and nothing stays behind."""

from __future__ import annotations

from pyspark.sql import SparkSession

from support.iceberg import tables
from support.iceberg.session import staged_task_sets
from support.iceberg.tables import is_pruned
from support.runs import in_threads
from support.sessions import OURS_FIRST

pytestmark = OURS_FIRST


def rules(spark: SparkSession) -> int:
    """How many times the rule is in the session."""
    methods = spark._jsparkSession.sessionState().experimentalMethods()
    return str(methods.extraOptimizations()).count("PruneV2Limits")


def test_queries_in_threads(spark: SparkSession) -> None:
    table = tables.write(spark)

    def run(number: int) -> tuple[int, bool]:
        low = number % 10 * 100
        df = spark.sql(f"SELECT * FROM {table} WHERE id >= {low} LIMIT {200 + number}")
        rows = df.collect()
        return len(rows) - 200 - number, all(row.id >= low for row in rows) and is_pruned(df)

    assert set(in_threads(run, range(60))) == {(0, True)}
    assert staged_task_sets(spark, table) == set()
    assert rules(spark) == 1


def test_queries_while_the_table_changes(spark: SparkSession) -> None:
    table = tables.write(spark)

    def run(number: int) -> bool:
        if number % 8 == 0:
            spark.sql(f"INSERT INTO {table} SELECT * FROM {table} WHERE id < 100")
            return True
        rows = spark.sql(f"SELECT * FROM {table} WHERE id >= 1000 LIMIT 900").collect()
        return len(rows) == 900 == len({row.id for row in rows})

    assert all(in_threads(run, range(32)))


def test_other_sessions_have_a_rule_of_their_own(spark: SparkSession) -> None:
    table = tables.write(spark)
    other = spark.newSession()
    for session in (spark, other, spark, other):
        assert is_pruned(session.sql(f"SELECT * FROM {table} WHERE id >= 900 LIMIT 30"))
        assert rules(session) == 1
    other.conf.set("spark.limitPruning.enabled", "false")
    assert not is_pruned(other.sql(f"SELECT * FROM {table} WHERE id >= 900 LIMIT 30"))
    assert is_pruned(spark.sql(f"SELECT * FROM {table} WHERE id >= 900 LIMIT 30"))
