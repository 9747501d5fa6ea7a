"""ORDER BY … LIMIT over outer joins: less is read of the side that the join preserves."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support.costs import searches
from support.runs import (
    IN_ONE_PARTITION,
    REFERENCE,
    VECTORIZED_NESTED,
    WITH_RUNTIME_FILTERS,
    assert_left_alone,
    conf,
)
from support.scan_tables import physical
from support.sparks import needs_spark

ADAPTIVE = "spark.sql.adaptive.enabled"
BROADCAST = "spark.sql.autoBroadcastJoinThreshold"
MIN_BYTES = "spark.limitPruning.rows.minBytes"
CHEAP_JOINS = {BROADCAST: "10m", "spark.sql.optimizer.runtime.bloomFilter.enabled": "false"}
ROWS, FILES = 4_000, 4


@pytest.fixture(scope="module", autouse=True)
def tables(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Register `t`, sorted by `id`, and `few`, with no row or two for each `k` of `t`."""
    folder = tmp_path_factory.mktemp("joins")
    rows = spark.range(0, ROWS, 1, FILES).selectExpr(
        "id",
        "IF(id % 5 = 0, NULL, id % 97) AS k",
        "hash(id) % 500 AS h",
        "IF(id % 7 = 0, NULL, id * 7919 % 1009) AS n",
        "concat('name ', id * 31 % 997) AS s",
        "array(id) AS a",
    )
    small = {"parquet.block.size": "8192", "parquet.page.row.count.limit": "200"}
    rows.write.options(**small).parquet(str(folder / "t"))
    spark.read.parquet(str(folder / "t")).createOrReplaceTempView("t")
    few = "SELECT id % 40 + 30 AS k, id AS w FROM range(80)"
    spark.sql(few).write.parquet(str(folder / "few"))
    spark.read.parquet(str(folder / "few")).createOrReplaceTempView("few")
    yield
    for view in ("t", "few"):
        spark.catalog.dropTempView(view)


@pytest.fixture(params=["broadcast", "sorted", "static"])
def joins(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[None]:
    """Broadcast joins and sort-merge joins, with and without adaptive execution."""
    settings = {
        "broadcast": {},
        "sorted": {BROADCAST: "-1"},
        "static": {BROADCAST: "-1", ADAPTIVE: "false"},
    }
    with conf(spark, settings[request.param]):
        yield


FROM = "FROM t LEFT JOIN few ON t.k = few.k"
SORTED_KEY = {
    "left": f"SELECT id, w {FROM} ORDER BY id DESC LIMIT 9",
    "right": "SELECT id, w FROM few RIGHT JOIN t ON t.k = few.k ORDER BY id LIMIT 9",
    "predicate": f"SELECT id, w {FROM} WHERE id >= 1000 ORDER BY id LIMIT 9",
    "expression": f"SELECT id + 1 AS i, s, w {FROM} ORDER BY i DESC, s LIMIT 9",
    "offset": f"SELECT id, w {FROM} ORDER BY id LIMIT 9 OFFSET 20",
    "condition": f"SELECT id, w {FROM} AND w > 70 AND n > 3 ORDER BY id LIMIT 9",
    "no condition": "SELECT id, w FROM t LEFT JOIN few ON false ORDER BY id DESC LIMIT 9",
    "two joins": (
        f"SELECT id, a.w, b.w AS v {FROM.replace('few', 'few a', 1).replace('few.k', 'a.k')}"
        " LEFT JOIN few b ON t.h = b.k ORDER BY id LIMIT 9"
    ),
    "subquery": f"SELECT max(id) FROM (SELECT id, w {FROM} ORDER BY id LIMIT 9)",
    "itself": "SELECT a.id, b.s FROM t a LEFT JOIN t b ON a.k = b.id ORDER BY a.id DESC LIMIT 9",
    "aliases": (
        "SELECT j, w FROM (SELECT id * 2 AS j, k FROM t WHERE id < 3000) x"
        " LEFT JOIN few ON x.k = few.k ORDER BY j DESC LIMIT 9"
    ),
}


def in_plain(spark: SparkSession, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of the query in plain Spark, which joins in the cheapest way."""
    with conf(spark, REFERENCE | IN_ONE_PARTITION | CHEAP_JOINS):
        return [tuple(row) for row in spark.sql(query).collect()]


def hold(spark: SparkSession, query: str, key: int) -> str:
    """Hold the keys in order, and all rows to those of the join; return the physical plan."""
    expected = in_plain(spark, query)
    df = spark.sql(query)
    rows = [tuple(row) for row in df.collect()]
    assert [row[key] for row in rows] == [row[key] for row in expected]
    if "max(" not in query:
        every = in_plain(spark, query.rpartition(" ORDER BY ")[0])
        assert not Counter(map(repr, rows)) - Counter(map(repr, every))
    report = limit_pruning.report(df)
    assert any(limit.covered and limit.order_by for limit in report), str(report)
    return physical(df)


@pytest.mark.core
@pytest.mark.usefixtures("joins")
@pytest.mark.parametrize("query", SORTED_KEY.values(), ids=SORTED_KEY.keys())
def test_sorted_keys(spark: SparkSession, query: str) -> None:
    plan = hold(spark, query, 0)
    assert "LimitPrunedScan" in plan or "limit_pruned" in plan, plan


@pytest.mark.usefixtures("joins")
@pytest.mark.parametrize("order", ["h, id", "h DESC, n", "n NULLS LAST, id DESC", "s, n DESC"])
def test_rows_are_found_by_reading_keys_first(spark: SparkSession, order: str) -> None:
    first = order.split()[0].strip(",")
    with conf(spark, {MIN_BYTES: "0"}):
        for where in ("", " WHERE h % 3 = 1", " WHERE n IS NULL"):
            query = f"SELECT {first} AS first, t.*, w {FROM}{where} ORDER BY {order} LIMIT 11"
            assert "RowsVerified" in hold(spark, query, 0), query
        two = "LEFT JOIN few b ON t.h = b.k"
        query = (
            f"SELECT {first} AS first, t.*, few.w {FROM} {two} ORDER BY {order} LIMIT 9 OFFSET 3"
        )
        assert "RowsVerified" in hold(spark, query, 0), query


@pytest.fixture
def partners(spark: SparkSession, tmp_path: Path) -> Iterator[None]:
    """Register `partners`, with a row for each of `t`, and let Spark add runtime filters to it."""
    spark.table("t").selectExpr("id", "id AS w").write.parquet(str(tmp_path / "partners"))
    spark.read.parquet(str(tmp_path / "partners")).createOrReplaceTempView("partners")
    with conf(spark, WITH_RUNTIME_FILTERS):
        yield
    spark.catalog.dropTempView("partners")


@pytest.mark.usefixtures("partners")
@pytest.mark.parametrize("adaptive", ["true", "false"])
@pytest.mark.parametrize("minimum", ["0", "8m"])
@pytest.mark.parametrize("order", ["few", "h", "many", "many DESC"])
def test_line_103_runtime_filters_have_the_same_rows(
    spark: SparkSession, order: str, minimum: str, adaptive: str
) -> None:
    """Spark reads the preserved side twice: of equal rows, both times the same ones are first."""
    joined = (
        "(SELECT id, h, id % 3 AS few, id DIV 1000 AS many FROM t WHERE n % 3 = 1) x"
        " LEFT JOIN partners ON x.id = partners.id"
    )
    query = f"SELECT x.id, w FROM {joined} ORDER BY {order} LIMIT 40"
    with conf(spark, {MIN_BYTES: minimum, ADAPTIVE: adaptive}):
        for _ in range(2):
            before = searches(spark, "first rows of")
            df = spark.sql(query)
            rows = df.collect()
            assert len(rows) == 40
            assert [row.id for row in rows] == [row.w for row in rows]
            plan = physical(df)
            assert "might_contain" in plan, plan
            assert ("RowsVerified" in plan) == (minimum == "0"), plan
            assert len(searches(spark, "first rows of") - before) == (minimum == "0"), (
                "one search for all copies"
            )


def is_by_rows(spark: SparkSession, table: str, column: str, nested: str) -> bool:
    """Run a join with a runtime filter, and return whether its rows were found by reading keys."""
    few = f"(SELECT id, {column} AS c, id % 3 AS few FROM {table} WHERE n % 3 = 1) x"
    joined = f"{few} LEFT JOIN partners ON x.id = partners.id"
    with conf(spark, {MIN_BYTES: "0", VECTORIZED_NESTED: nested}):
        df = spark.sql(f"SELECT x.id, x.c, w FROM {joined} ORDER BY few LIMIT 40")
        rows = df.collect()
        assert len(rows) == 40
        assert [row.w for row in rows] == [row.id for row in rows]
        plan = physical(df)
        assert "might_contain" in plan, plan
        return "RowsVerified" in plan


@pytest.mark.usefixtures("partners")
def test_line_103_a_row_based_reader_of_one_copy(spark: SparkSession) -> None:
    """It returns whole row groups, and the vectorized reader of the copy only the chosen rows."""
    assert is_by_rows(spark, "t", "a", nested="true")
    assert not is_by_rows(spark, "t", "a", nested="false")
    assert is_by_rows(spark, "t", "s", nested="false")

    # The relation keeps the settings of the session of the view.
    other = spark.newSession()
    other.conf.set(VECTORIZED_NESTED, "false")
    folder = Path(spark.table("t").inputFiles()[0].removeprefix("file:")).parent
    other.read.parquet(str(folder)).createOrReplaceGlobalTempView("shared_t")
    assert not is_by_rows(spark, "global_temp.shared_t", "a", nested="true")
    assert is_by_rows(spark, "global_temp.shared_t", "s", nested="true")


@needs_spark("variants as structs", since=(4, 1))
@pytest.mark.usefixtures("partners")
def test_line_103_variants(spark: SparkSession, tmp_path: Path) -> None:
    """Spark reads them as structs, and decides so after the rule."""
    variant = """parse_json(concat('{"a": ', id, '}')) AS v"""
    spark.table("t").selectExpr("id", "n", variant).write.parquet(str(tmp_path / "v"))
    column = "variant_get(v, '$.a', 'int')"
    assert not is_by_rows(spark, f"parquet.`{tmp_path / 'v'}`", column, nested="false")


@pytest.mark.usefixtures("partners")
def test_line_103_random_joins(spark: SparkSession) -> None:
    """With ties, each row of the result has its own partner, whichever readers Spark takes."""
    rng = random.Random(103)
    few = "(SELECT *, id % 3 AS few, id DIV 900 AS many, n IS NULL AS no FROM t) x"
    directions = ["", "DESC", "NULLS LAST", "DESC NULLS FIRST"]
    by_rows = 0
    for _ in range(40):
        keys = rng.sample(["few", "many", "no", "h", "n", "k", "h % 7"], rng.randint(1, 2))
        columns = ", ".join(f"{key} AS k{i}" for i, key in enumerate(keys))
        order = ", ".join(f"k{i} {rng.choice(directions)}" for i in range(len(keys)))
        query = (
            f"SELECT {columns}, {rng.choice(['x.id', 'x.id, s', 'x.id, a', 'x.id, a, n'])}, w"
            f" FROM {few} LEFT JOIN partners ON x.id = partners.id"
            f" WHERE {rng.choice(['n % 3 = 1', 'h = 7 OR h > 450', 'x.id > 1700'])}"
            f" ORDER BY {order} LIMIT {rng.choice([1, 9, 40, 200])} OFFSET {rng.choice([0, 0, 5])}"
        )
        settings = {
            MIN_BYTES: rng.choice(["0", "0", "8m"]),
            VECTORIZED_NESTED: rng.choice(["true", "false"]),
            ADAPTIVE: rng.choice(["true", "false"]),
        }
        with conf(spark, settings):
            df = spark.sql(query)
            rows = df.collect()
            assert [row.w for row in rows] == [row.id for row in rows], (query, settings)
            expected = [row[: len(keys)] for row in in_plain(spark, query)]
            assert [tuple(row)[: len(keys)] for row in rows] == expected, (query, settings)
            by_rows += "RowsVerified" in physical(df)
    assert by_rows >= 15, "else it says nothing"


@pytest.mark.parametrize("minimum", ["0", "8m"])
def test_copies_of_the_preserved_side(spark: SparkSession, minimum: str) -> None:
    """A correlated subquery without an equality joins the rows again that it is about."""
    counted = "(SELECT count(*) FROM few WHERE few.w < t.n) AS c"
    with conf(spark, {MIN_BYTES: minimum}):
        for order in ("h", "id DESC", "n NULLS LAST, id"):
            query = f"SELECT h, id, n, {counted} FROM t WHERE n > 0 AND h % 3 = 1 ORDER BY {order}"
            every = {row[1]: row for row in in_plain(spark, query)}
            rows = [tuple(row) for row in spark.sql(f"{query} LIMIT 11").collect()]
            assert len(rows) == 11
            assert all(row == every[row[1]] for row in rows), query


def test_python_functions(spark: SparkSession) -> None:
    spark.udf.register("py_twice", lambda n: n and 2 * n, "bigint")
    for key, sql in {
        "key": f"SELECT py_twice(id) AS p, w {FROM} WHERE id >= 1000 ORDER BY p LIMIT 9",
        "without a join": "SELECT py_twice(id) AS p FROM t WHERE id >= 1000 ORDER BY p LIMIT 9",
        "directly": "SELECT id FROM t WHERE id >= 1000 ORDER BY py_twice(id) LIMIT 9",
        "other": f"SELECT id, py_twice(w) AS p {FROM} WHERE id >= 1000 ORDER BY id LIMIT 9",
    }.items():
        df = spark.sql(sql)
        found = [row[0] for row in df.collect()]
        assert found == [row[0] for row in in_plain(spark, sql)], key
        covered = limit_pruning.report(df).limits[0].covered
        assert covered or key != "other", str(limit_pruning.report(df))


def test_hint(spark: SparkSession) -> None:
    query = f"SELECT /*+ NO_LIMIT_PRUNING */ id, w {FROM} ORDER BY id LIMIT 9"
    assert assert_left_alone(spark, query).limits[0].reason


def test_line_103_keys_and_filters_of_the_other_side(spark: SparkSession) -> None:
    for query in (
        f"SELECT id, w {FROM} ORDER BY w, id LIMIT 9",
        f"SELECT id, w {FROM} ORDER BY id, w LIMIT 9",
        f"SELECT id, w {FROM} ORDER BY coalesce(w, id), id LIMIT 9",
        f"SELECT id, w {FROM} WHERE w IS NULL ORDER BY id LIMIT 9",
        f"SELECT id, w {FROM} WHERE coalesce(w, 0) < 50 ORDER BY id DESC LIMIT 9",
        "SELECT id, w FROM t JOIN few ON t.k = few.k ORDER BY id LIMIT 9",
        "SELECT id, w FROM t FULL JOIN few ON t.k = few.k ORDER BY id LIMIT 9",
        "SELECT id FROM t LEFT ANTI JOIN few ON t.k = few.k ORDER BY id LIMIT 9",
        "SELECT id, w FROM few LEFT JOIN t ON t.k = few.k ORDER BY id DESC LIMIT 9",
    ):
        report = assert_left_alone(spark, query)
        codes = {limit.reason.code for limit in report if limit.reason}
        assert codes <= {"operator-between"}, (query, codes)
        expected = [row[0] for row in in_plain(spark, query)]
        assert expected == [row[0] for row in spark.sql(query).collect()]


def test_fewer_rows_than_the_limit(spark: SparkSession) -> None:
    for minimum in ("0", "8m"):
        with conf(spark, {MIN_BYTES: minimum}):
            query = f"SELECT id, w {FROM} WHERE h = 5 AND n > 900 ORDER BY id DESC LIMIT 1000"
            found = [tuple(row) for row in spark.sql(query).collect()]
            expected = in_plain(spark, query)
            assert Counter(found) == Counter(expected)
            assert [row[0] for row in found] == [row[0] for row in expected]


def test_a_write_of_the_first_rows(spark: SparkSession, tmp_path: Path) -> None:
    query = f"SELECT id, w {FROM} ORDER BY id DESC LIMIT 9"
    spark.sql(query).write.parquet(str(tmp_path / "first"))
    written = spark.read.parquet(str(tmp_path / "first")).collect()
    assert sorted(row.id for row in written) == sorted(row[0] for row in in_plain(spark, query))
