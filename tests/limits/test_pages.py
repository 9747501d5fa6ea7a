"""Of a row group, only the pages that hold the rows wanted are read, whatever wrote them."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from support.runs import ENABLED, VECTORIZED, conf

pytestmark = pytest.mark.usefixtures("planned_at_root")

ROWS = 3000
BATCH = "spark.sql.parquet.columnarReaderBatchSize"
SMALL_PAGES = {
    "data_page_size": 512,
    "write_batch_size": 32,
    "max_rows_per_page": 100,
    "write_page_index": True,
}
BY_ID = "WHERE id > 1010 AND id < 1900"
BY_KEY = "WHERE key > '00001010' AND key < '00001900'"
# Pages end by their bytes alone, at other rows in each column: rows that are selected by the
# pages of `key` begin inside the pages of other columns.
PLAIN_KEY = {"use_dictionary": False, "max_rows_per_page": ROWS}


@pytest.fixture(autouse=True)
def pages_of_small_row_groups(spark: SparkSession) -> Any:
    with conf(spark, {"spark.limitPruning.pages.minBytes": "0"}):
        yield


def rows() -> list[dict[str, Any]]:
    return [
        {
            "id": i,
            "key": f"{i:08d}",
            "word": f"word-{'x' * (i % 40)}-{i}",
            "kind": ["red", "green", "blue"][i * 3 // ROWS],
            "some": None if i % 5 == 0 else i / 4,
            "list": None if i % 11 == 0 else list(range(i % 4)),
            "point": None if i % 13 == 0 else {"x": i, "tags": [f"t{i}"] * (i % 3)},
            "map": [(f"k{i}", i)] if i % 2 else [],
        }
        for i in range(ROWS)
    ]


SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("key", pa.string()),
        ("word", pa.string()),
        ("kind", pa.string()),
        ("some", pa.float64()),
        ("list", pa.list_(pa.int32())),
        ("point", pa.struct([("x", pa.int32()), ("tags", pa.list_(pa.string()))])),
        ("map", pa.map_(pa.string(), pa.int64())),
    ]
)


def write(path: Path, **options: Any) -> Path:
    settings: dict[str, Any] = {**SMALL_PAGES, **options}
    pq.write_table(pa.Table.from_pylist(rows(), SCHEMA), path, **settings)
    return path


EXPECTED = [{**row, "map": dict(row["map"])} for row in rows()]


def check(df: DataFrame, wanted: range, limit: int) -> limit_pruning.LimitReport:
    """Hold the rows to those that were written; they have their index in the file."""
    found = [row.asDict(recursive=True) for row in df.collect()]
    assert len(found) == limit
    for row in found:
        index = row.pop("row_index")
        assert index in wanted
        assert row == EXPECTED[index]
    report = limit_pruning.report(df).only
    assert report.covered, report
    return report


QUERY = "SELECT *, _metadata.row_index FROM parquet.`{}` {} LIMIT {}"


@pytest.mark.parametrize("vectorized", ["true", "false"])
@pytest.mark.parametrize(
    "options",
    [
        *({"compression": codec} for codec in ("snappy", "gzip", "zstd", "lz4")),
        {"data_page_version": "2.0"},
        {"use_dictionary": False},
        {"use_dictionary": False, "compression": "none"},
        {**PLAIN_KEY, "column_encoding": {"id": "DELTA_BINARY_PACKED"}},
        {**PLAIN_KEY, "column_encoding": {"word": "DELTA_LENGTH_BYTE_ARRAY"}},
        {**PLAIN_KEY, "column_encoding": {"word": "DELTA_BYTE_ARRAY"}},
        {"row_group_size": 700},
        {"dictionary_pagesize_limit": 300},
    ],
    ids=str,
)
def test_rows_are_those_that_were_written(
    spark: SparkSession, tmp_path: Path, options: dict[str, Any], vectorized: str
) -> None:
    path = write(tmp_path / "f.parquet", **options)
    # All deltas between values of `id` are equal, and one page holds them all.
    predicates = [BY_KEY] if "id" in options.get("column_encoding", {}) else [BY_ID, BY_KEY]
    # The row-based reader has no batches.
    for batch in ("4096", "13") if vectorized == "true" else ("4096",):
        with conf(spark, {VECTORIZED: vectorized, BATCH: batch}):
            cut = check(spark.sql(QUERY.format(path, "", 1500)), range(1500), 1500)
            # A batch of one row ends at each row that is skipped.
            for where, limit in itertools.product(predicates, (1, 400)):
                part = spark.sql(QUERY.format(path, where, limit))
                report = check(part, range(1011, 1900), limit)
    assert cut.bytes.read == cut.bytes.to_read
    assert (cut.pages.not_skipped_reason is None) == (vectorized == "true")
    assert report.rows.ranges
    assert report.rows.cut
    assert (report.pages.skipped or 0) > 0 or vectorized == "false"


def test_spark_written_pages(spark: SparkSession, tmp_path: Path) -> None:
    source = write(tmp_path / "source.parquet")
    pages_by_bytes = {"parquet.page.size": "512", "parquet.page.size.row.check.min": "10"}
    pages_by_rows = {"parquet.page.row.count.limit": "50"}
    for version, pages in itertools.product(
        ("PARQUET_1_0", "PARQUET_2_0"), (pages_by_rows, pages_by_bytes)
    ):
        path = tmp_path / version / next(iter(pages))
        with conf(spark, {ENABLED: "false"}):
            (
                spark.read.parquet(str(source))
                .coalesce(1)
                .write.options(**pages)
                .option("parquet.enable.dictionary#key", "false")
                .option("parquet.writer.version", version)
                .parquet(str(path))
            )
        check(spark.sql(QUERY.format(path, "", 777)), range(777), 777)
        report = check(
            spark.sql(QUERY.format(path, "WHERE word >= 'word-' AND id BETWEEN 500 AND 999", 350)),
            range(500, 1000),
            350,
        )
        assert report.rows.to_read == 350
        for limit in (1, 200):
            by_key = "WHERE key BETWEEN '00000507' AND '00000999'"
            check(spark.sql(QUERY.format(path, by_key, limit)), range(507, 1000), limit)
        assert (report.pages.skipped or 0) > 100


def test_columns_that_are_partitions_missing_or_read_alone(
    spark: SparkSession, tmp_path: Path
) -> None:
    for day in (1, 2):
        (tmp_path / f"day={day}").mkdir()
        write(tmp_path / f"day={day}" / "f.parquet")
    schema = "id LONG, later STRING, point STRUCT<x: INT, y: INT>, day INT"
    spark.read.schema(schema).parquet(str(tmp_path)).createOrReplaceTempView("t")
    df = spark.sql("SELECT * FROM t WHERE day = 2 AND id >= 2000 LIMIT 40")
    found = [row.asDict(recursive=True) for row in df.collect()]
    assert len(found) == 40
    assert all(row["day"] == 2 and row["later"] is None and row["id"] >= 2000 for row in found)
    assert all((row["point"] or {"x": row["id"]})["x"] == row["id"] for row in found)
    assert any(row["point"] for row in found), "else the line above says nothing"
    assert limit_pruning.report(df).only.covered
    alone = spark.sql("SELECT id FROM t WHERE day = 1 AND id >= 2000 LIMIT 40")
    ids = [row.id for row in alone.collect()]
    assert len(ids) == 40
    assert min(ids) >= 2000
    one, all_columns = (limit_pruning.report(d).only.bytes.read or 0 for d in (alone, df))
    assert 0 < one < all_columns
    assert spark.sql("SELECT count(*) FROM (SELECT 1 FROM t WHERE id > 50 LIMIT 77)").first() == (
        77,
    )


def test_without_an_index_row_groups_are_read_whole(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path / "f.parquet", write_page_index=False)
    report = check(spark.sql(QUERY.format(path, "", 10)), range(10), 10)
    assert (report.rows.to_read, report.rows.cut, report.pages.skipped) == (ROWS, 0, 0)
    undecided = spark.sql(QUERY.format(path, "WHERE id > 1000", 10))
    assert limit_pruning.report(undecided).only.reason is not None
    assert undecided.count() == 10


def test_small_row_groups_are_not_worth_a_look_at_their_pages(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = write(tmp_path / "f.parquet")
    size = path.stat().st_size
    for least, is_whole in ((size, True), (size // 4, False)):
        with conf(spark, {"spark.limitPruning.pages.minBytes": str(least)}):
            report = limit_pruning.report(spark.sql(QUERY.format(path, "", 10))).only
        assert (report.rows.cut == 0) == is_whole


def test_explain_and_the_ui_tell_ranges_and_pages(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path / "f.parquet")
    df = spark.sql(f"SELECT id FROM parquet.`{path}` WHERE id >= 1000 AND id < 1500 LIMIT 300")
    df.collect()
    report = limit_pruning.report(df).only
    plan = _plan(df)
    for part in (
        "RowRanges: 1",
        "RowsCut: 2700",
        f"PagesSkipped: {report.pages.skipped}",
        "Rows: 300",
    ):
        assert part in plan
    assert f"pages skipped: {report.pages.skipped}" in str(report)


def test_the_row_based_reader_says_that_it_skips_no_pages(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = write(tmp_path / "f.parquet")
    with conf(spark, {VECTORIZED: "false"}):
        df = spark.sql(f"SELECT id FROM parquet.`{path}` LIMIT 3")
        report = limit_pruning.report(df).only
        assert report.pages.not_skipped_reason == "Spark's row-based reader reads whole row groups"
        assert f"PagesSkipped: 0, because {report.pages.not_skipped_reason}" in _plan(df)
        assert [row.id for row in df.collect()] == [0, 1, 2]


def _plan(df: DataFrame) -> str:
    return str(df._jdf.queryExecution().simpleString())


def test_a_large_limit_is_still_read_in_parallel(spark: SparkSession, tmp_path: Path) -> None:
    for i in range(4):
        write(tmp_path / f"{i}.parquet")
    settings = {
        "spark.sql.files.maxPartitionBytes": str(60_000),
        "spark.sql.files.openCostInBytes": "0",
    }
    query = f"SELECT * FROM parquet.`{tmp_path}` LIMIT "
    with conf(spark, settings):
        assert set(tasks_of_first_stages(spark, query + "10")) == {1}
        assert max(tasks_of_first_stages(spark, query + "11000")) > 1


def tasks_of_first_stages(spark: SparkSession, query: str) -> list[int]:
    """Run the query, and count the tasks of each job's first stage, which scans."""
    context = spark.sparkContext
    context.setJobGroup(query, query)
    try:
        spark.sql(query).write.format("noop").mode("overwrite").save()
    finally:
        context.setJobGroup("other queries", "")
    tracker = context.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in sorted(tracker.getJobIdsForGroup(query))]
    stages = [tracker.getStageInfo(min(job.stageIds)) for job in jobs if job]
    return [stage.numTasks for stage in stages if stage]
