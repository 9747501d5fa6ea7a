"""INT96 timestamps, Spark's default, and doubles: dictionaries give what statistics do not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import limit_pruning
from limit_pruning import PruningReport
from support.runs import conf, hold_sql, on_off
from support.sparks import EXPLAINS_REASONS

INT96 = {"spark.sql.parquet.outputTimestampType": "INT96"}
CONVERSION = "spark.sql.parquet.int96TimestampConversion"
DAYS, ROWS_PER_DAY = 8, 1000

# A second is taken twice, so that dictionaries pay.
EVENTS = """
SELECT id, day, TIMESTAMP_SECONDS(1704067200 + day * 86400 + (id DIV 2) * 60 % 86400) AS ts,
  CAST(day * 1000 + id % 500 AS DOUBLE) AS amount, {null} AS seen
FROM (SELECT id % {rows} AS id, CAST(id DIV {rows} AS INT) AS day FROM range(0, {all}, 1, 1))
"""


def events(
    spark: SparkSession,
    folder: Path,
    null: str = "TIMESTAMP_SECONDS(id DIV 2 + day * 86400)",
    options: dict[str, str] | None = None,
) -> None:
    """Write the view ``events``: a file for each day, in random order of names."""
    query = EVENTS.format(rows=ROWS_PER_DAY, all=DAYS * ROWS_PER_DAY, null=null)
    with conf(spark, INT96):
        for day in range(DAYS):
            frame = spark.sql(query).where(f"day = {day}").coalesce(1)
            frame.write.mode("append").options(**(options or {})).parquet(
                str(folder / f"d={day * 3 % 8}")
            )
    spark.read.parquet(str(folder)).createOrReplaceTempView("events")


@pytest.fixture(scope="module")
def written(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a table without nulls."""
    folder = tmp_path_factory.mktemp("events")
    events(spark, folder)
    return folder


@pytest.fixture
def table(spark: SparkSession, written: Path) -> None:
    """The view ``events`` of that table."""
    spark.read.parquet(str(written)).createOrReplaceTempView("events")


def first_rows(spark: SparkSession, query: str) -> PruningReport:
    """Hold the rows to those without pruning, and return the report."""
    runs = on_off(spark, query)
    assert runs.on == runs.off
    return runs.report


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    ("predicate", "rows"),
    [
        ("ts >= TIMESTAMP'2024-01-07'", 2000),
        ("ts < TIMESTAMP'2024-01-02'", 1000),
        ("ts BETWEEN TIMESTAMP'2024-01-03' AND TIMESTAMP'2024-01-04 23:59:59.999'", 2000),
        ("CAST(ts AS DATE) = DATE'2024-01-05'", 1000),
        ("date_trunc('DAY', ts) <> TIMESTAMP'2024-01-05'", 7000),
    ],
)
def test_a_predicate_on_int96_is_proved(spark: SparkSession, predicate: str, rows: int) -> None:
    (limit,) = hold_sql(spark, f"SELECT id, ts FROM events WHERE {predicate}", rows)
    assert limit.covered
    assert limit.row_groups.fully_matched == rows // ROWS_PER_DAY


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("batches", ["true", "false"])
@pytest.mark.parametrize("key", ["ts", "ts DESC", "ts DESC NULLS FIRST", "CAST(ts AS DATE) DESC"])
def test_the_first_rows_by_int96(spark: SparkSession, key: str, batches: str) -> None:
    with conf(spark, {"spark.sql.parquet.enableVectorizedReader": batches}):
        by = key.split(" ")[0] if key.startswith("ts") else "CAST(ts AS DATE)"
        (limit,) = first_rows(spark, f"SELECT {by} FROM events ORDER BY {key} LIMIT 30")
    assert limit.covered
    assert limit.row_groups.scanned == 1


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("key", ["amount", "amount DESC", "amount + 1", "amount DESC NULLS FIRST"])
def test_the_first_rows_by_a_double_without_nan(spark: SparkSession, key: str) -> None:
    (limit,) = first_rows(spark, f"SELECT amount FROM events ORDER BY {key} LIMIT 5")
    assert limit.covered
    assert limit.row_groups.scanned == 1


@pytest.mark.usefixtures("table")
def test_a_predicate_and_the_key_on_one_column(spark: SparkSession) -> None:
    query = "SELECT ts FROM events WHERE ts < TIMESTAMP'2024-01-05' ORDER BY ts DESC LIMIT 10"
    (limit,) = first_rows(spark, query)
    assert limit.covered
    assert limit.row_groups.scanned == 1
    query = "SELECT ts FROM events WHERE ts < TIMESTAMP'2024-01-05 12:00' ORDER BY ts LIMIT 10"
    (limit,) = first_rows(spark, query)
    assert limit.row_groups.scanned == 1


NAN = "CASE WHEN {c} THEN CAST('NaN' AS DOUBLE) ELSE CAST(day * 1000 + id % 500 AS DOUBLE) END"


def test_nan_is_found_in_a_dictionary(spark: SparkSession, tmp_path: Path) -> None:
    events(spark, tmp_path, null=NAN.format(c="day = 2 AND id >= 990"))
    for key in ("seen", "seen DESC", "seen DESC NULLS FIRST", "-seen"):
        query = f"SELECT CAST(seen AS STRING) AS s FROM events ORDER BY {key} LIMIT 15"
        first_rows(spark, query)
    with conf(spark, {"spark.limitPruning.pages.minBytes": "0"}):  # one is read in vain
        (limit,) = hold_sql(spark, "SELECT id FROM events WHERE seen < 1e9", 7000)
    assert limit.row_groups.fully_matched == DAYS - 1


@pytest.mark.parametrize("condition", ["day = 3", "day = 3 AND id % 100 = 0", "id % 7 = 0"])
def test_nulls_beside_a_dictionary(spark: SparkSession, tmp_path: Path, condition: str) -> None:
    seen = f"CASE WHEN {condition} THEN NULL ELSE TIMESTAMP_SECONDS(day * 86400 + id DIV 2) END"
    events(spark, tmp_path, null=seen)
    for key in ("seen", "seen DESC", "seen NULLS LAST", "seen DESC NULLS FIRST", "seen DESC, id"):
        for limit in (5, 1200):
            first_rows(spark, f"SELECT seen FROM events ORDER BY {key} LIMIT {limit}")
    hold_sql(spark, "SELECT id FROM events WHERE seen >= TIMESTAMP_SECONDS(259200)", 5, 4000)
    hold_sql(spark, "SELECT id FROM events WHERE seen IS NULL", 5, 4000)


def test_pages_without_a_dictionary_prove_nothing(spark: SparkSession, tmp_path: Path) -> None:
    plain = {"parquet.enable.dictionary": "false"}
    fallen_back = {"parquet.dictionary.page.size": "600", "parquet.page.row.count.limit": "100"}
    for folder, options in (("none", plain), ("some", fallen_back)):
        events(spark, tmp_path / folder, options=options)
        (limit,) = first_rows(spark, "SELECT ts FROM events ORDER BY ts DESC LIMIT 5")
        assert not limit.covered
        (limit,) = hold_sql(spark, "SELECT id FROM events WHERE ts >= TIMESTAMP'2024-01-07'", 500)
        assert not limit.covered


def test_the_reason_names_an_exceeded_dictionary(spark: SparkSession, tmp_path: Path) -> None:
    small = {"parquet.dictionary.page.size": "600", "parquet.page.row.count.limit": "100"}
    plain = {"parquet.enable.dictionary": "false"}
    for folder, options in (("exceeded", small), ("none", plain)):
        events(spark, tmp_path / folder, "CAST(id DIV 2 AS DOUBLE)", options)
        for query, column in (
            ("SELECT id FROM events WHERE ts >= TIMESTAMP'2024-01-07' LIMIT 500", "ts"),
            ("SELECT ts FROM events ORDER BY ts DESC LIMIT 5", "ts"),
            ("SELECT id FROM events ORDER BY seen DESC LIMIT 5", "seen"),
            ("SELECT DISTINCT ts FROM events LIMIT 50", "ts"),
        ):
            frame = spark.sql(query)
            reason = limit_pruning.report(frame).only.reason
            assert reason is not None
            exceeded = f"column {column} has more values than its dictionary could hold"
            assert (exceeded in reason.message) == (folder == "exceeded"), reason.message
            assert ("parquet.dictionary.page.size" in reason.message) == (folder == "exceeded")
            explained = str(spark.sql(f"EXPLAIN {query}").collect()[0][0])
            assert not EXPLAINS_REASONS or reason.message in explained


ANCIENT = ["0001-01-01", "1582-10-04", "1582-10-15", "1899-12-31 23:59:59", "1900-01-02"]


@pytest.mark.parametrize("mode", ["LEGACY", "CORRECTED"])
@pytest.mark.parametrize("zone", ["UTC", "America/Los_Angeles"])
def test_instants_before_1900_are_not_believed(
    spark: SparkSession, tmp_path: Path, mode: str, zone: str
) -> None:
    write = {"spark.sql.parquet.int96RebaseModeInWrite": mode, "spark.sql.session.timeZone": zone}
    with conf(spark, INT96 | write):
        for number, day in enumerate(ANCIENT):
            rows = f"SELECT {number} AS id, TIMESTAMP'{day}' AS ts FROM range(20)"
            spark.sql(rows).coalesce(1).write.mode("append").parquet(str(tmp_path))
    spark.read.parquet(str(tmp_path)).createOrReplaceTempView("events")
    for read in ("LEGACY", "CORRECTED", "EXCEPTION"):
        settings = {"spark.sql.parquet.int96RebaseModeInRead": read}
        with conf(spark, settings | {"spark.sql.session.timeZone": zone}):
            for key in ("ts", "ts DESC"):
                first_rows(
                    spark, f"SELECT CAST(ts AS STRING) s FROM events ORDER BY {key} LIMIT 50"
                )
            for day in ANCIENT:
                query = f"SELECT id FROM events WHERE ts <= TIMESTAMP'{day}'"
                hold_sql(spark, query, 20, 60)


@pytest.mark.usefixtures("table")
def test_timestamps_that_the_reader_shifts_are_not_believed(spark: SparkSession) -> None:
    zone = {"spark.sql.session.timeZone": "Asia/Tokyo"}
    with conf(spark, {CONVERSION: "true"} | zone):
        (limit,) = first_rows(spark, "SELECT ts FROM events ORDER BY ts DESC LIMIT 5")
        assert not limit.covered
        predicate = "ts >= TIMESTAMP'2024-01-07'"
        (limit,) = hold_sql(spark, f"SELECT id FROM events WHERE {predicate}", 500)
        assert not limit.covered


@pytest.mark.usefixtures("table")
def test_the_conversion_is_switched_on_after_planning(spark: SparkSession) -> None:
    df = spark.sql("SELECT id FROM events WHERE ts >= TIMESTAMP'2024-01-07' LIMIT 5")
    assert limit_pruning.report(df).only.covered
    with (
        conf(spark, {CONVERSION: "true"}),
        pytest.raises((PySparkException, Py4JJavaError), match="int96TimestampConversion"),
    ):
        df.collect()


@pytest.mark.usefixtures("table")
def test_dictionaries_of_the_key_are_not_read_without_bytes(spark: SparkSession) -> None:
    with conf(spark, {"spark.limitPruning.planning.maxBytes": "0"}):
        (limit,) = first_rows(spark, "SELECT ts FROM events ORDER BY ts DESC LIMIT 5")
        assert not limit.covered


def test_a_changed_dictionary_is_found(spark: SparkSession, tmp_path: Path) -> None:
    """A file is overwritten with the same length and footer, but another dictionary."""
    events(spark, tmp_path)
    df = spark.sql("SELECT ts FROM events ORDER BY ts DESC LIMIT 5")
    assert limit_pruning.report(df).only.covered
    for file in sorted(tmp_path.rglob("*.parquet")):
        time = file.stat()
        _flip(file, _dictionaries(file))
        assert file.stat().st_size == time.st_size
    with pytest.raises((PySparkException, Py4JJavaError), match="changed"):
        df.collect()


def _dictionaries(file: Path) -> Sequence[int]:
    import pyarrow.parquet as pq

    group = pq.ParquetFile(file).metadata.row_group(0)
    return [group.column(i).dictionary_page_offset for i in range(group.num_columns)
            if group.column(i).path_in_schema == "ts"]  # fmt: skip


def _flip(file: Path, offsets: Sequence[int]) -> None:
    data = bytearray(file.read_bytes())
    for offset in offsets:
        data[offset + 40] ^= 1
    file.write_bytes(bytes(data))
