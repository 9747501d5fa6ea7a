"""A min or a max reads only the row groups that may have it, at the root and in subqueries."""

from __future__ import annotations

import random
import re
import shutil
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support.runs import conf
from support.scan_tables import hold, physical, plain, write_by_p
from support.sparks import needs_spark
from support.tables import write

# Each of the three partitions has eight files of 50 rows.
ROWS = 1200


@pytest.fixture(scope="module")
def folder(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write ``id``, ``f`` of the same values, and ``v``, which is in no order, by ``p``."""
    path = tmp_path_factory.mktemp("min_max") / "t"
    rows = spark.range(ROWS).selectExpr(
        "id", "cast(id AS double) f", "id * 7 % 10 v", "id div 400 AS p"
    )
    write_by_p(rows, path)
    return path


@pytest.fixture(autouse=True)
def t(spark: SparkSession, folder: Path) -> None:
    spark.read.parquet(str(folder)).createOrReplaceTempView("t")


def of_subqueries(spark: SparkSession, where: str) -> dict[str, int]:
    """Hold the query to plain Spark. Return how many row groups are read, by min or max."""
    shown = physical(hold(spark, f"SELECT * FROM t WHERE {where}", 3))
    scans = re.findall(r"Limit: 1, OrderBy: (.*?), .* → (\d+) scanned, Files", shown)
    return {order: int(row_groups) for order, row_groups in scans}


PRUNED = {
    "partition": ("p = (SELECT max(p) FROM t)", 1),
    "in no order": ("v = (SELECT max(v) FROM t)", 1),
    "no LIMIT waits for it": ("p IN (SELECT max(p) FROM t)", 1),
    "lowest partition": ("p = (SELECT min(p) FROM t)", 1),
    "column": ("id >= (SELECT max(id) - 70 FROM t)", 1),
    "of several functions": ("id >= (SELECT max(id) - max(id) % 100 FROM t)", 1),
    "distinct": ("p = (SELECT max(DISTINCT p) FROM t)", 1),
    "with a predicate": ("id <= (SELECT min(id) + 3 FROM t WHERE p = 1)", 1),
    "of an expression": ("id >= (SELECT max(id + 5) - 90 FROM t)", 1),
    # Both have the same order.
    "partition before the last": ("p = (SELECT max(p) FROM t WHERE p < (SELECT max(p) FROM t))", 1),
    "two subqueries": ("p = (SELECT max(p) FROM t) AND id >= (SELECT min(id) + 900 FROM t)", 2),
    "below a join": (
        "id >= (SELECT a.m - b.m FROM (SELECT max(id) m FROM t) a, (SELECT max(p) m FROM t) b)",
        2,
    ),
    # The files of all are listed when the query runs, and only one order is searched then.
    "below a join, with both ends": (
        (
            "id >= (SELECT a.m - b.hi FROM (SELECT max(id) m FROM t) a, "
            "(SELECT min(id) lo, max(p) hi FROM t) b WHERE b.lo = 0)"
        ),
        1,
    ),
}


@pytest.mark.parametrize("adaptive", ["true", "false"])
@pytest.mark.parametrize("what", PRUNED)
def test_one_row_group_is_read(spark: SparkSession, what: str, adaptive: str) -> None:
    where, scans = PRUNED[what]
    with conf(spark, {"spark.sql.adaptive.enabled": adaptive}):
        found = of_subqueries(spark, where)
    assert list(found.values()) == [1] * scans, found


NOT_PRUNED = {
    "both ends": "id >= (SELECT max(p) + min(p) FROM t)",
    "two columns": "id >= (SELECT max(id) - max(v) FROM t)",
    "another function": "id >= (SELECT count(*) - 9 FROM t)",
    "max and count": "id >= (SELECT max(id) - count(*) FROM t)",
    "some of the rows": "p = (SELECT max(p) FILTER (WHERE v = 3) FROM t)",
    "groups": "p = (SELECT max(p) m FROM t GROUP BY v ORDER BY m LIMIT 1)",
    # Of 0.0 and -0.0, plain Spark returns the one that it reads first.
    "a double": "f >= (SELECT max(f) - 9 FROM t)",
    "hint": "p = (SELECT /*+ NO_LIMIT_PRUNING */ max(p) FROM t)",
}


@pytest.mark.parametrize("what", NOT_PRUNED)
def test_other_subqueries_run_as_without_the_extension(spark: SparkSession, what: str) -> None:
    assert of_subqueries(spark, NOT_PRUNED[what]) == {}


def test_files_that_spark_may_skip(spark: SparkSession) -> None:
    """The file with the max may be the one that is missing."""
    for kind in ("ignoreMissingFiles", "ignoreCorruptFiles"):
        with conf(spark, {f"spark.sql.files.{kind}": "true"}):
            assert of_subqueries(spark, PRUNED["partition"][0]) == {}


def test_a_table_with_buckets_and_one_without_files(spark: SparkSession, tmp_path: Path) -> None:
    """Where the LIMIT is not decided when the query runs, nothing about its subqueries changes."""
    spark.sql(
        "CREATE TABLE buckets USING parquet CLUSTERED BY (v) INTO 3 BUCKETS AS SELECT * FROM t"
    )
    try:
        df = hold(spark, "SELECT * FROM buckets WHERE p = (SELECT max(p) FROM t)", 5)
        assert physical(df).count("LimitPrunedScan") == physical(df).count("Limit: 1,")
        df = hold(spark, "SELECT * FROM t WHERE p = (SELECT max(p) FROM buckets)", 5)
        assert "LimitPrunedScan" in physical(df)
    finally:
        spark.sql("DROP TABLE buckets")
    (tmp_path / "e").mkdir()
    spark.read.schema("p int").parquet(str(tmp_path / "e")).createOrReplaceTempView("e")
    assert plain(spark, "SELECT max(p) FROM e") == [(None,)]
    hold(spark, "SELECT * FROM t WHERE p = (SELECT max(p) FROM e) OR p = 1", 5)
    hold(spark, "SELECT * FROM t WHERE p = coalesce((SELECT max(p) FROM e), 2)", 5)


AT_ROOT = {
    "max": ("max(id)", "", 1),
    "min": ("min(id)", "", 1),
    "of a partition": ("max(p)", "", 1),
    "in no order": ("max(v)", "", 1),
    "several of one order": ("max(id), max(id) + 1, max(DISTINCT id), 7 AS x", "", 1),
    "max by": ("max_by(f, id)", "", 1),
    "min by and min": ("min_by(named_struct('f', f, 'v', v), id), min(id)", "", 1),
    "with a predicate": ("max(id)", "WHERE p < 2 AND id > 5", 1),
    "no row": ("max(id)", "WHERE id > 5000", None),
    "any value": ("any_value(p), first(p) + 1, any_value(p = 1)", "WHERE p = 1", 1),
    "any value of no row": ("any_value(id)", "WHERE id > 5000", 0),
    "any value, and a max": ("any_value(p), max(id)", "WHERE p = 1", None),
    "any value that is not NULL": ("any_value(p) IGNORE NULLS", "WHERE p = 1", None),
    "any value of some of the rows": ("any_value(p) FILTER (WHERE v >= 0)", "WHERE p = 1", None),
    "both ends": ("min(id), max(id)", "", 2),
    "both ends of a partition": ("min(p), max(p), max(p) - min(p)", "", 2),
    "both ends with a predicate": ("max(id), min(id)", "WHERE p = 1", 2),
    "two columns": ("max(id), max(v)", "", 2),
    "four orders": ("max(id), min(id), min(p), max_by(p, p)", "", 3),
    "five orders": ("max(id), min(id), min(p), max(p), max(v)", "", None),
    "both ends, and a double": ("min(id), max(id), min(f)", "", None),
    "max and count": ("max(id), count(*)", "", None),
    "groups": ("max(id)", "GROUP BY p", None),
    "some of the rows": ("max(id) FILTER (WHERE v = 3)", "", None),
    # Of 0.0 and -0.0, plain Spark returns the one that it reads first.
    "a double": ("max(f)", "", None),
}


@pytest.mark.parametrize("what", AT_ROOT)
def test_at_the_root(spark: SparkSession, what: str) -> None:
    functions, rest, row_groups = AT_ROOT[what]
    query = f"SELECT {functions} FROM t {rest}"
    df = spark.sql(query)
    assert [tuple(row) for row in df.collect()] == plain(spark, query)
    found = [limit.row_groups.scanned for limit in limit_pruning.report(df).limits]
    assert found == ([] if row_groups is None else [row_groups])
    assert ("LimitPrunedScan" in physical(df)) == (row_groups is not None)


def test_any_value_is_that_of_one_row_that_matches(spark: SparkSession) -> None:
    values = "any_value(id), any_value(f), any_value(IF(id % 2 = 0, NULL, v))"
    for where in ("", "WHERE id >= 700", "WHERE id BETWEEN 333 AND 790", "WHERE p = 2 AND id > 5"):
        df = spark.sql(f"SELECT {values} FROM t {where}")
        (row,) = df.collect()
        assert row[0] == row[1]
        assert row[2] == (None if row[0] % 2 == 0 else row[0] * 7 % 10)
        assert spark.sql(f"SELECT 1 FROM t {where or 'WHERE true'} AND id = {row[0]}").count() == 1
        report = limit_pruning.report(df).only
        assert (report.limit, report.order_by, report.row_groups.scanned) == (1, None, 1)
        assert "LimitPrunedScan" in physical(df)
    # Metadata prove no row. Each copy of an aggregate must have the same value.
    copies = "WITH c AS (SELECT any_value(id) v FROM t WHERE id > 5) SELECT * FROM c a JOIN c b"
    sorted_first = "SELECT first(id) FROM (SELECT id FROM t ORDER BY v DESC, id)"
    for query in (
        f"{copies} ON a.v = b.v",
        sorted_first,
        "SELECT any_value(id) FROM t WHERE v = 3",
        "SELECT any_value(id) FROM t GROUP BY p",
    ):
        df = spark.sql(query)
        rows = df.collect()
        assert "LimitPrunedScan" not in physical(df), query
        assert len(rows) == (3 if "GROUP" in query else 1), query
    assert spark.sql(sorted_first).collect() == [(7,)]


def test_a_min_or_max_at_the_root_is_shown_as_the_limit_that_has_its_value(
    spark: SparkSession,
) -> None:
    df = spark.sql("SELECT max(id) FROM t")
    assert df.collect()[0][0] == ROWS - 1
    report = limit_pruning.report(df).only
    assert (report.order_by, report.limit) == ("t.id DESC NULLS LAST", 1)
    assert (report.threshold, report.row_groups.dropped, report.row_groups.read) == (
        f"{ROWS - 1}L",
        23,
        1,
    )
    assert limit_pruning.history(spark)[-1].report.only.order_by == report.order_by
    with conf(spark, {"spark.limitPruning.minMax": "false"}):
        df = spark.sql("SELECT max(id) FROM t")
        assert "LimitPrunedScan" not in physical(df)
        assert not limit_pruning.report(df).limits
        assert of_subqueries(spark, PRUNED["partition"][0]) == {"t.p DESC NULLS LAST": 1}
    hinted = spark.sql("SELECT /*+ NO_LIMIT_PRUNING */ max(id) FROM t")
    assert "LimitPrunedScan" not in physical(hinted)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM t WHERE id >= (SELECT max(id) - 3 FROM t)",
        "SELECT (SELECT max(id) FROM t) - (SELECT min(id) FROM t), (SELECT max(id) FROM t)",
        "SELECT count(*) FROM t WHERE id > (SELECT min(id) FROM t) AND v < (SELECT max(v) FROM t)",
        "SELECT max(id) FROM t UNION ALL SELECT min(id) FROM t UNION ALL SELECT max(v) FROM t",
        "SELECT * FROM (SELECT max(id) m FROM t) JOIN t ON id = m",
        "SELECT max(m) FROM (SELECT max(id) AS m FROM t UNION ALL SELECT 7)",
        "WITH m AS (SELECT max(id) AS m FROM t) SELECT a.m, b.m FROM m a, m b WHERE a.m = b.m",
        "SELECT p, (SELECT max(id) FROM t i WHERE i.p = o.p) FROM (SELECT DISTINCT p FROM t) o",
        "SELECT p FROM (SELECT DISTINCT p FROM t) o WHERE EXISTS (SELECT max(id) FROM t)",
        "SELECT max(id) FROM (SELECT id FROM t WHERE v = 3 LIMIT 500)",
        "SELECT max(id) FROM t WHERE p = (SELECT max(p) - 1 FROM t)",
        "SELECT max(id) FROM t LIMIT 1",
        (
            "WITH c AS (SELECT uuid() u, id FROM t WHERE id >= (SELECT max(id) - 5 FROM t)) "
            "SELECT count(*) FROM c a JOIN c b ON a.u = b.u"
        ),
        "WITH c AS (SELECT uuid() u, max(id) m FROM t) SELECT a.m FROM c a JOIN c b ON a.u = b.u",
        "SELECT max(a.id) FROM t a LEFT JOIN t b ON a.id = b.id + 1",
        "SELECT max(e) FROM (SELECT explode(sequence(id, id + 2)) AS e FROM t)",
    ],
)
def test_line_107_a_min_or_max_anywhere_in_a_query(spark: SparkSession, query: str) -> None:
    for adaptive in ("true", "false"):
        with conf(spark, {"spark.sql.adaptive.enabled": adaptive}):
            found = [tuple(row) for row in spark.sql(query).collect()]
            assert Counter(found) == Counter(plain(spark, query)), query


def test_line_107_spark_may_merge_functions_over_equal_row_groups(
    spark: SparkSession, tmp_path: Path
) -> None:
    """The rows of one function must not skip row groups that another one needs."""
    decimals = [{"m": list(map(Decimal, pair))} for pair in ((-3, -5), (10, 0), (14, 5), (20, 8))]
    write(tmp_path / "d" / "d.parquet", decimals, pa.schema([("m", pa.decimal128(9, 2))]))
    spark.read.parquet(str(tmp_path / "d")).createOrReplaceTempView("d")
    schema = pa.schema([("a", pa.int64()), ("b", pa.int64()), ("f", pa.string())])
    pairs = [
        {"a": [-5, -4], "b": [-5, -4], "f": ["x", "y"]},
        {"a": [1, 5], "b": [5, 2], "f": ["x", "y"]},
        {"a": [9, 10], "b": [1, 10], "f": ["x", "y"]},
    ]
    write(tmp_path / "w" / "w.parquet", pairs, schema)
    spark.read.parquet(str(tmp_path / "w")).createOrReplaceTempView("w")
    only = "FROM w WHERE f LIKE '%x%'"
    queries = {
        "SELECT (SELECT max(m) FROM d), (SELECT max(m) FROM d WHERE m < 15)": (20, 14),
        "SELECT (SELECT max(m) FROM d WHERE m < 15), (SELECT max(m) FROM d)": (14, 20),
        f"SELECT (SELECT max(a) {only}), (SELECT max(b) {only})": (9, 5),
        f"SELECT x.m, y.m FROM (SELECT max(a) m {only}) x, (SELECT max(b) m {only}) y": (9, 5),
        "SELECT (SELECT max(a) FROM w), (SELECT max(b) FROM w WHERE f = 'x')": (10, 5),
    }
    with conf(spark, {"spark.limitPruning.planning.maxBytes": "0"}):
        for query, values in queries.items():
            for _ in range(2):
                assert tuple(spark.sql(query).collect()[0]) == values, query


def test_the_functions_of_a_query_share_the_time_of_one_limit(spark: SparkSession) -> None:
    query = "SELECT max(p) FROM t UNION ALL SELECT min(p) FROM t UNION ALL SELECT max(id) FROM t"
    assert physical(spark.sql(query)).count("LimitPrunedScan") == 3
    with conf(spark, {"spark.limitPruning.planning.maxTime": "0"}):
        df = spark.sql(query)
        assert "LimitPrunedScan" not in physical(df)
        assert Counter(map(tuple, df.collect())) == Counter(plain(spark, query))


def test_of_two_aggregates_one_is_reported(spark: SparkSession) -> None:
    df = spark.sql("SELECT max(m) FROM (SELECT max(id) AS m FROM t) LEFT JOIN (SELECT 1 AS x)")
    assert df.collect()[0][0] == ROWS - 1
    assert len(limit_pruning.report(df).limits) == 1


KEYS = {
    "byte": "cast({} % 100 AS byte)",
    "short": "cast({} % 3000 AS short)",
    "int": "cast({} AS int)",
    "bigint": "{} * 100000000000L",
    "small decimal": "cast({} AS decimal(9, 2))",
    "large decimal": "cast({} AS decimal(30, 5))",
    "date": "date_add(DATE'2020-01-01', cast({} AS int))",
    "timestamp": "timestamp_micros({} * 1000001L)",
    "timestamp_ntz": "cast(timestamp_micros({} * 1000001L) AS timestamp_ntz)",
    "string": "concat('k', {})",
    "binary": "cast(concat('k', {}) AS binary)",
    "boolean": "{} % 2 = 0",
}
LAYOUTS = {
    "random": "hash(id, {seed}) % 5000",
    "sorted": "id - 300",
    "nulls": "IF(hash(id, {seed}) % 3 = 0, NULL, hash(id) % 5000)",
    "nulls but one": "IF(id = {seed} * 37 % 800, id, NULL)",
    "all null": "cast(NULL AS bigint)",
}


@pytest.mark.parametrize("seed", range(3))
def test_random_keys(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    """Draws types, orders of the table, nulls and predicates; by Spark's writer and by pyarrow."""
    draw = random.Random(seed)
    pruned = any_values = 0
    for number in range(5):
        layouts = {kind: draw.choice(list(LAYOUTS)) for kind in KEYS}
        columns = [
            f"{key.format('(' + LAYOUTS[layouts[kind]].format(seed=seed) + ')')} AS `{kind}`"
            for kind, key in KEYS.items()
        ]
        rows = spark.range(0, 800, 1, draw.choice([1, 3, 8])).selectExpr("id", *columns)
        path = str(tmp_path / str(number))
        with conf(spark, {"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS"}):
            rows.write.parquet(path)
        if number % 2:
            table = pq.read_table(path).replace_schema_metadata(None)
            shutil.rmtree(path)
            Path(path).mkdir()
            pq.write_table(table, f"{path}/a.parquet", row_group_size=draw.choice([30, 200]))
        spark.read.parquet(path).createOrReplaceTempView("r")
        for _ in range(16):
            key, other = (f"`{draw.choice(list(KEYS))}`" for _ in range(2))
            end = draw.choice(["max", "min"])
            where = draw.choice(
                [
                    "",
                    f"WHERE id >= {draw.randrange(800)}",
                    f"WHERE hash(id) % {draw.randrange(1, 90)} = 0",
                ]
            )
            query = draw.choice(
                [
                    f"SELECT {end}({key}) FROM r {where}",
                    f"SELECT {end}({key}), {end}({key}) IS NULL FROM r {where}",
                    f"SELECT min({key}), max({key}) FROM r {where}",
                    f"SELECT max({key}), min({other}), {end}_by({key}, id) FROM r {where}",
                    # One value for each row, so that no two rows have the same key.
                    f"SELECT {end}_by({key}, id) FROM r {where}",
                    (
                        f"SELECT (SELECT {end}({key}) FROM r {where}), "
                        f"(SELECT {end}({key}) FROM r), (SELECT {end}({other}) FROM r {where})"
                    ),
                ]
            )
            df = spark.sql(query)
            assert [tuple(row) for row in df.collect()] == plain(spark, query), query
            pruned += "LimitPrunedScan" in physical(df)
            any_values += _hold_any_value(spark, key, where)
    assert pruned > 20
    assert any_values > 20


def _hold_any_value(spark: SparkSession, key: str, where: str) -> bool:
    """Return whether the value of a row of `r` that matches, or NULL, is read by metadata."""
    query = f"SELECT any_value(id), any_value({key}) FROM r {where}"
    df = spark.sql(query)
    (found,) = map(repr, map(tuple, df.collect()))
    allowed = plain(spark, f"SELECT id, {key} FROM r {where}") or [(None, None)]
    assert found in map(repr, allowed), query
    return "LimitPrunedScan" in physical(df)


def test_explain_shows_what_the_subquery_reads(spark: SparkSession) -> None:
    df = spark.sql("SELECT * FROM t WHERE p = (SELECT max(p) FROM t) LIMIT 5")
    df.collect()
    assert "OrderBy: t.p DESC NULLS LAST, Threshold: 2" in physical(df)
    assert re.search(r"Files: 24 total → \d inspected → 1 scanned", physical(df))


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_copies_of_an_aggregate_have_the_value_of_one_row(
    spark: SparkSession, tmp_path: Path, adaptive: str
) -> None:
    """Of rows with the same key, max_by and min_by have the value of any one."""
    rows = spark.range(0, 6000, 1, 6).selectExpr("id", "IF(id DIV 1000 IN (1, 4), 9, 3) AS k")
    rows.write.parquet(str(tmp_path / "u"))
    u = f"parquet.`{tmp_path / 'u'}`"
    ties = "max_by(id, k) AS v, min_by(id, k) AS w"
    queries = [
        f"WITH c AS (SELECT {other}, {ties} FROM {u}) "
        f"SELECT count(*) FROM c a JOIN c b ON a.{v} = b.{v} WHERE b.n > -1"
        for other in ("count(*) AS n", "min(id) AS n", "max(k) AS n")
        for v in "vw"
    ]
    queries += [
        f"WITH c AS (SELECT any_value(id) AS v FROM {u} WHERE {where}) "
        "SELECT count(*) FROM c a JOIN c b ON a.v = b.v"
        for where in ("true", "id >= 1500", "k = 9 AND id > 1000")
    ]
    queries.append(
        f"WITH c AS (SELECT max(id) AS n, {ties} FROM {u}) "
        f"SELECT count(*) FROM {u} WHERE id = (SELECT v FROM c) "
        "AND id IN (SELECT v FROM c WHERE n > 0)"
    )
    with conf(spark, {"spark.sql.adaptive.enabled": adaptive}):
        for query in queries:
            assert plain(spark, query) == [(1,)], query
            assert spark.sql(query).collect() == [(1,)], query
        alone = spark.sql(f"SELECT max_by(id, k) FROM {u}")
        assert alone.collect()[0][0] // 1000 in (1, 4)
        assert "LimitPrunedScan" in physical(alone)


@pytest.mark.core
@needs_spark("recursive CTEs", since=(4, 1))
def test_iterations_of_a_recursive_cte_have_the_value_of_one_row(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Spark 4.1 optimizes each iteration as a query of its own, with the columns that it needs."""
    rows = spark.range(0, 6000, 1, 6).selectExpr("id", "IF(id DIV 1000 IN (1, 4), 9, 3) AS k")
    rows.write.parquet(str(tmp_path / "u"))
    for value in ("max_by(id, k)", "min_by(id, k)"):
        for other in ("count(*)", "min(id)", "max(id)", "max(k)"):
            query = (
                f"WITH RECURSIVE s AS (SELECT {value} AS v, {other} AS n"
                f" FROM parquet.`{tmp_path / 'u'}`), r(v, d) AS (SELECT v, 0 FROM s UNION ALL"
                " SELECT s.v, d + 1 FROM r JOIN s ON r.v = s.v WHERE d < 3 AND s.n > -1)"
                " SELECT count(*) FROM r"
            )
            assert plain(spark, query) == [(4,)], query
            assert spark.sql(query).collect() == [(4,)], query


def test_few_footers_are_read_for_a_predicate_that_none_proves(
    spark: SparkSession, folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(folder, tmp_path / "fresh")
    spark.read.parquet(str(tmp_path / "fresh")).createOrReplaceTempView("fresh")
    df = spark.sql("SELECT max(id) FROM fresh WHERE v = 7")
    assert "LimitPrunedScan" not in physical(df)
    files = limit_pruning.report(spark.sql("SELECT id FROM fresh WHERE id < -1 LIMIT 3")).only.files
    assert files.inspected == 24
    assert files.footers_cached is not None
    assert 0 < files.footers_cached <= 8
