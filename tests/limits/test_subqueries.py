"""A LIMIT whose predicate has scalar subqueries is pruned when their values are known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col

import limit_pruning
from limit_pruning import LimitReport
from support.runs import VECTORIZED, conf
from support.scan_tables import hold, hold_limits, physical, plain, write_by_p
from support.sparks import needs_spark

ADAPTIVE = "spark.sql.adaptive.enabled"
WITHOUT_MERGING = {
    "spark.sql.optimizer.excludedRules": (
        "org.apache.spark.sql.catalyst.optimizer.MergeScalarSubqueries,"
        "org.apache.spark.sql.catalyst.optimizer.MergeSubplans"
    )
}
NEWEST = "p = (SELECT max(p) FROM t)"

ROWS = 1200
# Files of 50 rows, of which each of the three partitions has eight.
FILES = 24


@pytest.fixture(scope="module")
def folder(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write ``id``, and ``n``, which is null where id is a multiple of 400, by ``p``."""
    path = tmp_path_factory.mktemp("subqueries") / "t"
    rows = spark.range(ROWS).selectExpr(
        "id", "nullif(id, id div 400 * 400) AS n", "id % 5 AS v", "id div 400 AS p"
    )
    write_by_p(rows, path)
    spark.range(1).selectExpr("1100L AS v").write.parquet(str(path.with_name("x")))
    return path


@pytest.fixture(
    params=[("true", "true"), ("false", "true"), ("true", "false")],
    ids=["adaptive", "static", "row-based"],
)
def modes(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[None]:
    """Adaptive execution on and off, and the vectorized reader on and off."""
    adaptive, vectorized = request.param
    with conf(spark, {ADAPTIVE: adaptive, VECTORIZED: vectorized}):
        yield


@pytest.fixture
def t(spark: SparkSession, folder: Path) -> None:
    """Register ``t``, and ``x``, whose one value is 1100."""
    spark.read.parquet(str(folder)).createOrReplaceTempView("t")
    spark.read.parquet(str(folder.with_name("x"))).createOrReplaceTempView("x")


def code(limit: LimitReport) -> str | None:
    """Return the code of the reason."""
    return limit.reason.code if limit.reason else None


def chosen(df: DataFrame) -> LimitReport:
    """Return the report on a query that has run, and whose rows were chosen then."""
    limit = limit_pruning.report(df).limits[0]
    assert "Choice: LimitPrunedScan" in physical(df), physical(df)
    assert limit.rows.read is not None
    assert limit.row_groups.read is not None
    return limit


PRUNED = {
    "partition column": (NEWEST, 10, 1),
    "partition column and data column": (f"{NEWEST} AND id >= 1000", 10, 1),
    "data column": ("id >= (SELECT v FROM x)", 10, 1),
    "both, each with a subquery": (f"{NEWEST} AND id >= (SELECT v FROM x)", 10, 1),
    "range": ("id BETWEEN (SELECT v - 250 FROM x) AND (SELECT v FROM x)", 60, 2),
    "computed": ("id >= (SELECT v FROM x) + 50", 5, 1),
    "negated": ("NOT (id < (SELECT v FROM x))", 5, 1),
    "either": ("(p = (SELECT max(p) FROM t) OR p = 7)", 5, 1),
    "is there a value": ("id >= 1150 AND EXISTS (SELECT * FROM x)", 5, 1),
    "two of one table": ("id > (SELECT max(id) - 70 FROM t) AND p > (SELECT min(p) FROM t)", 5, 1),
    "the same twice": (f"{NEWEST} AND p + 0 = (SELECT max(p) FROM t)", 5, 1),
    "a LIMIT in the subquery": ("id >= (SELECT id + 1100 FROM t WHERE id = 3 LIMIT 1)", 2, 1),
}


@pytest.mark.usefixtures("t", "modes")
@pytest.mark.parametrize("what", PRUNED)
def test_only_enough_row_groups_are_read(spark: SparkSession, what: str) -> None:
    predicate, limit, most = PRUNED[what]
    df = hold(spark, f"SELECT * FROM t WHERE {predicate}", limit)
    report = chosen(df)
    assert report.covered, report
    assert report.row_groups.read is not None
    assert report.row_groups.read <= most
    assert report.rows.read is not None
    assert report.rows.read <= 50 * most
    assert not report.row_filter_skipped
    assert "subquery" not in (report.predicate or "")


@pytest.mark.usefixtures("t")
@pytest.mark.parametrize("what", PRUNED)
def test_any_limit_with_and_without_offset(spark: SparkSession, what: str) -> None:
    query = f"SELECT id FROM t WHERE {PRUNED[what][0]}"
    hold_limits(spark, query, [1, 70, 2000])
    matching = {tuple(row) for row in plain(spark, query)}
    found = {
        tuple(row) for row in spark.sql(f"{query} LIMIT 30 OFFSET 25").collect()
    }  # 55 rows: two files
    assert found <= matching
    assert len(found) == min(30, max(0, len(matching) - 25))


@pytest.mark.usefixtures("t", "modes")
@pytest.mark.parametrize("what", ["partition column and data column", "data column", "either"])
def test_first_rows(spark: SparkSession, what: str) -> None:
    for key in ("id", "id DESC", "p DESC, id", "n NULLS LAST, id", "n DESC NULLS FIRST, id"):
        query = f"SELECT * FROM t WHERE {PRUNED[what][0]} ORDER BY {key}"
        expected = plain(spark, query)
        for limit in ("LIMIT 7", "LIMIT 5 OFFSET 3"):
            found = [tuple(row) for row in spark.sql(f"{query} {limit}").collect()]
            assert found == (expected[:7] if limit == "LIMIT 7" else expected[3:8]), key


@pytest.mark.usefixtures("t", "modes")
def test_order_by_skips_row_groups(spark: SparkSession) -> None:
    """By the threshold of the footers, and by the one that is found while reading."""
    query = f"SELECT * FROM t WHERE {NEWEST} ORDER BY id DESC"
    report = chosen(hold(spark, query, 10, ordered=True))
    assert report.threshold
    assert report.row_groups.read == 1
    undecided = f"SELECT * FROM t WHERE {NEWEST} AND v = (SELECT min(v) FROM t) ORDER BY id DESC"
    report = chosen(hold(spark, undecided, 5, ordered=True))
    assert report.threshold is None
    assert report.row_groups.read is not None
    assert report.row_groups.skipped
    assert report.row_groups.read + report.row_groups.skipped == FILES // 3


@pytest.mark.usefixtures("t", "modes")
def test_the_report_and_explain_before_and_after_the_query_runs(spark: SparkSession) -> None:
    df = spark.sql(f"SELECT * FROM t WHERE {NEWEST} AND id >= 1000 LIMIT 10")
    before = limit_pruning.report(df).only
    assert code(before) == "decided-when-run"
    assert before.files.inspected is None
    assert "not decided yet: the predicate contains a subquery" in str(before)
    assert "Choice: when the values of the subqueries are known" in physical(df)
    df.collect()
    after = chosen(df)
    assert after.covered
    assert after.predicate
    assert "p = 2" in after.predicate
    assert after.rows.to_read == 50
    assert after.files.total == FILES // 3
    latest = limit_pruning.history(spark)[-1].report.only
    assert latest.covered
    assert latest.row_groups.read == 1


@pytest.mark.usefixtures("t")
def test_merged_subqueries_and_separate_ones(spark: SparkSession) -> None:
    """Those of a min or a max are chosen on their own; see test_min_max.py."""
    where = "id > (SELECT count(*) - 70 FROM t) AND p > (SELECT sum(p) - 1199 FROM t)"
    query = f"SELECT * FROM t WHERE {where}"
    assert "mergedValue" in physical(spark.sql(f"{query} LIMIT 3"))
    assert chosen(hold(spark, query, 3)).covered
    with conf(spark, WITHOUT_MERGING):
        assert "mergedValue" not in physical(spark.sql(f"{query} LIMIT 3"))
        assert chosen(hold(spark, query, 3)).covered


SHAPES = {
    "union": (
        "(SELECT id FROM t WHERE {0} LIMIT 5) UNION ALL "
        "(SELECT id FROM t WHERE {0} AND v IS NOT NULL LIMIT 3)"
    ),
    "with": "WITH c AS (SELECT id FROM t WHERE {0} LIMIT 5) SELECT c.id FROM c JOIN c d USING (id)",
    "subquery": "SELECT * FROM (SELECT id FROM t WHERE {0} LIMIT 5) WHERE id % 2 = 0 OR id >= 0",
    "count": "SELECT count(*) FROM (SELECT id FROM t WHERE {0} LIMIT 8)",
    "join": "SELECT count(b.v) FROM t LEFT JOIN (SELECT * FROM t WHERE {0} LIMIT 8) b USING (id)",
    "broadcast": (
        "SELECT /*+ BROADCAST(b) */ count(b.v) FROM t "
        "LEFT JOIN (SELECT * FROM t WHERE {0} LIMIT 8) b USING (id)"
    ),
    "scalar": "SELECT (SELECT count(*) FROM (SELECT id FROM t WHERE {0} LIMIT 8))",
    "in": "SELECT count(*) FROM t WHERE id IN (SELECT id FROM t WHERE {0} LIMIT 8)",
    "nested": (
        "SELECT count(*) FROM (SELECT * FROM t WHERE id >= "
        "(SELECT min(id) FROM (SELECT id FROM t WHERE {0} ORDER BY id LIMIT 9)) LIMIT 4)"
    ),
    "lateral": "SELECT k FROM (VALUES (1), (2)) a(k), LATERAL (SELECT id FROM t WHERE {0} LIMIT 3)",
    "correlated": (
        "SELECT k FROM (VALUES (1), (2)) a(k), "
        "LATERAL (SELECT id FROM t WHERE {0} AND v = k LIMIT 3)"
    ),
    "ordered": "SELECT sum(id) FROM (SELECT id FROM t WHERE {0} ORDER BY id DESC LIMIT 6)",
    "window": "SELECT count(*) FROM (SELECT sum(v) OVER (ORDER BY id) FROM t WHERE {0} LIMIT 9)",
}


@pytest.mark.usefixtures("t")
@pytest.mark.parametrize("adaptive", ["true", "false"])
@pytest.mark.parametrize(
    "shape",
    [
        pytest.param(shape, marks=needs_spark("LIMIT in a correlated subquery"))
        if shape == "correlated"
        else shape
        for shape in SHAPES
    ],
)
def test_shapes(spark: SparkSession, shape: str, adaptive: str) -> None:
    query = SHAPES[shape].format(f"{NEWEST} AND id >= (SELECT v FROM x) - 100")
    expected = plain(spark, query)
    with conf(spark, {ADAPTIVE: adaptive}):
        hold_shape(spark, shape, query, expected)


def hold_shape(
    spark: SparkSession, shape: str, query: str, expected: list[tuple[object, ...]]
) -> None:
    """Hold a query to the rows of plain Spark, or to their number."""
    df = spark.sql(query)
    found = [tuple(row) for row in df.collect()]
    assert len(found) == len(expected)
    if "count" in query or "sum" in query or "SELECT k" in query:
        assert sorted(found, key=repr) == sorted(expected, key=repr)
    if shape not in ("window", "correlated", "with"):
        assert "ChooseWhenRun" in physical(df)


@pytest.mark.usefixtures("t")
def test_actions(spark: SparkSession, tmp_path: Path) -> None:
    def query() -> DataFrame:
        return spark.sql(f"SELECT id FROM t WHERE {NEWEST} AND id >= 1000 LIMIT 10")

    allowed = set(range(1000, ROWS))
    assert query().count() == 10
    assert len(query().take(4)) == 4
    assert len(query().toPandas()) == 10
    assert {row.id for row in query().toLocalIterator()} <= allowed
    assert query().rdd.count() == 10
    assert len(query().tail(3)) == 3
    query().write.parquet(str(tmp_path / "written"))
    assert spark.read.parquet(str(tmp_path / "written")).count() == 10
    spark.sql(f"CREATE TABLE copied USING parquet AS SELECT * FROM t WHERE {NEWEST} LIMIT 7")
    try:
        spark.sql(f"INSERT INTO copied SELECT * FROM t WHERE {NEWEST} LIMIT 6")
        assert {row.p for row in spark.table("copied").collect()} == {2}
        assert spark.table("copied").count() == 13
    finally:
        spark.sql("DROP TABLE copied")
    kept = query().cache()
    try:
        assert kept.count() == 10
        assert {row.id for row in kept.collect()} <= allowed
    finally:
        kept.unpersist(blocking=True)


@pytest.mark.usefixtures("t")
def test_a_view_and_the_api_of_data_frames(spark: SparkSession) -> None:
    spark.sql(f"CREATE OR REPLACE TEMP VIEW newest AS SELECT * FROM t WHERE {NEWEST}")
    assert chosen(hold(spark, "SELECT * FROM newest WHERE id >= 1000", 5)).covered
    df = spark.table("newest").where(col("id") >= 1000).select("id").limit(5)
    assert {row.id for row in df.collect()} <= set(range(1000, ROWS))
    assert chosen(df).covered


NOT_SUPPORTED = {
    "IN": "p IN (SELECT p FROM t WHERE id = 5)",
    "correlated": "id = (SELECT max(id) FROM t AS u WHERE u.v = t.v)",
    "file name": "_metadata.file_name > (SELECT 'a') AND p = (SELECT max(p) FROM t)",
    "random": "id > (SELECT max(id) - 100 * rand() FROM t)",
}


@pytest.mark.usefixtures("t")
@pytest.mark.parametrize("what", NOT_SUPPORTED)
def test_other_subqueries_are_left_to_spark(spark: SparkSession, folder: Path, what: str) -> None:
    df = spark.sql(f"SELECT * FROM parquet.`{folder}` AS t WHERE {NOT_SUPPORTED[what]} LIMIT 3")
    assert "ChooseWhenRun" not in physical(df)
    assert all(limit.reason for limit in limit_pruning.report(df))
    df.collect()


@pytest.mark.usefixtures("t")
@pytest.mark.parametrize(
    "settings",
    [
        {"spark.limitPruning.fileScan": "always"},
        {"spark.sql.execution.reuseSubquery": "false"},
    ],
    ids=str,
)
def test_settings_that_leave_the_query_to_spark(
    spark: SparkSession, settings: dict[str, str]
) -> None:
    with conf(spark, settings):
        df = hold(spark, f"SELECT * FROM t WHERE {NEWEST}", 5)
        assert code(limit_pruning.report(df).only) == "subquery"
        assert "ChooseWhenRun" not in physical(df)


@pytest.mark.usefixtures("t")
def test_a_table_with_buckets(spark: SparkSession) -> None:
    spark.sql(
        "CREATE TABLE bucketed USING parquet CLUSTERED BY (v) INTO 3 BUCKETS AS SELECT * FROM t"
    )
    try:
        df = hold(spark, "SELECT * FROM bucketed WHERE p = (SELECT max(p) FROM t)", 5)
        assert code(limit_pruning.report(df).only) == "subquery"
    finally:
        spark.sql("DROP TABLE bucketed")


@pytest.mark.usefixtures("t")
def test_a_search_that_finds_nothing_reads_as_without_the_extension(spark: SparkSession) -> None:
    df = hold(spark, f"SELECT * FROM t WHERE {NEWEST} AND v = (SELECT min(v) FROM t)", 100)
    limit = limit_pruning.report(df).only
    assert code(limit) == "not-clustered"
    assert limit.files.inspected
    assert "Choice: the scan below (not-clustered)" in physical(df)


@pytest.mark.usefixtures("modes")
def test_only_the_partition_of_the_value_is_listed(spark: SparkSession, folder: Path) -> None:
    """Also with a filter on another partition column, which Spark prunes while it plans."""
    rows = spark.read.parquet(str(folder)).selectExpr("id", "v", "p AS q", "id % 2 AS r")
    rows.coalesce(1).write.partitionBy("q", "r").saveAsTable("parted")
    try:
        newest = "q = (SELECT max(q) FROM parted)"
        for where in (newest, f"{newest} AND r = 1", f"{newest} AND r = 1 AND id > 790"):
            report = chosen(hold(spark, f"SELECT * FROM parted WHERE {where}", 5))
            assert report.covered
            assert report.files.total == (2 if where == newest else 1)
            hold(spark, f"SELECT * FROM parted WHERE {where}", 300)
            hold(spark, f"SELECT * FROM parted WHERE {where} ORDER BY id DESC", 5, ordered=True)
    finally:
        spark.sql("DROP TABLE parted")
