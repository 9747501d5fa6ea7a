"""What must hold for a LIMIT whose rows are chosen when the values of subqueries are known."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import udf

import limit_pruning
from support.runs import ENABLED, conf, outcome, planned
from support.scan_tables import EAGER_FILTERS, hold, hold_limits, physical, plain

ADAPTIVE = "spark.sql.adaptive.enabled"
NO_ARROW = {"spark.sql.execution.pythonUDF.arrow.enabled": "false"}
NEWEST = "p = (SELECT max(p) FROM t)"


@pytest.fixture(params=["true", "false"], ids=["adaptive", "static"], autouse=True)
def adaptive(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[None]:
    """Run each test with adaptive execution and without."""
    with conf(spark, {ADAPTIVE: request.param}):
        yield


def write(spark: SparkSession, path: Path, first: int = 0, mode: str = "overwrite") -> None:
    """Write 300 rows with ``id`` from `first` on, in three partitions of three files."""
    rows = spark.range(first, first + 300).selectExpr("id", "id % 5 v", f"(id - {first}) div 100 p")
    ordered = rows.coalesce(1).sortWithinPartitions("p", "id")
    ordered.write.mode(mode).option("maxRecordsPerFile", 40).partitionBy("p").parquet(str(path))


def read(spark: SparkSession, path: Path) -> None:
    spark.read.parquet(str(path)).createOrReplaceTempView("t")


@pytest.fixture(scope="module")
def files(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write what no test changes: ``t``, and ``x`` with the values 150 and null of ``v``."""
    path = tmp_path_factory.mktemp("subqueries")
    write(spark, path / "t")
    frame = spark.sql("SELECT * FROM VALUES (1, 150L), (2, NULL), (3, 151L) AS x(k, v)")
    frame.write.parquet(str(path / "x"))
    return path


@pytest.fixture
def t(spark: SparkSession, files: Path) -> None:
    """Register ``t`` and ``x``."""
    read(spark, files / "t")
    spark.read.parquet(str(files / "x")).createOrReplaceTempView("x")


@pytest.fixture
def own(spark: SparkSession, tmp_path: Path) -> Path:
    """Register a ``t`` that the test may change."""
    write(spark, tmp_path / "t")
    read(spark, tmp_path / "t")
    return tmp_path / "t"


def is_chosen(df: DataFrame) -> bool:
    """Tell whether the rows of the LIMIT are chosen, not those of a min or a max below."""
    return bool(re.search(r"Limit: (?!1,)\d+, Choice: LimitPrunedScan", physical(df)))


@pytest.mark.usefixtures("t")
def test_line_52_rows_are_chosen_by_the_values_that_the_filters_have(spark: SparkSession) -> None:
    """A subquery with a LIMIT may have another value in each run, so it must run once."""
    some = "(SELECT id FROM t WHERE v = 1 LIMIT 1)"
    for where in (
        f"id >= {some} - 300",
        f"p = {some} - {some} + 2",
        f"id >= {some} - 300 AND p = 1",
    ):
        with conf(spark, {"spark.sql.execution.reuseSubquery": "true"}):
            df = spark.sql(f"SELECT * FROM t WHERE {where} LIMIT 5")
            assert len(df.collect()) == 5
            assert is_chosen(df), physical(df)
        with conf(spark, {"spark.sql.execution.reuseSubquery": "false"}):
            df = spark.sql(f"SELECT * FROM t WHERE {where} LIMIT 5")
            assert len(df.collect()) == 5 or "p =" in where
            assert not is_chosen(df)
    # The setting that changes after the rule has run: the runs of the subquery may differ.
    df = spark.sql(f"SELECT * FROM t WHERE id >= {some} - 300 LIMIT 5")
    df._jdf.queryExecution().optimizedPlan()
    with conf(spark, {"spark.sql.execution.reuseSubquery": "false"}):
        assert len(df.collect()) == 5
        assert not is_chosen(df)


@pytest.mark.usefixtures("t")
@pytest.mark.parametrize(
    "where",
    [
        NEWEST,
        f"{NEWEST} AND id % 7 <> 3",
        "p = (SELECT max(p) FROM t) - 1 AND v = (SELECT max(v) FROM t)",
        "p + v = (SELECT max(p) FROM t) + 1",
        "id + p >= (SELECT max(v) FROM x)",
        "coalesce(p, 0) = (SELECT min(p) FROM t) AND id <> (SELECT v FROM x WHERE k = 1)",
        "(p = (SELECT max(p) FROM t) OR id = (SELECT v FROM x WHERE k = 1))",
    ],
)
def test_line_53_every_filter_is_evaluated_above_the_chosen_rows(
    spark: SparkSession, where: str
) -> None:
    few_files = {"spark.limitPruning.planning.maxFiles": "1"}
    for settings in ({}, few_files):
        with conf(spark, settings):
            hold_limits(spark, f"SELECT * FROM t WHERE {where}", (3, 60, 1000))
            hold(spark, f"SELECT * FROM t WHERE {where} ORDER BY id DESC", 4, ordered=True)
    df = spark.sql(f"SELECT * FROM t WHERE {where} LIMIT 3")
    above, _, _ = physical(planned(df)).partition("ChooseWhenRun")
    filters = " ".join(re.findall(r"Filter .*", above))
    assert "ubquery#" in filters or "ChooseWhenRun" not in physical(df)


@pytest.mark.usefixtures("t")
def test_line_54_a_filter_that_moves_or_comes_in_later(spark: SparkSession, tmp_path: Path) -> None:
    """Python UDFs leave the filter after the rule; runtime filters join it."""
    with conf(spark, NO_ARROW):
        is_even = udf(lambda value: value % 2 == 0, "boolean", useArrow=False)
        df = spark.sql(f"SELECT * FROM t WHERE {NEWEST}").where(is_even("id")).limit(5)
        rows = df.collect()
        assert len(rows) == 5
        assert all(row.p == 2 and row.id % 2 == 0 for row in rows)
        assert not is_chosen(df)
        is_rare = udf(lambda value: value % 50 == 3, "boolean", useArrow=False)
        rare = spark.sql(f"SELECT * FROM t WHERE {NEWEST}").where(is_rare("id")).limit(2)
        assert sorted(row.id for row in rare.collect()) == [203, 253]
        everything = spark.sql(f"SELECT * FROM t WHERE {NEWEST}").where(is_even("id")).limit(500)
        assert len(everything.collect()) == 50
    spark.range(1).selectExpr("2L AS k", "'a' AS a").write.parquet(str(tmp_path / "d"))
    spark.read.parquet(str(tmp_path / "d")).createOrReplaceTempView("d")
    with conf(spark, EAGER_FILTERS):
        hold(spark, f"SELECT t.id FROM t JOIN d ON p = k WHERE a = 'a' AND {NEWEST}", 5)
        below = f"(SELECT * FROM t WHERE {NEWEST} LIMIT 3) s LEFT JOIN d ON s.p = d.k"
        assert spark.sql(f"SELECT count(*) FROM {below}").collect() == [(3,)]
        assert spark.sql(f"SELECT count(k) FROM {below} WHERE a = 'a'").collect() == [(3,)]


@pytest.mark.usefixtures("t")
@pytest.mark.parametrize(
    "where",
    [
        "p = (SELECT max(p) FROM t WHERE id < 0)",
        "id >= (SELECT v FROM x WHERE k = 2)",
        "NOT (id >= (SELECT v FROM x WHERE k = 2))",
        "id <=> (SELECT v FROM x WHERE k = 2)",
        "(id >= (SELECT v FROM x WHERE k = 2) OR id = 7)",
        "(id >= (SELECT v FROM x WHERE k = 2)) IS NULL",
        "coalesce(id >= (SELECT v FROM x WHERE k = 2), id < 9)",
        "id >= (SELECT v FROM x WHERE k = 99)",
        "id IN (1, (SELECT v FROM x WHERE k = 2), 3)",
        "id NOT IN (1, (SELECT v FROM x WHERE k = 2), 3)",
    ],
)
def test_line_55_a_value_that_is_null(spark: SparkSession, where: str) -> None:
    hold_limits(spark, f"SELECT * FROM t WHERE {where}", (2, 400))
    hold(spark, f"SELECT * FROM t WHERE {where} ORDER BY id", 5, ordered=True)


@pytest.mark.usefixtures("t", "quiet")
@pytest.mark.parametrize(
    "where",
    [
        "id >= (SELECT v FROM x)",
        "id >= (SELECT v FROM x) AND p = (SELECT max(p) FROM t)",
        "id >= 1 / (SELECT k - 1 FROM x WHERE k = 1)",
        "id >= (SELECT raise_error('no') FROM x WHERE k = 1)",
    ],
)
def test_line_55_errors_of_subqueries_are_those_of_spark(spark: SparkSession, where: str) -> None:
    query = f"SELECT * FROM t WHERE {where} LIMIT 5"
    with conf(spark, {"spark.sql.ansi.enabled": "true"}):  # not the default of Spark 3.5
        with conf(spark, {ENABLED: "false"}):
            expected = outcome(spark, query)
        assert isinstance(expected, str)
        assert outcome(spark, query) == expected


def test_line_55_empty_tables(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql("CREATE TABLE nothing (id BIGINT, p BIGINT) USING parquet PARTITIONED BY (p)")
    spark.range(0).selectExpr("id", "id AS p").write.parquet(str(tmp_path / "empty"))
    spark.read.parquet(str(tmp_path / "empty")).createOrReplaceTempView("empty")
    try:
        for table in ("nothing", "empty"):
            query = f"SELECT * FROM {table} WHERE p = (SELECT max(p) FROM {table})"
            assert spark.sql(f"{query} LIMIT 5").collect() == []
            assert spark.sql(f"{query} ORDER BY id LIMIT 5").collect() == []
    finally:
        spark.sql("DROP TABLE nothing")


def ids(df: DataFrame) -> set[int] | str:
    """Return the ids, or the message of the error."""
    try:
        return {row.id for row in df.collect()}
    except (Py4JJavaError, PySparkException) as error:
        return str(error)


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("order", ["", "ORDER BY id DESC"])
def test_line_56_a_path_that_changes_before_the_query_runs(
    spark: SparkSession, own: Path, order: str
) -> None:
    query = f"SELECT * FROM t WHERE {NEWEST} {order} LIMIT 5"
    before, newer = planned(spark.sql(query)), planned(spark.sql(query))
    write(spark, own, first=1000, mode="append")
    found = ids(before)  # files that are new are not in the listing
    assert isinstance(found, set)
    assert len(found) == 5
    assert found <= set(range(200, 300))
    write(spark, own, first=1000)
    found = ids(newer)
    assert isinstance(found, str)
    assert "REFRESH TABLE" in found or "FILE_NOT_EXIST" in found
    read(spark, own)
    found = ids(spark.sql(query))
    assert isinstance(found, set)
    assert found <= set(range(1200, 1300))
    assert len(found) == 5


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("order", ["", "ORDER BY id DESC"])
@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO changing SELECT id + 1000, 0L, 3L FROM range(50)",
        "INSERT OVERWRITE changing SELECT id + 1000, 0L, 2L FROM range(50)",
        "ALTER TABLE changing DROP PARTITION (p = 2)",
        "TRUNCATE TABLE changing",
    ],
)
def test_line_56_a_catalog_table_that_changes_before_the_query_runs(
    spark: SparkSession, tmp_path: Path, change: str, order: str
) -> None:
    """The rows are those of one state of the table, with and without the extension."""
    write(spark, tmp_path / "t")
    spark.sql(
        "CREATE TABLE changing (id BIGINT, v BIGINT, p BIGINT) USING parquet PARTITIONED BY (p)"
    )
    try:
        spark.sql(f"INSERT INTO changing SELECT * FROM parquet.`{tmp_path / 't'}`")
        where = "WHERE p = (SELECT max(p) FROM changing)"
        df = planned(spark.sql(f"SELECT * FROM changing {where} {order} LIMIT 5"))
        with conf(spark, {ENABLED: "false"}):
            full = planned(spark.sql(f"SELECT * FROM changing {where}"))
        spark.sql(change)
        found, allowed = ids(df), ids(full)
        if isinstance(found, set) and isinstance(allowed, set):
            assert found <= allowed
            assert len(found) == min(5, len(allowed))
        else:
            assert isinstance(found, str)
            assert "REFRESH TABLE" in found or "FILE_NOT_EXIST" in found
    finally:
        spark.sql("DROP TABLE changing")


@pytest.mark.usefixtures("t")
def test_line_57_limits_of_other_sizes_orders_and_values_are_not_reused(
    spark: SparkSession,
) -> None:
    limited = f"(SELECT id FROM t WHERE {NEWEST} {{0}})"
    parts = [
        ("LIMIT 3", 3),
        ("LIMIT 3 OFFSET 1", 3),
        ("LIMIT 4", 4),
        ("ORDER BY id LIMIT 3", 3),
        ("ORDER BY id DESC LIMIT 3", 3),
        ("", 100),
        ("LIMIT 3", 3),
    ]
    counts = ", ".join(
        f"(SELECT count(*) FROM {limited.format(part)}) AS c{n}"
        for n, (part, _) in enumerate(parts)
    )
    assert tuple(spark.sql(f"SELECT {counts}").head() or ()) == tuple(n for _, n in parts)
    ends = ", ".join(
        f"(SELECT {of}(id) FROM {limited.format(f'ORDER BY id {way} LIMIT 3')}) AS e{n}"
        for n, (of, way) in enumerate([("min", ""), ("max", ""), ("min", "DESC"), ("max", "DESC")])
    )
    assert tuple(spark.sql(f"SELECT {ends}").head() or ()) == (200, 202, 297, 299)
    values = " UNION ALL ".join(
        f"(SELECT p, id FROM t WHERE p = (SELECT {of}(p) FROM t) LIMIT 2)" for of in ("min", "max")
    )
    assert sorted(row.p for row in spark.sql(values).collect()) == [0, 0, 2, 2]
    joined = (
        "SELECT /*+ BROADCAST(a), BROADCAST(b) */ count(a.id), count(b.id) FROM t x "
        f"LEFT JOIN {limited.format('LIMIT 3')} a ON x.id = a.id "
        f"LEFT JOIN {limited.format('LIMIT 5')} b ON x.id = b.id"
    )
    assert spark.sql(joined).collect() == [(3, 5)]


def test_line_58_a_data_frame_keeps_its_choice_and_a_new_one_chooses_again(
    spark: SparkSession, tmp_path: Path
) -> None:
    write(spark, tmp_path / "t")
    read(spark, tmp_path / "t")
    query = f"SELECT * FROM t WHERE {NEWEST} LIMIT 5"
    df = spark.sql(query)
    first = df.collect()
    assert df.collect() == first
    assert is_chosen(df)
    spark.range(100).selectExpr("id + 500 AS id", "id % 5 v").write.parquet(
        str(tmp_path / "t" / "p=9")
    )
    assert df.collect() == first
    assert {row.p for row in df.limit(3).collect()} == {2}
    read(spark, tmp_path / "t")
    assert {row.p for row in spark.sql(query).collect()} == {9}
    assert {row.p for row in spark.sql(query).limit(3).collect()} == {9}


@pytest.mark.usefixtures("t")
def test_line_58_bad_files_that_are_tolerated_when_the_query_runs(spark: SparkSession) -> None:
    df = planned(spark.sql(f"SELECT * FROM t WHERE {NEWEST} LIMIT 5"))
    with conf(spark, {"spark.sql.files.ignoreMissingFiles": "true"}):
        assert len(df.collect()) == 5
        assert not is_chosen(df)
        reason = limit_pruning.report(df).only.reason
        assert reason
        assert reason.code == "tolerates-bad-files"
        reason = limit_pruning.report(
            spark.sql(f"SELECT * FROM t WHERE {NEWEST} LIMIT 5")
        ).only.reason
        assert reason
        assert reason.code == "tolerates-bad-files"


@pytest.mark.usefixtures("t")
def test_line_58_switched_off_when_the_query_runs(spark: SparkSession) -> None:
    df = planned(spark.sql(f"SELECT * FROM t WHERE {NEWEST} LIMIT 5"))
    with conf(spark, {ENABLED: "false"}):
        assert len(df.collect()) == 5
        assert not is_chosen(df)
    assert len(plain(spark, f"SELECT * FROM t WHERE {NEWEST}")) == 100


VALUES = {
    "highest partition without rows": [("p=1", "1, 2"), ("p=2", "3"), ("p=3", "")],
    "null is the only partition": [("p=__HIVE_DEFAULT_PARTITION__", "1, 2")],
    "null beside others": [("p=__HIVE_DEFAULT_PARTITION__", "1, 2"), ("p=4", "5")],
    "null beside one without rows": [("p=__HIVE_DEFAULT_PARTITION__", "1"), ("p=4", "")],
    "no rows": [("p=1", ""), ("p=2", "")],
    "null in all rows": [("p=1", "NULL, NULL"), ("p=2", "NULL")],
    "null in the highest partition": [("p=1", "7, 8, NULL"), ("p=2", "NULL"), ("p=3", "NULL")],
    "many files of one partition": [("p=1", str(n)) for n in range(12)],
}


@pytest.mark.parametrize("what", VALUES)
def test_line_83_the_value_of_a_min_or_a_max(
    spark: SparkSession, tmp_path: Path, what: str
) -> None:
    """Partitions that are in the listing may have no rows, or none that match."""
    for partition, values in VALUES[what]:
        listed = ", ".join(f"({one})" for one in values.split(", ")) if values else "(1)"
        rows = spark.sql(f"SELECT CAST(id AS INT) id FROM VALUES {listed} AS v(id)")
        some = rows if values else rows.where("id > 1")
        some.coalesce(1).write.mode("append").parquet(str(tmp_path / "s" / partition))
    spark.read.parquet(str(tmp_path / "s")).createOrReplaceTempView("s")
    subqueries = [
        f"(SELECT {value.format(of)} FROM s {where})"
        for of in ("max", "min")
        for value in ("{0}(p)", "{0}(id)", "{0}(p) + 1", "{0}(p + id)")
        for where in ("", "WHERE id IS NOT NULL", "WHERE id > 1", "WHERE p IS NOT NULL")
    ]
    expected = plain(spark, f"SELECT {', '.join(subqueries)}")[0]
    spark.range(len(subqueries) + 1).write.parquet(str(tmp_path / "t"))
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("t")
    # The id that is found is the number of the first subquery with another value, or 0.
    found = " ".join(
        f"WHEN NOT {subquery} <=> {'NULL' if value is None else value} THEN {number}"
        for number, (subquery, value) in enumerate(zip(subqueries, expected, strict=True), start=1)
    )
    df = spark.sql(f"SELECT id FROM t WHERE id = CASE {found} ELSE 0 END LIMIT 3")
    assert df.collect() == [(0,)], subqueries
    assert physical(df).count("ChooseWhenRun Limit: 1,") >= 8


@pytest.mark.usefixtures("t")
@pytest.mark.parametrize("value", ["max(id)", "max(id) - 9"])
def test_line_83_the_same_subqueries_in_a_filter_that_a_join_infers(
    spark: SparkSession, value: str
) -> None:
    """Spark runs one subquery for each ID, and merges those of the inferred filter alone."""
    spark.range(0, 100).selectExpr("id * 3 AS other").createOrReplaceTempView("o")
    of_t = (
        "SELECT * FROM t WHERE id < 1000 AND "
        f"(id >= (SELECT {value} FROM t) OR id = (SELECT min(id) FROM t WHERE id > 6))"
    )
    df = spark.sql(f"SELECT * FROM ({of_t} LIMIT 3) LEFT JOIN o ON id = other")
    rows = plain(spark, f"SELECT * FROM ({of_t}) LEFT JOIN o ON id = other")
    found = df.collect()
    assert len(found) == min(3, len(rows))
    assert set(found) <= set(rows)
    assert physical(df).count("ChooseWhenRun Limit: 1,") >= 2


@pytest.mark.usefixtures("quiet")
def test_line_83_a_file_of_the_subquery_that_changes(spark: SparkSession, own: Path) -> None:
    """The value is that of the planned files, or the query fails, as for any other LIMIT."""
    query = "SELECT * FROM t WHERE id >= (SELECT max(id) - 9 FROM t) LIMIT 3"
    added, replaced = planned(spark.sql(query)), planned(spark.sql(query))
    write(spark, own, first=1000, mode="append")
    found = ids(added)
    assert isinstance(found, set)
    assert found <= set(range(290, 300))
    write(spark, own, first=1000)
    found = ids(replaced)
    assert isinstance(found, str)
    assert "REFRESH TABLE" in found or "FILE_NOT_EXIST" in found
