"""Whatever the table, the predicate and the limit: the right number of rows, all matching."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import limit_pruning
from support import random_profiles
from support.random_tables import settings as random_settings
from support.random_tables.predicates import random_predicates
from support.random_tables.queries import random_queries
from support.random_tables.reference import Reference
from support.random_tables.runs import Tally, write_and_check
from support.random_tables.table import random_tables
from support.runs import conf
from support.sparks import ANY_DATE

pytestmark = [pytest.mark.random, pytest.mark.slow, pytest.mark.usefixtures("quiet")]

NOT_DETERMINISTIC = [
    "rand() < 0.5",
    "rand(1) >= 0.1",  # not 0, which Spark knows to be true
    "uuid() > '8'",
    "monotonically_increasing_id() % 2 = 0",
    "spark_partition_id() = 0",
    "hash(uuid()) % 100 < 50",
]

TABLES, QUERIES_PER_TABLE = 64, 42


def test_random_tables(spark: SparkSession) -> None:
    tally = Tally()

    def check(data: st.DataObject) -> None:
        table = data.draw(random_tables())
        settings = data.draw(random_settings.settings())
        queries = data.draw(random_queries(table, QUERIES_PER_TABLE))
        write_and_check(spark, table, settings, queries, tally)

    random_profiles.run(TABLES, check)
    print(tally)
    assert tally.counts["queries"] >= 2000
    tally.assert_few_are_excused()
    assert tally.covered >= 0.25, "else the property says nothing"


def test_random_predicates_that_are_not_deterministic(spark: SparkSession) -> None:
    """Such a condition is never proved, and the one beside it still holds for every row."""

    def check(data: st.DataObject) -> None:
        table = data.draw(random_tables())
        predicate = data.draw(random_predicates(table.all_columns)).sql
        chance = data.draw(st.sampled_from(NOT_DETERMINISTIC))
        where = data.draw(st.sampled_from(["({p}) AND {c}", "{c} AND ({p})", "({p}) OR {c}"]))
        with TemporaryDirectory() as folder:
            table.write(Path(folder))
            spark.read.schema(table.ddl).parquet(folder).createOrReplaceTempView("t")
            with conf(spark, {"spark.sql.ansi.enabled": "false"} | ANY_DATE):
                matching = Reference(spark, {}, [predicate]).matching.get(predicate)
                assume(matching is not None)
                query = f"SELECT id FROM t WHERE {where.format(p=predicate, c=chance)} LIMIT 3"
                df = spark.sql(query)
                covered = any(limit.covered for limit in limit_pruning.report(df))
                ids = [row.id for row in df.collect()]
        assert not covered or "OR" in where, query
        assert len(set(ids)) == len(ids) <= 3
        assert "OR" in where or set(ids) <= {row["id"] for row in matching or []}, query

    random_profiles.run(25, check)
