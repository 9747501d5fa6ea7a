"""Predicates on parts of variants, which Spark may replace by structs that are not in the files."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.runs import ENABLED, on_off
from support.sparks import needs_spark

pytestmark = needs_spark("variants")

A = "variant_get(v, '$.a', 'int')"
NESTED = "variant_get(s.v, '$.a', 'int')"
LIMITED = {
    "equal": f"SELECT {A} AS a FROM variants WHERE {A} = 1 LIMIT 5",
    "null": f"SELECT {A} AS a FROM variants WHERE {A} IS NULL LIMIT 5",
    "not null": f"SELECT 1 AS a FROM variants WHERE {A} IS NOT NULL LIMIT 5",
    "in a struct": f"SELECT {NESTED} AS a FROM variants WHERE {NESTED} = 1 LIMIT 5",
    "null in a struct": f"SELECT {NESTED} AS a FROM variants WHERE {NESTED} IS NULL LIMIT 5",
    "with another column": f"SELECT {A} AS a FROM variants WHERE id >= 30 AND {A} = 1 LIMIT 5",
    "top-k": f"SELECT {A} AS a FROM variants ORDER BY {A} DESC LIMIT 5",
    "top-k of a struct": f"SELECT {NESTED} AS a FROM variants ORDER BY {NESTED} DESC LIMIT 5",
    "no predicate": f"SELECT {A} IS NULL AS a FROM variants LIMIT 5",
}
# Spark optimizes the inner query first, which is when it replaces the variant.
PLACES = {
    "the query": "{}",
    "a lateral subquery": "SELECT a FROM (VALUES (1)) AS one(x), LATERAL ({})",
    "a scalar subquery": "SELECT (SELECT count(a) + 10 * count(*) FROM ({})) AS a",
}


@pytest.fixture(scope="module")
def _variants(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder: Path = tmp_path_factory.mktemp("variants")
    spark.range(100).selectExpr(
        "id", "parse_json(concat('{\"a\": ', id % 4, '}')) AS v", "struct(v AS v, id AS n) AS s"
    ).repartition(3).write.parquet(str(folder / "t"))
    spark.read.parquet(str(folder / "t")).createOrReplaceTempView("variants")


@pytest.mark.usefixtures("_variants")
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("limited", LIMITED)
def test_a_part_of_a_variant_is_no_column(spark: SparkSession, place: str, limited: str) -> None:
    query = PLACES[place].format(LIMITED[limited])
    # Spark cannot interpret what it takes from a shredded variant.
    runs = on_off(spark, query, {ENABLED: "false"})
    assert runs.on == runs.off
