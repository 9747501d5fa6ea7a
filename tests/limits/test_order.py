"""ORDER BY … LIMIT: the rows that plain Spark gives, from fewer row groups, whatever the form."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from support.runs import assert_left_alone, conf, on_off
from support.sparks import needs_spark
from support.tables import Table, one_column, write

SHAPES = {
    "root": "SELECT * FROM sightings ORDER BY id LIMIT 7",
    "descending": "SELECT * FROM sightings ORDER BY id DESC LIMIT 7",
    "predicate": "SELECT species FROM sightings WHERE s >= 4 ORDER BY id LIMIT 7",
    "expression": "SELECT id + 1 AS i, species FROM sightings ORDER BY i DESC, species LIMIT 7",
    "offset": "SELECT id FROM sightings ORDER BY id LIMIT 7 OFFSET 12",
    "not_selected": "SELECT species FROM sightings ORDER BY id DESC LIMIT 7",
    "partition": "SELECT id FROM sightings ORDER BY day DESC, id LIMIT 7",
    "partition_and_predicate": (
        "SELECT id FROM sightings WHERE day >= DATE'2024-01-02' ORDER BY id LIMIT 7"
    ),
    "partition_nulls_first": "SELECT id FROM sightings ORDER BY day, id LIMIT 7",
    "subquery": "SELECT max(id) FROM (SELECT * FROM sightings ORDER BY id LIMIT 7)",
    "scalar_subquery": "SELECT (SELECT id FROM sightings ORDER BY id DESC LIMIT 1) AS last",
    "cte": "WITH top AS (SELECT id FROM sightings ORDER BY id LIMIT 7) SELECT sum(id) FROM top",
    "join": (
        "SELECT t.id, s.species FROM (SELECT id FROM sightings ORDER BY id DESC LIMIT 3) t "
        "JOIN sightings s ON s.id = t.id ORDER BY t.id"
    ),
}


@pytest.mark.core
@pytest.mark.usefixtures("sightings")
@pytest.mark.parametrize("query", SHAPES.values(), ids=SHAPES.keys())
def test_shapes(spark: SparkSession, query: str) -> None:
    runs = on_off(spark, query)
    assert runs.on == runs.off
    assert any(limit.covered and limit.order_by for limit in runs.report)


@pytest.mark.usefixtures("sightings")
def test_union_all_of_the_first_rows_of_each_branch(spark: SparkSession) -> None:
    branch = "(SELECT id FROM sightings ORDER BY id {} LIMIT {})"
    runs = on_off(spark, f"{branch.format('', 2)} UNION ALL {branch.format('DESC', 3)}")
    assert sorted(row["id"] for row in runs.on) == [0, 1, 237, 238, 239]
    assert [limit.covered for limit in runs.report] == [True, True]


@pytest.mark.usefixtures("sightings")
def test_created_tables(spark: SparkSession) -> None:
    spark.sql("DROP TABLE IF EXISTS latest")
    try:
        spark.sql("CREATE TABLE latest USING parquet AS " + SHAPES["descending"])
        spark.sql("INSERT INTO latest " + SHAPES["root"])
        found = sorted(row.id for row in spark.table("latest").collect())
        assert found == [*range(7), *range(233, 240)]
    finally:
        spark.sql("DROP TABLE IF EXISTS latest")


def pandas_ids(df: DataFrame) -> list[int]:
    """Return the ids of the rows by way of pandas."""
    frame: Any = df.toPandas()
    return [int(value) for value in frame["id"]]


FRAMES: dict[str, Callable[[DataFrame], list[int]]] = {
    "collect": lambda df: [row.id for row in df.collect()],
    "to_pandas": pandas_ids,
    "iterator": lambda df: [row.id for row in df.toLocalIterator()],
}


@pytest.mark.parametrize("action", FRAMES.values(), ids=FRAMES.keys())
def test_data_frames(
    spark: SparkSession, sightings: Table, action: Callable[[DataFrame], list[int]]
) -> None:
    table = spark.table(sightings.name)
    df = table.where("s < 20").orderBy(table.id.desc()).limit(5)
    assert action(df) == [199, 198, 197, 196, 195]
    assert limit_pruning.report(df).only.covered


@needs_spark("pandas API that works with NumPy 2")
def test_pandas_on_spark(spark: SparkSession, sightings: Table) -> None:
    """Ties are broken by a number that Spark gives each row as it is read: all must be read."""
    table = spark.table(sightings.name)
    with conf(spark, {"spark.sql.ansi.enabled": "false"}):  # pandas on Spark 4.0 asks for it
        frame: Any = table.select("id", "s").pandas_api(index_col="id")
        largest = frame.nlargest(3, "s").to_spark(index_col="id")
        assert [row.s for row in largest.collect()] == [23, 23, 23]
        reason = limit_pruning.report(largest).only.reason
    assert reason
    assert reason.code == "not-deterministic"
    assert "monotonically_increasing_id" in reason.message


@pytest.mark.core
def test_ties_are_kept(spark: SparkSession, tmp_path: Path) -> None:
    table = one_column(tmp_path, pa.int32(), [[1, 5], [5, 5], [5, 9], [6, 9]]).register(spark)
    runs = on_off(spark, f"SELECT id FROM {table.name} ORDER BY c, id DESC LIMIT 3")
    assert [row["id"] for row in runs.on] == [0, 4, 3]
    assert runs.report.only.row_groups.scanned == 3


def scattered(folder: Path, files: int = 12) -> Path:
    """Write files that all hold values from everywhere."""
    schema = pa.schema([("id", pa.int64()), ("c", pa.int32())])
    for number in range(files):
        groups = [{"id": list(range(10)), "c": [1, 99, *range(40, 48)]} for _ in range(2)]
        write(folder / f"{number:02}.parquet", groups, schema)
    return folder


def test_a_table_in_random_order_is_left_alone(spark: SparkSession, tmp_path: Path) -> None:
    folder = scattered(tmp_path / "scattered")
    spark.read.parquet(str(folder)).createOrReplaceTempView("scattered")
    # More rows than row groups: of each row group, only one row is known to have the min.
    report = assert_left_alone(spark, "SELECT * FROM scattered ORDER BY c LIMIT 30").only
    assert report.reason
    assert (report.reason.code, report.files.inspected) == ("key-not-clustered", 4)


@pytest.mark.usefixtures("statistics_alone")
def test_one_row_of_each_row_group_has_its_min_and_one_its_max(
    spark: SparkSession, tmp_path: Path
) -> None:
    """So a table in random order has a threshold, if the LIMIT is smaller than its row groups."""
    schema = pa.schema([("id", pa.int64()), ("c", pa.int32()), ("s", pa.string())])
    for number in range(12):
        groups = [
            {
                "id": [number * 100 + row for row in range(50)],
                "c": [low, 900 + low, *range(400, 448)],
                "s": [f"{low:03}", f"{900 + low}", *["500"] * 48],
            }
            for low in (number * 7 % 12, number * 5 % 12 + 20)
        ]
        write(tmp_path / "t" / f"{number:02}.parquet", groups, schema)
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("t")

    def read(order: str, limit: int) -> int | None:
        runs = on_off(spark, f"SELECT c FROM t ORDER BY {order} LIMIT {limit}")
        assert runs.on == runs.off
        return runs.report.only.row_groups.scanned

    for limit in (1, 2, 3):
        assert read("c", limit) == read("c DESC", limit) == limit
        assert read("c DESC NULLS FIRST", limit) == limit
    assert read("c", 40) is None
    # Min and max of strings may be cut, so no row needs to have them.
    assert read("s", 1) is None


@pytest.mark.usefixtures("statistics_alone")
def test_row_groups_are_skipped_while_reading(spark: SparkSession, tmp_path: Path) -> None:
    schema = pa.schema([("id", pa.int64()), ("c", pa.int32())])
    for number in range(20):
        start = number * 100
        groups = [
            {"id": list(range(s, s + 50)), "c": [n % 10 for n in range(50)]}
            for s in (start, start + 50)
        ]
        write(tmp_path / "t" / f"{number:02}.parquet", groups, schema)
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("t")
    df = spark.sql("SELECT id FROM t WHERE c = 3 ORDER BY id DESC LIMIT 4")
    assert [row.id for row in df.collect()] == [1993, 1983, 1973, 1963]
    report = limit_pruning.report(df).only
    assert report.threshold is None
    assert report.row_groups.scanned == 40
    assert report.row_groups.read is not None
    assert report.row_groups.read <= 4
    assert report.row_groups.skipped == 40 - report.row_groups.read
    assert "threshold: found while reading" in str(report)
    assert f"{report.row_groups.skipped} skipped" in str(report)


@pytest.mark.usefixtures("sightings")
def test_files_beyond_the_budget_are_read(spark: SparkSession) -> None:
    for files in range(9):
        with conf(spark, {"spark.limitPruning.planning.maxFiles": str(files)}):
            runs = on_off(spark, "SELECT id FROM sightings ORDER BY id DESC LIMIT 7")
            assert runs.on == runs.off
            looked_at = runs.report.only.files.inspected
            assert looked_at is not None
            assert looked_at <= files


@pytest.mark.core
@pytest.mark.usefixtures("wildlife")
def test_report(spark: SparkSession) -> None:
    df = spark.sql("SELECT * FROM tracking_data ORDER BY s DESC LIMIT 2")
    report = limit_pruning.report(df).only
    assert report.covered
    assert report.order_by == "tracking_data.s DESC NULLS LAST"
    assert (report.threshold, report.rows.certain, report.row_groups.dropped) == ("101", 2, 2)
    lines = str(report).splitlines()
    assert lines[0].endswith(" ORDER BY tracking_data.s DESC NULLS LAST LIMIT 2")
    assert lines[2].strip() == "threshold: 101; 2 rows certain; row groups dropped: 2"
    assert lines[4].endswith(" ms"), "there is no row filter"
    assert [row.s for row in df.collect()] == [133, 101]
