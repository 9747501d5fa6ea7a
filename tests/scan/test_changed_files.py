"""A file that changes after planning: a clear error, never a row that was not proved."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from support.runs import VECTORIZED, conf, planned
from support.tables import NUMBERS_ROWS, numbers

ROWS = NUMBERS_ROWS
READERS = {"vectorized": "true", "row-based": "false"}
# Rows wanted of a table whose every row matches, and how many row groups' worth of them are cut.
PARTS = {"whole row groups": ROWS, "some rows": 70}
COLUMNS = "id BIGINT, c INT"


def deleted(file: Path) -> None:
    file.unlink()


def truncated(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-40])


def cut_in_half(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def other_length(file: Path) -> None:
    numbers(file, sign=-1, rows=ROWS + 1)


def other_length_same_time(file: Path) -> None:
    before = file.stat()
    numbers(file, sign=-1, rows=ROWS + 1)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def same_length(file: Path) -> None:
    """Overwrite a millisecond later, which is the finest that Hadoop's file systems tell."""
    before = file.stat()
    numbers(file, sign=-1)
    assert file.stat().st_size == before.st_size
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns + 1_000_000))


def same_length_same_time(file: Path) -> None:
    same_length(file)
    now = file.stat()
    os.utime(file, ns=(now.st_atime_ns, now.st_mtime_ns - 1_000_000))


def not_parquet(file: Path) -> None:
    file.write_bytes(b"no Parquet" * 9)


FAULTS: list[Callable[[Path], None]] = [
    deleted,
    truncated,
    cut_in_half,
    emptied,
    other_length,
    other_length_same_time,
    same_length,
    same_length_same_time,
    not_parquet,
]


@contextmanager
def reading(spark: SparkSession, reader: str) -> Iterator[None]:
    """Use this reader, and look at the pages of small row groups, too."""
    with conf(spark, {VECTORIZED: READERS[reader], "spark.limitPruning.pages.minBytes": "0"}):
        yield


def failure(df: DataFrame) -> str:
    """Return the message of the error with which the query fails, without the stack."""
    with pytest.raises(Py4JJavaError) as raised:
        df.collect()
    return str(raised.value.java_exception.getMessage())


def table(spark: SparkSession, folder: Path) -> Path:
    """Register two files as ``t``, and return the first, which alone a small LIMIT needs."""
    first = numbers(folder / "0.parquet")
    numbers(folder / "1.parquet")
    spark.read.schema(COLUMNS).parquet(str(folder)).createOrReplaceTempView("t")
    return first


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("reader", READERS)
def test_line_35_a_file_that_changes_after_planning_is_an_error(
    spark: SparkSession, tmp_path: Path, fault: Callable[[Path], None], part: str, reader: str
) -> None:
    file = table(spark, tmp_path)
    with reading(spark, reader):
        df = planned(spark.sql(f"SELECT * FROM t WHERE c > 0 LIMIT {PARTS[part]}"))
        limit = limit_pruning.report(df).only
        assert limit.covered
        assert bool(limit.rows.cut) == (part == "some rows")
        fault(file)
        message = failure(df)
    assert file.as_uri().removeprefix("file://") in message
    assert "REFRESH TABLE" in message
    assert bool(re.search(r"File (\S+ )?does not exist", message)) == (fault is deleted)


def test_line_35_the_advice_of_the_error_helps(spark: SparkSession, tmp_path: Path) -> None:
    file = table(spark, tmp_path)
    frame = spark.read.parquet(str(tmp_path))
    spark.sql(f"CREATE TABLE advised USING parquet LOCATION '{tmp_path.as_uri()}'")
    stale = [spark.table("t"), spark.table("advised"), frame]
    try:
        for df in stale:
            assert [row.c for row in df.where("c <> 0").limit(3).collect()] == [1, 2, 3]
        same_length(file)  # from now on Spark's listing is out of date, for every later query
        message = failure(stale[0].where("c <> 0").limit(3))
        assert "Run REFRESH TABLE, or create the DataFrame again" in message
        for df in stale:  # the footer is read again, and a time that is out of date does no harm
            assert [row.c for row in df.where("c <> 0").limit(3).collect()] == [-1, -2, -3]
        for name in ("t", "advised"):
            spark.sql(f"REFRESH TABLE {name}")
        for df in (spark.table("t"), spark.table("advised"), spark.read.parquet(str(tmp_path))):
            assert [row.c for row in df.where("c <> 0").limit(3).collect()] == [-1, -2, -3]
    finally:
        spark.sql("DROP TABLE advised")


def test_line_35_many_files_that_change_fail_one_query(spark: SparkSession, tmp_path: Path) -> None:
    """Lengths and times are as before, so the cached footers of all of them are out of date."""
    files = [numbers(tmp_path / f"{number}.parquet") for number in range(3)]
    df = spark.read.schema(COLUMNS).parquet(str(tmp_path)).where("c <> 0").limit(3 * ROWS)
    rows = len(df.collect())
    for file in files:
        same_length_same_time(file)
    again = spark.read.schema(COLUMNS).parquet(str(tmp_path)).where("c <> 0").limit(3 * ROWS)
    assert "its footer is different" in failure(again)
    repeated = spark.read.schema(COLUMNS).parquet(str(tmp_path)).where("c <> 0").limit(3 * ROWS)
    found = [row.c for row in repeated.collect()]
    assert len(found) == rows
    assert max(found) < 0


def test_line_35_files_that_are_added_or_not_needed_change_nothing(
    spark: SparkSession, tmp_path: Path
) -> None:
    table(spark, tmp_path)
    df = planned(spark.sql("SELECT c FROM t WHERE c > 0 LIMIT 70"))
    numbers(tmp_path / "-1.parquet", sign=-1)
    (tmp_path / "1.parquet").unlink()
    assert sorted(row.c for row in df.collect()) == list(range(1, 71))
