"""A CTE that is not deterministic is evaluated once, and all its references see the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support.runs import conf
from support.shared_cte import DEFINITIONS, unmatched
from support.tables import write

ADAPTIVE = "spark.sql.adaptive.enabled"
MIN_BYTES = "spark.limitPruning.rows.minBytes"
REASON = "shared-cte"


@pytest.fixture(autouse=True)
def shared(spark: SparkSession, tmp_path: Path) -> Iterator[None]:
    """Register `shared`: of two row groups, the first matches partially, and the second fully."""
    groups = [
        {"id": list(range(100)), "s": list(range(100)), "k": [7] * 100},
        {"id": list(range(100, 200)), "s": [50 + i % 50 for i in range(100)], "k": [7] * 100},
    ]
    schema = pa.schema([("id", pa.int64()), ("s", pa.int64()), ("k", pa.int64())])
    write(tmp_path / "shared.parquet", groups, schema)
    spark.read.parquet(str(tmp_path)).createOrReplaceTempView("shared")
    yield
    spark.catalog.dropTempView("shared")


LIMITED = {
    "proved": "SELECT id FROM shared WHERE s >= 50 LIMIT 10",
    "found by reading": "SELECT id FROM shared WHERE s % 7 = 3 LIMIT 10",
    "first rows": "SELECT id FROM shared WHERE s >= 50 ORDER BY s DESC LIMIT 10",
    "ties": "SELECT id, k * 2 AS two FROM shared WHERE s >= 50 ORDER BY two LIMIT 10",
    "groups": "SELECT DISTINCT id FROM shared WHERE s >= 50 LIMIT 10",
    "subquery": "SELECT id FROM shared WHERE s > (SELECT min(s) FROM shared) LIMIT 10",
    "window": (
        "SELECT id FROM (SELECT id, row_number() OVER (ORDER BY s DESC) AS r FROM shared "
        "WHERE s >= 50) WHERE r <= 10"
    ),
}
PAIRED = "SELECT count(*) FROM c a JOIN c b ON a.id = b.id AND a.u = b.u"


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_references_see_the_same_first_rows_of_groups(spark: SparkSession, adaptive: str) -> None:
    newest = (
        "SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY k ORDER BY s DESC) AS r "
        "FROM shared WHERE s >= 50) WHERE r <= 10"
    )
    with conf(spark, {MIN_BYTES: "0", ADAPTIVE: adaptive}):
        df = spark.sql(f"WITH c AS (SELECT id, uuid() AS u FROM ({newest})) {PAIRED}")
        assert df.collect() == [(10,)]


@pytest.mark.parametrize("limited", LIMITED.values(), ids=list(LIMITED))
@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_line_104_references_see_the_same_rows(
    spark: SparkSession, limited: str, adaptive: str
) -> None:
    with conf(spark, {MIN_BYTES: "0", ADAPTIVE: adaptive}):
        df = spark.sql(f"WITH c AS (SELECT id, uuid() AS u FROM ({limited})) {PAIRED}")
        assert df.collect() == [(10,)]
        codes = {one.reason.code for one in limit_pruning.report(df).limits if one.reason}
        assert codes == {REASON}
        assert "LimitPrunedScan" not in df._jdf.queryExecution().executedPlan().toString()


@pytest.mark.parametrize("min_bytes", ["0", "8m"])
@pytest.mark.parametrize("definition", DEFINITIONS)
def test_line_104_references_see_the_same_subqueries(
    spark: SparkSession, definition: str, min_bytes: str
) -> None:
    with conf(spark, {MIN_BYTES: min_bytes}):
        for limited in LIMITED.values():
            only = f"SELECT id FROM ({limited})"
            assert unmatched(spark, definition, only) == 0, limited


def test_line_104_what_is_used_once_is_pruned(spark: SparkSession) -> None:
    df = spark.sql(
        f"WITH c AS (SELECT id, uuid() AS u FROM ({LIMITED['proved']})) SELECT count(*) FROM c"
    )
    assert df.collect() == [(10,)]
    assert all(one.covered for one in limit_pruning.report(df).limits)


def test_line_104_a_limit_beside_such_a_definition_is_pruned(spark: SparkSession) -> None:
    query = (
        "WITH c AS (SELECT id, uuid() AS u FROM shared) "
        f"SELECT count(*) FROM ({PAIRED}), ({LIMITED['proved']})"
    )
    df = spark.sql(query)
    assert df.collect() == [(10,)]
    assert [one.covered for one in limit_pruning.report(df).limits] == [True]
