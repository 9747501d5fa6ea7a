"""The errors of an inspection: each names in one line what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support.tables import Table


@pytest.mark.parametrize(
    ("table", "predicate", "message"),
    [
        (3, None, r"inspect\(\) takes a str, a path or a pyspark DataFrame as table, not int: 3"),
        (None, None, "as table, not NoneType"),
        ("tracking_data", True, r"takes a str, a pyspark Column or None as predicate, not bool"),
    ],
)
@pytest.mark.usefixtures("wildlife")
def test_other_types(spark: SparkSession, table: Any, predicate: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        limit_pruning.inspect(spark, table, predicate)


@pytest.mark.parametrize("kind", ["DataFrame", "Column"])
def test_objects_of_spark_connect(spark: SparkSession, wildlife: Table, kind: str) -> None:
    remote: Any = type(kind, (), {"__module__": f"pyspark.sql.connect.{kind.lower()}"})()
    table, predicate = (remote, None) if kind == "DataFrame" else (wildlife.path, remote)
    with pytest.raises(
        limit_pruning.SparkConnectNotSupportedError,
        match=f"limit_pruning.inspect needs .* this {kind} is a Spark Connect one",
    ):
        limit_pruning.inspect(spark, table, predicate)


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(
    ("table", "predicate", "message"),
    [
        ("/nowhere/at/all", None, "Path does not exist"),
        ("nowhere", None, "no table or view 'nowhere', and the path file:.*/nowhere does not"),
        ("no-where.parquet", None, "no table or view 'no-where.parquet', and the path file:"),
        ("", None, "table is ''; it must be the name of a table, or a path"),
        ("no:where", None, "no table or view 'no:where', and it is not a path"),
        ("tracking_data", "depth > 1", "depth"),
        ("tracking_data", "s >", "Syntax error"),
        ("tracking_data", "s + 1", "BOOLEAN"),
        ("tracking_data", "rand() < 0.5", "not deterministic"),
        ("tracking_data", "1 = 2", "false for every row"),
        ("csv", None, "a table of the format CSV.* inspect a Parquet table"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(
    spark: SparkSession, wildlife: Table, table: str, predicate: str | None, message: str
) -> None:
    csv = wildlife.path.with_name("a.csv")
    csv.write_text("1\n")
    spark.read.csv(str(csv)).createOrReplaceTempView("csv")
    with pytest.raises(limit_pruning.InspectionError, match=message) as error:
        limit_pruning.inspect(spark, table, predicate)
    assert len(str(error.value).splitlines()) == 1


def test_what_is_no_parquet_is_told_in_one_line(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_text("this is no Parquet")
    with pytest.raises(limit_pruning.InspectionError) as error:
        limit_pruning.inspect(spark, str(tmp_path))
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize("count", [0, -1, 1.5, True, "5", 2**31])
def test_a_count_must_be_a_positive_int(spark: SparkSession, wildlife: Table, count: Any) -> None:
    with pytest.raises(limit_pruning.InspectionError, match="it must be an int from 1"):
        limit_pruning.inspect(spark, wildlife.path, limit=count)
    with pytest.raises(limit_pruning.InspectionError, match="it must be an int from 1"):
        limit_pruning.inspect(spark, wildlife.path, max_files=count)


def test_errors_of_the_callback_are_passed_on(spark: SparkSession, wildlife: Table) -> None:
    def progress(done: int, total: int) -> None:
        raise KeyError(f"{done} of {total}")

    with pytest.raises(KeyError, match="of"):
        limit_pruning.inspect(spark, wildlife.path, progress=progress)
