"""Whatever becomes of a query, nothing of it is left in the driver."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark import InheritableThread
from pyspark.sql import SparkSession

from support.leaks import PATIENCE, assert_nothing_left, grown, objects, open_files
from support.runs import VECTORIZED, conf, planned
from support.tables import numbers

PAGES = {"spark.limitPruning.pages.minBytes": "0"}
QUERY = "SELECT * FROM t WHERE c > 0 LIMIT {}"


@pytest.fixture
def folder(spark: SparkSession, tmp_path: Path) -> Path:
    """Two files, registered as ``t``."""
    for name in ("0", "1"):
        numbers(tmp_path / f"{name}.parquet")
    spark.read.parquet(str(tmp_path)).createOrReplaceTempView("t")
    return tmp_path


def held_up(latch: Path) -> Callable[[int], int]:
    """Return a function that tells of its first call by a file, and does not return in time."""
    name = str(latch)

    def call(_number: int) -> int:
        Path(name).touch()
        time.sleep(300)
        return 0

    return call


@pytest.mark.parametrize("reader", ["true", "false"])
def test_a_cancelled_query_closes_its_files(
    spark: SparkSession, folder: Path, tmp_path: Path, reader: str
) -> None:
    context = spark.sparkContext
    jvm: Any = context._jvm
    latch = tmp_path.with_name("latch")
    spark.udf.register("held_up", held_up(latch), "bigint")
    errors: list[str] = []

    def run() -> None:
        context.setJobGroup("to be cancelled", "to be cancelled", interruptOnCancel=True)
        try:
            spark.sql(f"SELECT held_up(id) FROM ({QUERY.format(350)})").collect()
        except Py4JJavaError as error:
            errors.append(str(error))

    with conf(
        spark, {**PAGES, VECTORIZED: reader, "spark.sql.parquet.columnarReaderBatchSize": "9"}
    ):
        query = InheritableThread(target=run)
        query.start()
        deadline = time.monotonic() + 60
        while not latch.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        in_the_middle = open_files(jvm, folder)
        context.cancelJobGroup("to be cancelled")
        query.join(60)
    latch.unlink()
    assert not query.is_alive()
    assert in_the_middle or not Path("/proc").exists(), "or the test would show nothing"
    assert len(errors) == 1
    assert "cancelled" in errors[0]
    assert_nothing_left(spark, folder)


def test_memory_does_not_grow_with_queries(spark: SparkSession, folder: Path) -> None:
    def run(times: int) -> None:
        for number in range(times):
            limit = 1 + number % 600
            assert len(spark.sql(QUERY.format(limit)).collect()) == limit
            planned(spark.sql(f"SELECT * FROM t WHERE c % 7 = {number} LIMIT 3"))

    run(10)
    before = objects(spark)
    run(50)
    deadline = time.monotonic() + PATIENCE
    # For a while queries are kept by PySpark, which tells the JVM in the background what it needs.
    while more := grown(spark, before):
        assert time.monotonic() < deadline, f"{before} {more}"
        time.sleep(0.5)
    assert_nothing_left(spark, folder)
