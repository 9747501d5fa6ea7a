"""What changes between planning and running: tables, files, settings."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from support.runs import conf
from support.scan_tables import hold_frame, is_pruned, partitioned, physical
from support.tables import write

Rows = list[tuple[int, int]]


def planned(spark: SparkSession, query: str) -> DataFrame:
    """Plan a query, and do not run it."""
    df = spark.sql(query)
    assert is_pruned(df), physical(df)
    return df


def answer(df: DataFrame) -> set[tuple[int, ...]] | str:
    """Return the rows, or the message of the error."""
    try:
        return {tuple(row) for row in df.collect()}
    except (Py4JJavaError, PySparkException) as error:
        return str(error)


def is_clear(message: str) -> bool:
    return "REFRESH TABLE" in message and "NoSuchElement" not in message


OVERWRITE = "INSERT OVERWRITE changing SELECT id + 1000, 0L FROM range(50)"
CHANGES: dict[str, tuple[str, ...]] = {
    "append": ("INSERT INTO changing SELECT id + 1000, 0L FROM range(50)",),
    "overwrite": (OVERWRITE,),
    "overwrite and refresh": (OVERWRITE, "REFRESH TABLE changing"),
    "drop a partition": ("ALTER TABLE changing DROP PARTITION (p = 0)",),
    "truncate": ("TRUNCATE TABLE changing",),
    "nothing but a refresh": ("REFRESH TABLE changing",),
}
QUERIES = [
    "SELECT * FROM changing LIMIT 3",
    "SELECT * FROM changing WHERE id >= 20 LIMIT 30",
    "SELECT * FROM changing WHERE p = 0 LIMIT 1000",
    "SELECT * FROM changing WHERE id % 7 = 1 AND id > 100 LIMIT 5",
    "SELECT * FROM changing ORDER BY id DESC LIMIT 4",
]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("is_partitioned", [True, False])
def test_a_table_that_changes_after_planning(
    spark: SparkSession, change: str, query: str, is_partitioned: bool
) -> None:
    """The rows are those of one state of the table, or the error says what to do."""
    if "PARTITION" in CHANGES[change][0] and not is_partitioned:
        pytest.skip("there is no partition to drop")
    by = " PARTITIONED BY (p)" if is_partitioned else ""
    spark.sql("DROP TABLE IF EXISTS changing")
    spark.sql(f"CREATE TABLE changing (id BIGINT, p BIGINT) USING parquet{by}")
    try:
        spark.sql("INSERT INTO changing SELECT id, id % 2 FROM range(100)")
        spark.sql("INSERT INTO changing SELECT id, id % 2 FROM range(100, 200)")
        whole = query[: query.index(" LIMIT")]
        wanted = int(query.split()[-1])
        before = {tuple(row) for row in spark.sql(whole).collect()}
        df = spark.sql(query)
        physical(df)
        for statement in CHANGES[change]:
            spark.sql(statement)
        after = {tuple(row) for row in spark.sql(whole).collect()}
        found = answer(df)
        if isinstance(found, str):
            assert is_clear(found), found
        else:
            states = [state for state in (before, after) if found <= state]
            assert any(len(found) == min(wanted, len(state)) for state in states), found
            if "ORDER BY" in query:
                assert any(sorted(found) == sorted(state)[-wanted:] for state in states)
        assert not isinstance(answer(spark.sql(query)), str), "a new plan finds what there is now"
    finally:
        spark.sql("DROP TABLE changing")


PLAIN = {"compression": "none", "use_dictionary": False, "column_encoding": "PLAIN"}
ONE_PAGE_EACH = {"max_rows_per_page": 50, "write_batch_size": 50, "write_page_index": True}
PAGES = {**PLAIN, **ONE_PAGE_EACH}
NUMBERS = pa.schema([("id", pa.int64()), ("c", pa.int64())])


def pages(path: Path, order: list[int]) -> None:
    """Write a row group whose pages hold 50 equal values each, in this order; 9 is the last."""
    values = [value for value in order for _ in range(50)]
    write(path, [{"id": list(range(len(values))), "c": values}], NUMBERS, **PAGES)


def dictionary(path: Path, words: list[str]) -> None:
    """Write a row group of these words, which are all of one length."""
    schema = pa.schema([("id", pa.int64()), ("s", pa.string())])
    texts = [words[n % len(words)] for n in range(300)]
    options = {"compression": "none", "use_dictionary": ["s"]}
    write(path, [{"id": list(range(300)), "s": texts}], schema, **options)


def in_place(path: Path, rewrite: Callable[[Path], None]) -> None:
    """Rewrite a file so that its length, time and footer stay."""
    before, footer = path.stat(), path.read_bytes()
    rewrite(path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    size = int.from_bytes(footer[-8:-4], "little") + 8
    assert path.read_bytes()[-size:] == footer[-size:], "the footer is another one"
    assert path.read_bytes() != footer


IN_PLACE: dict[str, tuple[Callable[[Path], None], Callable[[Path], None], str]] = {
    "pages permuted": (
        lambda path: pages(path, [0, 5, 7, 9]),
        lambda path: pages(path, [0, 7, 5, 9]),
        "c = 7",
    ),
    "a word of a dictionary changed": (
        lambda path: dictionary(path, ["aa", "bb", "bd", "cc"]),
        lambda path: dictionary(path, ["aa", "bx", "bd", "cc"]),
        "s LIKE '%b' OR s LIKE '%d' OR s IN ('aa', 'cc')",
    ),
}


@pytest.mark.parametrize("case", IN_PLACE)
@pytest.mark.parametrize("when", ["between queries", "between planning and running"])
def test_a_file_rewritten_in_place_with_the_same_footer(
    spark: SparkSession, tmp_path: Path, case: str, when: str
) -> None:
    write_old, write_new, predicate = IN_PLACE[case]
    path = tmp_path / "t.parquet"
    write_old(path)
    spark.read.parquet(str(path)).createOrReplaceTempView("rewritten")
    query = f"SELECT * FROM rewritten WHERE {predicate}"
    with conf(spark, {"spark.limitPruning.pages.minBytes": "0"}):
        first = spark.sql(f"{query} LIMIT 40")
        assert limit_pruning.report(first).only.covered, limit_pruning.report(first)
        if when == "between queries":
            hold_frame(spark, first, query, 40)
            in_place(path, write_new)
        else:
            in_place(path, write_new)
            message = answer(first)
            assert isinstance(message, str)
            assert is_clear(message), message
        for _ in range(2):
            hold_frame(spark, spark.sql(f"{query} LIMIT 40"), query, 40)


def test_tolerance_switched_on(spark: SparkSession, tmp_path: Path) -> None:
    """A changed file is an error, though ``ignoreCorruptFiles`` came on after planning."""
    for number in range(2):
        pages(tmp_path / "t" / f"{number}.parquet", [1, 2, 3])
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("tolerated")
    df = planned(spark, "SELECT * FROM tolerated WHERE c >= 2 LIMIT 90")
    (tmp_path / "t" / "0.parquet").write_bytes(b"no Parquet" * 20)
    switched = {
        "spark.sql.files.ignoreCorruptFiles": "true",
        "spark.sql.files.ignoreMissingFiles": "true",
    }
    with conf(spark, switched):
        message = answer(df)
    assert isinstance(message, str)
    assert "is not the file that the LIMIT was planned for" in message


def test_tolerance(spark: SparkSession, tmp_path: Path) -> None:
    for number in range(2):
        pages(tmp_path / "t" / f"{number}.parquet", [1, 2, 3])
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("tolerated")
    for setting in ("Corrupt", "Missing"):
        with conf(spark, {f"spark.sql.files.ignore{setting}Files": "true"}):
            df = spark.sql("SELECT * FROM tolerated WHERE c >= 2 LIMIT 90")
            assert len(df.collect()) == 90
            limit = limit_pruning.report(df).only
        assert limit.covered
        assert not limit.row_filter_skipped
        assert limit.files.reserve is not None


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("spark.sql.caseSensitive", "true"),
        ("spark.sql.parquet.datetimeRebaseModeInRead", "LEGACY"),
    ],
)
def test_settings_changed_after_planning(
    spark: SparkSession, tmp_path: Path, setting: str, value: str
) -> None:
    """What decides how columns are found and read must be what it was when rows were chosen."""
    partitioned(spark, tmp_path / "t").createOrReplaceTempView("t")
    df = planned(spark, "SELECT * FROM t WHERE ID >= 20 LIMIT 5")
    with conf(spark, {setting: value}):
        message = answer(df)
        assert isinstance(message, str)
        assert setting in message
        assert "Create the DataFrame again" in message
        assert len(spark.sql("SELECT * FROM t WHERE id >= 20 LIMIT 5").collect()) == 5


@pytest.mark.usefixtures("planned_at_root")
def test_nothing_is_listed_when_a_query_runs(spark: SparkSession, tmp_path: Path) -> None:
    """A partition that appears after planning, and cannot be read, is not even noticed."""
    partitioned(spark, tmp_path / "t")
    spark.sql(
        "CREATE TABLE listed_once (id BIGINT, p BIGINT) USING parquet PARTITIONED BY (p) "
        f"LOCATION '{(tmp_path / 't').as_uri()}'"
    )
    try:
        spark.sql("MSCK REPAIR TABLE listed_once")
        df = planned(spark, "SELECT * FROM listed_once LIMIT 70")
        spark.sql("ALTER TABLE listed_once ADD PARTITION (p = 9)")
        spark.sql("ALTER TABLE listed_once PARTITION (p = 9) SET LOCATION 'nosuch://host/p'")
        assert len(df.collect()) == 70
    finally:
        spark.sql("DROP TABLE listed_once")
