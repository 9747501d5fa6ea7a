"""What must never be counted on: files that are missing or broken when a query is planned."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support.runs import ENABLED, VECTORIZED_NESTED, conf, hold_sql, outcome
from support.tables import numbered_files

TWO_WAYS = {"option": "ignore{}Files", "session": "spark.sql.files.ignore{}Files"}


@contextmanager
def ignoring(spark: SparkSession, kind: str, where: str, folder: Path) -> Iterator[None]:
    """Register the folder as ``t``, read in a way that leaves bad files out without a word."""
    name = TWO_WAYS[where].format(kind)
    with conf(spark, {name: "true"} if where == "session" else {}):
        reader = spark.read.option(name, "true") if where == "option" else spark.read
        reader.schema("id BIGINT, c INT").parquet(str(folder)).createOrReplaceTempView("t")
        yield


@pytest.mark.parametrize("where", TWO_WAYS)
def test_line_35_missing_files_that_are_ignored(
    spark: SparkSession, tmp_path: Path, where: str
) -> None:
    made = numbered_files(tmp_path / "t")
    with ignoring(spark, "Missing", where, tmp_path / "t"):
        df = spark.sql("SELECT * FROM t WHERE c >= 0 LIMIT 3")
        assert limit_pruning.report(df).only.covered
        made[0].unlink()
        assert len(df.collect()) == 3, "the rows come from the other files"


@pytest.mark.parametrize("where", TWO_WAYS)
@pytest.mark.parametrize("limit", [1, 3, 11, 12, 13, 20])
def test_line_36_corrupt_files_that_are_ignored(
    spark: SparkSession, tmp_path: Path, where: str, limit: int
) -> None:
    numbered_files(tmp_path / "t")[0].write_bytes(b"PAR1 and no more PAR1")
    with ignoring(spark, "Corrupt", where, tmp_path / "t"):
        report = hold_sql(spark, "SELECT * FROM t WHERE c >= 0", limit)
    assert report.only.covered == (limit <= 12)


@pytest.mark.parametrize("broken", [0, 2, 3])
@pytest.mark.parametrize("how", ["footer", "length", "magic", "cut", "empty", "text", "gone"])
def test_line_36_one_corrupt_footer_is_plain_spark_s_error(
    spark: SparkSession, tmp_path: Path, broken: int, how: str
) -> None:
    file = numbered_files(tmp_path / "t")[broken]
    whole = file.read_bytes()
    footer = int.from_bytes(whole[-8:-4], "little")
    noise = whole[: -8 - footer] + b"\xff" * footer + whole[-8:]
    bad = {
        "footer": noise,
        "length": whole[:-8] + len(whole).to_bytes(4, "little") + whole[-4:],
        "magic": whole[:-4] + b"PARE",
        "cut": whole[: len(whole) // 2],
        "empty": b"",
        "text": b"no Parquet" * 9,
    }
    file.write_bytes(bad.get(how, whole))
    frame = spark.read.schema("id BIGINT, c INT").parquet(str(tmp_path / "t"))
    frame.createOrReplaceTempView("t")
    if how == "gone":
        file.unlink()
    for query in ("SELECT * FROM t WHERE c >= 0 LIMIT 16", "SELECT * FROM t WHERE c >= 0 LIMIT 20"):
        pruned = outcome(spark, query)
        with conf(spark, {ENABLED: "false"}):
            assert pruned == outcome(spark, query)
        # Spark itself passes over a file of no bytes.
        assert isinstance(pruned, str) == (how != "empty"), "all files are needed"


@pytest.mark.parametrize("whole_stage", ["true", "false"])
def test_line_81_a_dropped_filter_does_not_change_the_reader(
    spark: SparkSession, tmp_path: Path, whole_stage: str
) -> None:
    """Without whole-stage code generation, Spark's vectorized reader returns rows."""
    rows = spark.range(20).selectExpr("CAST(id AS DOUBLE) c", "named_struct('a', id + 1) s")
    write = rows.coalesce(1).write.option("parquet.writer.version", "v2")
    write = write.option("parquet.enable.bytestreamsplit", "true")
    write.option("parquet.enable.dictionary", "false").parquet(str(tmp_path / "t"))
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("t")
    query = "SELECT c FROM t WHERE s.a > 0 LIMIT 5"
    settings = {
        VECTORIZED_NESTED: "false",
        "spark.sql.codegen.wholeStage": whole_stage,
    }
    with conf(spark, settings):
        df = spark.sql(query)
        report = limit_pruning.report(df).only
        assert report.covered
        assert not report.row_filter_skipped
        assert len(df.collect()) == 5, "the vectorized reader cannot read this encoding"
