"""Unsigned integers: their order in files is not that of the signed integers that store them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from support.files import footer_edit
from support.runs import conf, hold_each, hold_sql, on_off
from support.tables import write

# Of each: its type in the file, the type as which Spark reads it, and values in three row groups.
KINDS: dict[str, tuple[pa.DataType, str, list[list[int]]]] = {
    "uint8": (pa.uint8(), "smallint", [[0, 7], [127, 128], [200, 255]]),
    "uint16": (pa.uint16(), "int", [[0, 7], [2**15 - 1, 2**15], [60_000, 2**16 - 1]]),
    "uint32": (pa.uint32(), "bigint", [[0, 7], [2**31 - 1, 2**31], [3 * 10**9, 2**32 - 1]]),
    "uint64": (
        pa.uint64(),
        "decimal(20,0)",
        [[0, 7], [2**63 - 1, 2**63], [10**19, 2**64 - 1]],
    ),
}
READERS = {"batches": "true", "rows": "false"}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """The name of an unsigned type."""
    return str(request.param)


def table(spark: SparkSession, file: Path, kind: str, **options: Any) -> Path:
    """Write the view ``t`` with the column ``c``: 20 rows in each row group."""
    stored, declared, groups = KINDS[kind]
    rows = [
        {"id": [100 * n + row for row in range(20)], "c": [values[row % 2] for row in range(20)]}
        for n, values in enumerate(groups)
    ]
    write(file, rows, pa.schema([("id", pa.int64()), ("c", stored)]), **options)
    frame = spark.read.parquet(str(file))
    assert dict(frame.dtypes)["c"] == declared
    frame.createOrReplaceTempView("t")
    return file


@pytest.mark.parametrize("reader", READERS)
def test_predicates_on_both_sides_of_the_sign(
    spark: SparkSession, tmp_path: Path, kind: str, reader: str
) -> None:
    table(spark, tmp_path / "t.parquet", kind)
    groups = KINDS[kind][2]
    low, middle, high = groups
    with conf(spark, {"spark.sql.parquet.enableVectorizedReader": READERS[reader]}):
        for predicate, matched in (
            (f"c >= {high[0]}", 1),
            (f"c > {low[1]}", 2),
            (f"c < {middle[1] + 1}", 2),
            (f"c <> {high[1]}", 2),
            (f"c BETWEEN {middle[0]} AND {middle[1]}", 1),
            (f"c >= 0 AND c <= {high[1]}", 3),
        ):
            (limit,) = hold_sql(spark, f"SELECT * FROM t WHERE {predicate}", 20)
            assert limit.covered, predicate
            assert limit.row_groups.fully_matched == matched, predicate
        for predicate in ("c < 0", "c = -1", f"c > {high[1]}"):
            (limit,) = hold_sql(spark, f"SELECT * FROM t WHERE {predicate}", 5)
            assert limit.row_groups.matched == 0, predicate


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("order", ["c", "c DESC", "c NULLS LAST", "c DESC, id", "-c"])
def test_the_first_rows(
    spark: SparkSession, tmp_path: Path, kind: str, reader: str, order: str
) -> None:
    table(spark, tmp_path / "t.parquet", kind)
    with conf(spark, {"spark.sql.parquet.enableVectorizedReader": READERS[reader]}):
        runs = on_off(spark, f"SELECT c FROM t ORDER BY {order} LIMIT 8")
    assert runs.on == runs.off
    assert runs.report.only.covered
    assert runs.report.only.row_groups.scanned == 1


def test_single_pages(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    stored, _, groups = KINDS[kind]
    values = [value for group in groups for value in group for _ in range(50)]
    rows = {"id": list(range(len(values))), "c": values}
    pages = {"max_rows_per_page": 50, "write_batch_size": 50, "write_page_index": True}
    file = tmp_path / "t.parquet"
    write(file, [rows], pa.schema([("id", pa.int64()), ("c", stored)]), **pages)
    spark.read.parquet(str(file)).createOrReplaceTempView("t")
    with conf(spark, {"spark.limitPruning.pages.minBytes": "0"}):
        for predicate in (f"c >= {groups[2][0]}", f"c <= {groups[1][0]}", f"c <> {groups[2][1]}"):
            (limit,) = hold_sql(spark, f"SELECT * FROM t WHERE {predicate}", 60)
            assert limit.covered, predicate
            assert limit.rows.to_read == 60, predicate


@pytest.mark.parametrize("dictionary", [True, False])
def test_bloom_filters(spark: SparkSession, tmp_path: Path, kind: str, dictionary: bool) -> None:
    blooms = {"c": {"ndv": 8, "fpp": 0.01}}
    file = tmp_path / "t.parquet"
    table(spark, file, kind, use_dictionary=dictionary, bloom_filter_options=blooms)
    values = [value for group in KINDS[kind][2] for value in (group[0] + 1, *group)]
    for limit in (20, 60):
        hold_each(spark, "t", [f"c <> {value}" for value in values], limit, key="struct(*)")
    hold_each(spark, "t", [f"c = {value}" for value in values], 20, key="struct(*)")


def test_line_79_a_writer_that_merges_pages_as_signed(spark: SparkSession, tmp_path: Path) -> None:
    """Polars 2.0 writes the max of pages with 0 … 2³²-1 and 3 … 9 as 9."""
    file = tmp_path / "t.parquet"
    schema = pa.schema([("id", pa.int64()), ("c", pa.uint32())])
    values = [0, 2**32 - 1, 3, 9, 9, 9]
    write(file, [{"id": list(range(6)), "c": values}], schema, use_dictionary=False)
    footer_edit.set_bounds(file, "c", (0).to_bytes(4, "little"), (9).to_bytes(4, "little"))
    footer_edit.set_writer(file, "Polars (python) version 2.0.0 (build 22a147de3d2b)")
    spark.read.parquet(str(file)).createOrReplaceTempView("t")
    for predicate in ("c <= 9", "c < 100", "c <> 4000000000"):
        (limit,) = hold_sql(spark, f"SELECT id, c FROM t WHERE {predicate}", 5, 6)
        assert limit.row_groups.fully_matched == 0, predicate
    for order in ("c", "c DESC"):
        runs = on_off(spark, f"SELECT c FROM t ORDER BY {order} LIMIT 2")
        assert runs.on == runs.off


@pytest.mark.parametrize("low", [0, 5, 2**31, 2**32 - 1])
def test_line_79_a_writer_that_compares_as_signed(
    spark: SparkSession, tmp_path: Path, low: int
) -> None:
    file = tmp_path / "t.parquet"
    values = [low, 3, 2**31 + 5, 2**31 - 1]
    schema = pa.schema([("id", pa.int64()), ("c", pa.uint32())])
    write(file, [{"id": list(range(4)), "c": values}], schema, use_dictionary=False)
    signed = sorted(v.to_bytes(4, "little") for v in values)
    signed.sort(key=lambda b: int.from_bytes(b, "little", signed=True))
    footer_edit.set_bounds(file, "c", signed[0], signed[-1])
    spark.read.parquet(str(file)).createOrReplaceTempView("t")
    for predicate in ("c >= 0", "c < 2147483648", "c >= 2147483648", "c <> 4294967295"):
        hold_sql(spark, f"SELECT id, c FROM t WHERE {predicate}", 1, 4)
    for order in ("c", "c DESC"):
        runs = on_off(spark, f"SELECT c FROM t ORDER BY {order} LIMIT 2")
        assert runs.on == runs.off


def test_line_79_no_column_order(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    file = table(spark, tmp_path / "t.parquet", kind, use_dictionary=False)
    footer_edit.set_column_order(file, 7)  # of a later version of the format
    spark.read.parquet(str(file)).createOrReplaceTempView("t")
    (limit,) = hold_sql(spark, "SELECT * FROM t WHERE c <= 7", 5)
    assert limit.row_groups.fully_matched == 0


@pytest.mark.parametrize("declared", ["TINYINT", "SMALLINT", "INT", "BIGINT", "DECIMAL(20, 0)"])
def test_line_79_another_type_in_the_table(
    spark: SparkSession, tmp_path: Path, kind: str, declared: str
) -> None:
    """Spark reads the bits of some pairs as signed; only its own pairs are trusted."""
    file = table(spark, tmp_path / "t.parquet", kind, use_dictionary=False)
    frame = spark.read.schema(f"id BIGINT, c {declared}").parquet(str(file))
    frame.createOrReplaceTempView("t")
    predicates = ["c > 10", "c < 100", "c <> -1", f"c >= {KINDS[kind][2][2][0]}"]
    for reader in READERS.values():
        with conf(spark, {"spark.sql.parquet.enableVectorizedReader": reader}):
            try:
                spark.sql("SELECT c FROM t").collect()
            except Exception:  # noqa: BLE001 - the pair cannot be read
                continue
            for limit in (20, 60):
                hold_each(spark, "t", predicates, limit, key="struct(*)")
