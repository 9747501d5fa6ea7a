"""What a file states is a proof only if its writer is listed for this kind of statement."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support import oracle
from support.files import footer_edit
from support.files.lies import UNLISTED
from support.files.quirky_files import DATA, FILES, made_by
from support.paths import ROOT, SCALA
from support.predicates import Compare, In, IsNull, Not, Predicate
from support.runs import ENABLED, check, conf
from support.tables import one_column

CORPUS = ROOT.parent / "shared" / "corpus"
# pyarrow reads these from fields of unknown order, which no reader uses for decimals.
NO_ORDER = ("fixed_length_decimal.parquet", "fixed_length_decimal_legacy.parquet")


def _lies(parquet: pq.ParquetFile) -> list[Any]:
    """Return the columns whose null count, min or max is wrong. No reader uses a NaN there."""
    wrong = []
    for number in range(parquet.metadata.num_row_groups):
        table = parquet.read_row_group(number)
        for leaf in range(parquet.metadata.num_columns):
            chunk = parquet.metadata.row_group(number).column(leaf)
            if chunk.statistics is None or chunk.path_in_schema not in table.column_names:
                continue
            values = table.column(chunk.path_in_schema).to_pylist()
            nulls, stated = sum(value is None for value in values), chunk.statistics
            if stated.has_null_count and stated.null_count != nulls:
                wrong.append((chunk.path_in_schema, number, stated.null_count, nulls))
            comparable = [v for v in values if v is not None and v == v]
            if not stated.has_min_max or not comparable:
                continue
            no_nan = stated.min == stated.min and stated.max == stated.max
            if no_nan and isinstance(stated.min, type(comparable[0])):
                outside = [v for v in comparable if not stated.min <= v <= stated.max]
                if outside:
                    wrong.append((chunk.path_in_schema, number, stated.min, stated.max))
    return wrong


ROWS = 8
PROVED_OF_TRINO: list[Predicate] = [
    Compare("id", ">=", 0),
    Not(IsNull("w")),  # null counts
    Compare("w", "<=", "\U0001f600"),  # which UTF-16 puts before U+FFFF
    Compare("m", "<", Decimal("2.26")),
    Compare("k", ">", -3),
    In("m", (Decimal("-1.50"), Decimal("2.25"), Decimal("0.00"), Decimal("-7.00"))),  # dictionary
]


@pytest.mark.parametrize("predicate", PROVED_OF_TRINO, ids=str)
@pytest.mark.parametrize("name", ["trino-474", "trino-483"])
def test_line_88_what_trino_states_is_a_proof(
    spark: SparkSession, name: str, predicate: Predicate
) -> None:
    table = made_by(spark, name)
    assert oracle.matching(table.rows, predicate) == table.rows
    assert check(spark, table, predicate, ROWS, ["id"]).covered


@pytest.mark.parametrize("name", ["trino-474-pages", "trino-483-pages"])
def test_line_88_row_groups_of_trino_with_many_pages(spark: SparkSession, name: str) -> None:
    table = made_by(spark, name)
    second = Compare("id", ">=", 600)
    assert check(spark, table, second, 400, ["id"]).covered
    few: Predicate = In("g", ("few0", "few1"))
    for predicate in (Compare("s", ">=", "v"), Compare("long", "<>", "a"), few, IsNull("long")):
        matching = oracle.matching(table.rows, predicate)
        for limit in (1, len(matching)):
            check(spark, table, predicate, limit, ["id"])


@pytest.mark.skipif(not CORPUS.exists(), reason="files of others are not in the repository")
@pytest.mark.parametrize("old", ["v2_4_5", "v2_4_6", "v3_2_0", "delta_binary_packed", "tiny_pages"])
def test_line_88_what_old_releases_of_parquet_java_stated_is_right(old: str) -> None:
    files = [file for file in CORPUS.rglob(f"*{old}*") if file.suffix == ".parquet"]
    assert files
    for file in files:
        assert file.name in NO_ORDER or _lies(pq.ParquetFile(file)) == [], file


def test_line_88_each_listed_writer_has_files_in_the_tests() -> None:
    table = (SCALA / "parquet/ListedWriters.scala").read_text(encoding="utf-8")
    listed = set(re.findall(r'(?:since|always)\("([^"]+)"', table))
    written = {
        re.sub(r"\(.*?\)", " ", pq.ParquetFile(DATA / f"{name}.parquet").metadata.created_by or "")
        .lower()
        .split(" version")[0]
        .strip()
        for name in FILES
    }
    assert len(listed) >= 8
    assert listed <= written


@pytest.mark.parametrize("writer", [name for name in UNLISTED if name])
def test_line_88_of_other_writers_nothing_is_proved(
    spark: SparkSession, tmp_path: Path, writer: str
) -> None:
    table = one_column(tmp_path / "t", pa.int64(), [list(range(10)), list(range(100, 110))])
    footer_edit.set_writer(table.path, writer)
    table.register(spark)
    query = spark.sql("SELECT * FROM t WHERE c >= 100 LIMIT 10")
    with conf(spark, {"spark.limitPruning.planning.maxTime": "5min"}):
        limit = limit_pruning.report(query).only
    assert not limit.covered
    assert limit.reason is not None
    assert limit.reason.code == "writer-not-listed"
    assert f"not listed for them: {writer}" in limit.reason.message
    assert {row.c for row in query.collect()} == set(range(100, 110))
    inspected = limit_pruning.inspect(spark, str(table.path), "c >= 100", limit=10)
    assert f"not listed for them: {writer}" in str(inspected)
    for text in (
        "SELECT c FROM t ORDER BY c DESC LIMIT 3",
        "SELECT DISTINCT c FROM t LIMIT 2",
    ):
        df = spark.sql(text)
        assert not limit_pruning.report(df).only.covered
        with conf(spark, {ENABLED: "false"}):
            assert len(df.collect()) == spark.sql(text).count()


@pytest.mark.skipif(not CORPUS.exists(), reason="files of others are not in the repository")
def test_line_88_a_column_index_of_parquet_go_with_bounds_that_do_not_hold(
    spark: SparkSession,
) -> None:
    spark.read.parquet(str(CORPUS / "parquet-go/issue368.parquet")).createOrReplaceTempView("t")
    name = "LseKuzjbGLJeDgJMbwPWiwCi"
    below = spark.sql(f"SELECT RootServiceName n FROM t WHERE RootServiceName < '{name}' LIMIT 540")
    assert len(below.collect()) == 535
    assert all(row.n < name for row in below.collect())
    equal = spark.sql(f"SELECT * FROM t WHERE nullif(RootServiceName, '{name}') IS NULL LIMIT 107")
    assert equal.count() == 107
