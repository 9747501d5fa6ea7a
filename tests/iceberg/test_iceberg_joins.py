"""ORDER BY … LIMIT over outer joins of Iceberg tables: less is read of the preserved side."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support.iceberg import tables
from support.iceberg.tables import hold_order, is_pruned
from support.runs import WITH_RUNTIME_FILTERS, conf
from support.scan_tables import physical
from support.sessions import OURS_FIRST

pytestmark = OURS_FIRST

SORTED = {"spark.sql.autoBroadcastJoinThreshold": "-1"}


def write(spark: SparkSession) -> str:
    """2,000 rows in four files with row groups of 100 rows, sorted by `id`."""
    rows = spark.range(0, 2000, 1, 4).selectExpr(
        *tables.COLUMNS, "id * 7919 % 101 AS v", "IF(id % 3 = 0, NULL, hash(id) % 50) AS w"
    )
    return tables.write_frame(rows, **tables.SMALL_ROW_GROUPS, write_delete_mode="merge-on-read")


def joined_with(spark: SparkSession, table: str) -> str:
    """Return a join in which some rows of the table, which is preserved, have a partner."""
    other = f"{table}_other"
    partners = f"SELECT v AS k, max(id) AS top FROM {table} WHERE v < 60 GROUP BY v"
    spark.sql(f"CREATE TABLE {other} USING iceberg AS {partners}")
    return f"{table} l LEFT JOIN {other} o ON l.v = o.k"


@pytest.fixture(scope="module")
def table(spark: SparkSession) -> str:
    """A table without deleted rows."""
    return write(spark)


@pytest.fixture(scope="module")
def joined(spark: SparkSession, table: str) -> str:
    """A join of it."""
    return joined_with(spark, table)


@pytest.fixture(scope="module")
def deleted(spark: SparkSession) -> str:
    """A join of a table with deleted rows."""
    name = write(spark)
    spark.sql(f"DELETE FROM {name} WHERE id % 41 = 0 OR id > 1990")
    return joined_with(spark, name)


@pytest.fixture(params=[{}, SORTED, WITH_RUNTIME_FILTERS], ids=["broadcast", "sorted", "filters"])
def joins(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[None]:
    """Broadcast joins, sort-merge joins, and these with runtime filters."""
    with conf(spark, request.param):
        yield


@pytest.mark.usefixtures("joins")
@pytest.mark.parametrize(
    "query",
    [
        "SELECT l.id, top FROM {joined} ORDER BY l.id DESC LIMIT 9",
        "SELECT l.id, l.s, top FROM {joined} WHERE l.id > 300 ORDER BY l.id LIMIT 9 OFFSET 4",
        "SELECT l.id, l.v, top FROM {joined} AND l.m > 2 ORDER BY l.ts DESC, l.id LIMIT 9",
        "SELECT o.k, j.id FROM {other} RIGHT JOIN {table} j ON j.v = o.k ORDER BY j.id LIMIT 9",
        "SELECT count(*), min(top) FROM (SELECT l.id, top FROM {joined} ORDER BY l.id LIMIT 30)",
    ],
)
def test_by_metadata(spark: SparkSession, table: str, joined: str, query: str) -> None:
    df = hold_order(spark, query.format(joined=joined, table=table, other=joined.split()[4] + " o"))
    assert is_pruned(df), physical(df)
    assert any(limit.covered and limit.order_by for limit in limit_pruning.report(df))


@pytest.mark.usefixtures("joins")
@pytest.mark.parametrize("order", ["l.v, l.id", "l.w DESC, l.id", "l.w NULLS LAST, l.id DESC"])
def test_by_rows(spark: SparkSession, joined: str, deleted: str, order: str) -> None:
    with conf(spark, {"spark.limitPruning.rows.minBytes": "0"}):
        for table, where in (
            (joined, " WHERE l.s LIKE '%7%'"),
            (deleted, ""),
            (deleted, " WHERE l.w IS NULL AND l.v > 3"),
        ):
            query = f"SELECT l.id, l.v, l.w, top FROM {table}{where} ORDER BY {order} LIMIT 11"
            df = hold_order(spark, query)
            assert "RowsVerified" in physical(df), query
            assert limit_pruning.report(df).limits[0].rows.verified == 11


def test_the_other_side_is_read_whole(spark: SparkSession, table: str, joined: str) -> None:
    other = f"{table} a LEFT JOIN {table} b ON a.v = b.id"
    df = hold_order(spark, f"SELECT a.id, b.s FROM {other} ORDER BY a.id DESC LIMIT 9")
    plan = physical(df).partition("Initial Plan")[0]
    assert plan.count("LimitPruned(files=") == 1, plan
    for query in (
        f"SELECT l.id, top FROM {joined} ORDER BY o.top, l.id LIMIT 9",
        f"SELECT l.id, top FROM {joined} WHERE top IS NULL ORDER BY l.id LIMIT 9",
        f"SELECT l.id, top FROM {joined.replace('LEFT', 'FULL')} ORDER BY l.id LIMIT 9",
    ):
        assert not is_pruned(hold_order(spark, query)), query


def test_in_a_correlated_subquery(spark: SparkSession, table: str) -> None:
    """Spark copies its plan into a runtime filter after rows are to be chosen for it."""
    partners = f"{table}_partners"
    spark.sql(f"CREATE TABLE {partners} USING iceberg AS SELECT id, id AS w FROM {table}")
    few = f"(SELECT id, id % 3 AS few FROM {table} WHERE w % 3 = 1) x"
    first = (
        f"SELECT x.id, p.w FROM {few} LEFT JOIN {partners} p ON x.id = p.id ORDER BY few LIMIT 40"
    )
    query = f"SELECT id, (SELECT max(q.w) FROM ({first}) q WHERE q.id = o.id) AS w FROM {table} o"
    with conf(spark, WITH_RUNTIME_FILTERS | {"spark.limitPruning.rows.minBytes": "0"}):
        df = spark.sql(query)
        found = [row for row in df.collect() if row.w is not None]
        assert len(found) == 40
        assert all(row.w == row.id for row in found)
        plan = physical(df).partition("Initial Plan")[0]
        assert "RowsVerified" in plan, plan
        assert "might_contain" in plan, plan


def test_random_joins(spark: SparkSession, joined: str, deleted: str) -> None:
    rng = random.Random(103)
    keys = ["l.v", "l.w", "l.m", "l.b", "l.n", "l.ts", "l.id", "l.s", "l.v + l.m", "l.p.y"]
    directions = ["", " DESC", " NULLS LAST", " DESC NULLS FIRST"]
    wheres = ["true", "l.id >= 700", "l.v > 40 AND l.s LIKE '%3%'", "l.w IS NULL", "l.n < 900"]
    pruned = by_rows = 0
    for _ in range(40):
        order = [key + rng.choice(directions) for key in rng.sample(keys, rng.randint(1, 3))]
        source = rng.choice([joined, deleted])
        if rng.random() < 0.3:
            left, _, right = source.partition(" LEFT JOIN ")
            source = f"{right.partition(' ON ')[0]} RIGHT JOIN {left} ON l.v = o.k"
        query = (
            f"SELECT l.id, l.v, l.w, l.s, o.k, o.top FROM {source} WHERE {rng.choice(wheres)}"
            f" ORDER BY {', '.join([*order, 'l.id'])}"
            f" LIMIT {rng.choice([1, 7, 40, 300])} OFFSET {rng.choice([0, 0, 3, 60])}"
        )
        settings = rng.choice([{}, SORTED, WITH_RUNTIME_FILTERS])
        settings = settings | {"spark.limitPruning.rows.minBytes": rng.choice(["0", "0", "8m"])}
        with conf(spark, settings):
            plan = physical(hold_order(spark, query))
        pruned += "LimitPruned(files=" in plan
        by_rows += "RowsVerified" in plan
    assert pruned >= 10, "else it says nothing"
    assert by_rows >= 10, "else it says nothing"
