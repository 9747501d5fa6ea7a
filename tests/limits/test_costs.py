"""What a LIMIT costs: bytes, row groups, jobs and tasks. Time is measured by `make bench` alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from support.costs import Counts, counts
from support.runs import ENABLED, conf

FILES = 6
GROUPS = 2
ROWS = 40_000
TEXT_BYTES = 64
PAGE_BYTES = 128 * 1024
FILE_BYTES = GROUPS * ROWS * (TEXT_BYTES + 16)

Action = Callable[[DataFrame], Any]


@pytest.fixture(scope="module")
def events(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Six files of two row groups of some twenty pages a column, in the order of ``id``."""
    folder = tmp_path_factory.mktemp("events")
    for part in range(FILES):
        with pq.ParquetWriter(
            folder / f"part-{part}.parquet",
            pa.schema([("id", pa.int64()), ("other", pa.int64()), ("text", pa.string())]),
            compression="none",
            use_dictionary=False,
            data_page_size=PAGE_BYTES,
            write_page_index=True,
        ) as writer:
            for group in range(GROUPS):
                start = (part * GROUPS + group) * ROWS
                ids = range(start, start + ROWS)
                texts = [str(number).zfill(TEXT_BYTES) for number in ids]
                others = [number * 7919 % 1000 for number in ids]
                writer.write_table(
                    pa.table({"id": list(ids), "other": others, "text": texts}),
                    row_group_size=ROWS,
                )
    spark.read.parquet(str(folder)).createOrReplaceTempView("costly_events")
    return "costly_events"


def cost(spark: SparkSession, action: Callable[[], Any]) -> Counts:
    """Return what the action costs when it is done for the second time."""
    action()  # loads classes, which counts as reading
    before = counts(spark)
    action()
    return counts(spark) - before


COLLECT: Action = lambda df: df.collect()  # noqa: E731 (two of a kind)
TO_PANDAS: Action = lambda df: df.toPandas()  # noqa: E731 (two of a kind)


@pytest.mark.parametrize("action", [COLLECT, TO_PANDAS], ids=["collect", "toPandas"])
@pytest.mark.parametrize(
    "where", ["", "WHERE id >= 250000"], ids=["no_predicate", "clustered_predicate"]
)
def test_a_covered_limit_takes_one_job_one_task_and_a_few_pages(
    spark: SparkSession, events: str, where: str, action: Action
) -> None:
    query = f"SELECT * FROM {events} {where} LIMIT 100"
    spent = cost(spark, lambda: action(spark.sql(query)))
    assert (spent.jobs, spent.tasks) == (1, 1)
    # Three columns' first page or two, and footers, of 12 row groups of 3 MB.
    assert spent.process_bytes < 1_500_000


@pytest.mark.usefixtures("planned_at_root")
def test_a_covered_limit_decodes_its_rows_alone(spark: SparkSession, events: str) -> None:
    df = spark.sql(f"SELECT * FROM {events} LIMIT 100")
    assert len(df.collect()) == 100
    limit = limit_pruning.report(df).only
    assert (limit.row_groups.read, limit.rows.read) == (1, 100)
    assert limit.bytes.read is not None
    assert limit.bytes.read < 3 * 2 * PAGE_BYTES
    assert limit.pages.skipped is not None
    assert limit.pages.skipped > 20


def test_plain_spark_reads_every_file_for_a_write(spark: SparkSession, events: str) -> None:
    """Without it the tests above would show nothing."""
    query = f"SELECT * FROM {events} LIMIT 100"
    with conf(spark, {ENABLED: "false", "spark.sql.files.maxPartitionBytes": str(FILE_BYTES)}):
        spent = cost(spark, lambda: spark.sql(query).write.format("noop").mode("overwrite").save())
    assert spent.tasks >= FILES
    if Path("/proc/self/io").exists():
        assert spent.process_bytes > FILES * FILE_BYTES // GROUPS


def test_a_covered_write_takes_no_task_for_files_that_are_not_read(
    spark: SparkSession, events: str, tmp_path: Path
) -> None:
    target = str(tmp_path / "out")
    query = f"SELECT * FROM {events} LIMIT 100"
    spent = cost(spark, lambda: spark.sql(query).write.mode("overwrite").parquet(target))
    assert spent.tasks <= 2
    assert spent.process_bytes < 1_500_000


def plan(spark: SparkSession, query: str) -> DataFrame:
    """Plan the query, and do not run it."""
    df = spark.sql(query)
    untyped: Any = df
    untyped._jdf.queryExecution().executedPlan()
    return df


def forget(spark: SparkSession, table: str) -> None:
    """Make planning read again what it knows of files from earlier queries."""
    spark.sql(f"REFRESH TABLE {table}")


def test_planning_a_query_without_limit_touches_no_file(spark: SparkSession, events: str) -> None:
    def unlimited() -> None:
        forget(spark, events)
        plan(spark, f"SELECT * FROM {events} WHERE id >= 250000")

    def limited() -> None:
        forget(spark, events)
        plan(spark, f"SELECT * FROM {events} WHERE id >= 250000 LIMIT 9")

    without = cost(spark, unlimited)
    assert without == Counts(0, 0, 0, without.process_bytes)
    assert cost(spark, limited).stream_bytes > 0


@pytest.mark.usefixtures("statistics_alone")
def test_footers_that_planning_has_read_are_not_read_again(
    spark: SparkSession, events: str
) -> None:
    query = f"SELECT * FROM {events} WHERE other = 17 AND id >= 250000 LIMIT 9"
    forget(spark, events)
    first = limit_pruning.report(plan(spark, query)).only
    assert first.files.footers_cached == 0
    assert first.files.inspected
    before = counts(spark)
    spark.sql(f"EXPLAIN {query}").collect()
    again = limit_pruning.report(plan(spark, query)).only
    spent = counts(spark) - before
    assert again.files.footers_cached == again.files.inspected == first.files.inspected
    assert spent.stream_bytes == 0
    assert f"{again.files.inspected} inspected ({again.files.footers_cached} cached)" in str(again)


def test_other_parts_of_files_are_read_for_each_query(spark: SparkSession, events: str) -> None:
    """A file can be rewritten in place with the same footer, and other pages and dictionaries."""
    query = f"SELECT * FROM {events} WHERE id >= 250000 LIMIT 9"
    assert limit_pruning.report(plan(spark, query)).only.covered
    first, second = cost(spark, lambda: plan(spark, query)), cost(spark, lambda: plan(spark, query))
    assert first.stream_bytes == second.stream_bytes > 0


def test_what_proved_nothing_is_not_read_again(spark: SparkSession, events: str) -> None:
    query = f"SELECT * FROM {events} WHERE other = 17 AND id >= 250000 LIMIT 9"
    forget(spark, events)
    assert not limit_pruning.report(plan(spark, query)).only.covered
    again = cost(spark, lambda: plan(spark, query))
    assert again == Counts(0, 0, 0, again.process_bytes)


def test_a_predicate_that_cannot_be_proved_costs_four_footers(
    spark: SparkSession, events: str
) -> None:
    query = f"SELECT * FROM {events} WHERE other = 17 LIMIT 9"

    def planned_anew() -> None:
        forget(spark, events)
        plan(spark, query)

    spent = cost(spark, planned_anew)
    limit = limit_pruning.report(plan(spark, query)).only
    assert limit.files.inspected == 4
    assert limit.reason is not None
    # Of each file, the last 64 KiB are read: the footer, the page index, and a dictionary.
    assert 0 < spent.stream_bytes <= 4 * 64 * 1024


def test_a_max_that_needs_more_footers_than_planning_may_read_costs_none(
    spark: SparkSession, events: str
) -> None:
    def planned_anew() -> None:
        forget(spark, events)
        plan(spark, f"SELECT max(other) FROM {events}")

    assert cost(spark, planned_anew).stream_bytes > 0
    with conf(spark, {"spark.limitPruning.planning.maxFiles": "2"}):
        spent = cost(spark, planned_anew)
    assert spent == Counts(0, 0, 0, spent.process_bytes)
