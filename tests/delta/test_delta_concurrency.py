"""Two writers at the same time: Delta finds the same conflicts as without the extension."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from support.delta import tables
from support.runs import ENABLED, conf
from support.sessions import OURS_FIRST

pytestmark = OURS_FIRST

SECONDS = 60
LIMITED = "SELECT held(id) AS id, m, s, ts, p FROM (SELECT * FROM {t} WHERE id >= 1000 LIMIT 30)"
WRITES = {
    "insert": "INSERT INTO {t} " + LIMITED,
    "merge": "MERGE INTO {t} t USING (" + LIMITED + ") u ON t.id = u.id AND t.id >= 1000 "
    "WHEN MATCHED THEN DELETE",
}
NO_CONFLICT = "no conflict"
OTHERS = {
    "deletes rows that were read": "DELETE FROM {t} WHERE id >= 1000",
    "deletes other files": "DELETE FROM {t} WHERE id < 500",
    "appends": "INSERT INTO {t} SELECT id + 9000, m, s, ts, p FROM {t} WHERE id < 10",
}


@pytest.mark.parametrize(
    ("write", "other"),
    [
        *(("insert", other) for other in OTHERS),
        ("merge", "deletes rows that were read"),
        ("merge", "deletes other files"),
    ],
)
def test_conflicts_are_those_without_the_extension(
    spark: SparkSession, tmp_path: Path, write: str, other: str
) -> None:
    def outcome(enabled: str) -> str:
        with conf(spark, {ENABLED: enabled}):
            return _of_both(spark, tmp_path / enabled, WRITES[write], OTHERS[other])

    found = outcome("true")
    assert found == outcome("false")
    assert (found == NO_CONFLICT) == (other == "deletes other files")


def _of_both(spark: SparkSession, folder: Path, write: str, other: str) -> str:
    """Begin a write, run the other write before it ends, and return how the first one ended."""
    table = tables.write(spark, folder / "t")
    begun, go_on = folder / "begun", folder / "go on"

    def held(number: int) -> int:
        try:
            begun.touch(exist_ok=False)
        except FileExistsError:
            return number  # Only one task waits: the other write needs the other core.
        deadline = time.monotonic() + SECONDS
        while not go_on.exists():
            assert time.monotonic() < deadline, "the other write has not ended"
            time.sleep(0.01)
        return number

    spark.udf.register("held", held, "bigint")
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(_ends, spark, write.format(t=table))
        while not begun.exists() and not first.done():
            time.sleep(0.01)
        spark.sql(other.format(t=table))
        go_on.touch()
        return first.result()


def _ends(spark: SparkSession, write: str) -> str:
    try:
        spark.sql(write)
    except Py4JJavaError as error:
        return str(error.java_exception.getClass().getSimpleName())
    return NO_CONFLICT
