"""A LIMIT reads the log of a version once, and has the files that Delta allows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

import limit_pruning
from support.delta import tables
from support.delta.planning import (
    FILES,
    STATISTICS,
    asked_the_log,
    asks_the_log,
    forget,
    jobs,
)
from support.runs import ENABLED, conf
from support.scan_tables import hold, hold_limits, physical
from support.sparks import needs_spark

IN_ONE_ORDER = pytest.mark.parametrize("spark", ["Delta first"], indirect=True)
"""Of the extensions."""


@pytest.fixture
def table(spark: SparkSession, tmp_path: Path) -> str:
    """A table of eight files of 250 rows, with deletion vectors."""
    return tables.write(spark, tmp_path / "t", enableDeletionVectors="true")


@pytest.fixture
def number() -> Iterator[int]:
    """Numbers for queries that were not planned before."""
    return count(1)


def plan_jobs(spark: SparkSession, number: Iterator[int], query: str) -> int:
    """Return how many jobs planning runs, in a query with a literal of its own."""
    return jobs(spark, query.format(n=f"{next(number)} AS n"))


@pytest.mark.core
def test_the_log_is_read_once_for_each_version(
    spark: SparkSession, table: str, number: Iterator[int]
) -> None:
    query = f"SELECT id, s, {{n}} FROM {table} LIMIT 300"
    assert plan_jobs(spark, number, query) > 0
    for _ in range(3):
        assert plan_jobs(spark, number, query) == 0
    df = hold(spark, f"SELECT id, s FROM {table}", 300)
    report = limit_pruning.report(df).only
    assert (report.files.total, report.files.pruned_by_log) == (2, 6)
    forget(spark, table)
    assert plan_jobs(spark, number, query) > 0


@IN_ONE_ORDER
def test_each_version_has_its_own_files(
    spark: SparkSession, table: str, number: Iterator[int]
) -> None:
    changes = [
        f"INSERT INTO {table} SELECT id + 5000, m, s, ts, p FROM {table} WHERE id < 10",
        f"DELETE FROM {table} WHERE id % 250 > 20 OR id BETWEEN 300 AND 900",
        f"UPDATE {table} SET id = -id WHERE id % 250 < 5",
        f"DELETE FROM {table} WHERE id >= 0",
        f"RESTORE {table} TO VERSION AS OF 1",
        f"OPTIMIZE {table}",
        f"ALTER TABLE {table} ADD COLUMN added INT",
    ]
    query = f"SELECT *, {{n}} FROM {table} LIMIT 60"
    plan_jobs(spark, number, query)
    for change in changes:
        spark.sql(change)
        reads = [asks_the_log(spark, query.format(n=next(number)), FILES) for _ in range(2)]
        assert reads == [True, False], change
        for limit in (60, 400):
            hold(spark, f"SELECT * FROM {table}", limit)
    for version in range(4):
        hold(spark, f"SELECT * FROM {table} VERSION AS OF {version}", 400)


QUERIES = {
    "count": "SELECT count(*), {n} FROM (SELECT * FROM {t} LIMIT 700)",
    "offset": "SELECT *, {n} FROM {t} LIMIT 10 OFFSET 600",
    "expressions": "SELECT id + 1, upper(s), {n} FROM (SELECT * FROM {t} LIMIT 600)",
    "order of few": "SELECT *, {n} FROM (SELECT * FROM {t} LIMIT 600) ORDER BY s LIMIT 3",
    "filter above": "SELECT *, {n} FROM (SELECT * FROM {t} LIMIT 600) WHERE m = 3",
    "groups": "SELECT m, {n} FROM {t} GROUP BY m LIMIT 2",
    "groups above": "SELECT m, count(*), {n} FROM (SELECT * FROM {t} LIMIT 600) GROUP BY m",
}


@IN_ONE_ORDER
@pytest.mark.parametrize("what", QUERIES)
def test_queries_of_one_table_do_not_read_its_log_again(
    spark: SparkSession, table: str, number: Iterator[int], what: str
) -> None:
    query = QUERIES[what].replace("{t}", table)
    plan_jobs(spark, number, query)
    assert plan_jobs(spark, number, query) == 0
    df = spark.sql(query.format(n="1 AS n"))
    rows = df.collect()
    if what == "count":
        assert rows[0][0] == 700
    if what == "groups above":
        assert sum(row[1] for row in rows) == 600
    if what == "offset":
        assert len({row.id for row in rows}) == 10


LEFT_TO_DELTA = {
    "a predicate of texts": "SELECT *, {n} FROM {t} WHERE s >= 's9' LIMIT 5",
    "a predicate of texts, too": "SELECT *, {n} FROM {t} WHERE m = 3 AND s LIKE 's9%' LIMIT 5",
    "a predicate of floats": "SELECT *, {n} FROM {t} WHERE p.y > 3D LIMIT 5",
    "a predicate of structs": "SELECT *, {n} FROM {t} WHERE p = STRUCT(3L, 3D) LIMIT 5",
    "a predicate of paths": "SELECT *, {n} FROM {t} WHERE _metadata.file_name <> 'a' LIMIT 5",
    "a predicate of chance": "SELECT *, {n} FROM {t} WHERE m > 3 AND rand() > 0 LIMIT 5",
    "no limit": "SELECT *, {n} FROM {t}",
    "order above": "SELECT *, {n} FROM (SELECT *, row_number() OVER (ORDER BY s) AS r FROM {t})"
    " ORDER BY r LIMIT 5",
    "twice": "SELECT *, {n} FROM (SELECT * FROM {t} LIMIT 5) JOIN {t} USING (id)",
    "union": "(SELECT id, {n} FROM {t} LIMIT 5) UNION ALL SELECT m, 1 FROM {t}",
    "subquery": "SELECT *, {n} FROM {t} WHERE id = (SELECT max(id) FROM {t}) LIMIT 5",
    "in a subquery": "SELECT {n}, id IN (SELECT id FROM {t} LIMIT 5) FROM range(5)",
    "functions of groups": "SELECT m, count(*), {n} FROM {t} GROUP BY m LIMIT 2",
    "hint": "SELECT /*+ NO_LIMIT_PRUNING */ *, {n} FROM {t} LIMIT 5",
}


@IN_ONE_ORDER
@pytest.mark.parametrize("what", LEFT_TO_DELTA)
def test_other_queries_are_left_to_delta(
    spark: SparkSession, table: str, number: Iterator[int], what: str
) -> None:
    query = LEFT_TO_DELTA[what].replace("{t}", table)
    for _ in range(3):
        plan_jobs(spark, number, query)
    assert plan_jobs(spark, number, query) > 0


WHERE = {
    "id >= 1500": 2,
    "m = 3": 8,
    "id BETWEEN 300 AND 800 AND m > 2": 3,
    "id < 10 OR id > 1990": 2,
    "ts > TIMESTAMP'2024-01-01 00:30:00'": 1,
    "p.x IN (3, 900)": 2,
    "id IS NULL": 0,
    "id + 1 > 5000": 0,
    "m IS NOT NULL AND ts IS NOT NULL": 8,
}
"""Predicates, and in how many files rows may match by the log."""


@IN_ONE_ORDER
@pytest.mark.parametrize("where", WHERE)
def test_files_of_a_predicate(
    spark: SparkSession, table: str, number: Iterator[int], where: str
) -> None:
    query = f"SELECT id, m, ts, {{n}} FROM {table} WHERE {where} LIMIT 9"
    assert plan_jobs(spark, number, query) > 0
    asked = query.format(n=next(number))
    assert asks_the_log(spark, asked, FILES), "the log is read if a second query asks for it"
    for _ in range(2):
        assert plan_jobs(spark, number, query) == 0
    for limit in (9, 500):
        df = hold(spark, f"SELECT id, m, ts FROM {table} WHERE {where}", limit)
        assert limit_pruning.report(df).only.files.pruned_by_log == tables.FILES - WHERE[where]
    ordered = f"SELECT id, m, ts FROM {table} WHERE {where} ORDER BY m DESC, id"
    hold(spark, ordered, 9, ordered=True)
    spark.sql(f"INSERT INTO {table} SELECT id, 3, s, ts, p FROM {table} WHERE id IN (5, 700, 1995)")
    for _ in range(3):
        hold(spark, f"SELECT id, m, ts FROM {table} WHERE {where}", 2000)


@IN_ONE_ORDER
@pytest.mark.parametrize("order", ["id DESC", "s", "m, id", "p.y DESC", "ts NULLS LAST"])
def test_files_of_an_order(
    spark: SparkSession, table: str, number: Iterator[int], order: str
) -> None:
    query = f"SELECT id, s, {{n}} FROM {table} ORDER BY {order} LIMIT 9"
    assert plan_jobs(spark, number, query) > 0
    assert plan_jobs(spark, number, query) == 0
    df = hold(spark, f"SELECT id, s FROM {table} ORDER BY {order}", 9, ordered=True)
    assert limit_pruning.report(df).only.files.total == tables.FILES


PARTITIONED = [
    "q = 1",
    "q IS NULL",
    "q <=> NULL AND day > DATE'2024-01-02'",
    "day = DATE'2024-01-03' AND id > 100",
    "q + 1 = 3 AND id % 3 = 1",
    "CAST(day AS STRING) LIKE '%03'",
    "q = 1 OR id > 350",
    "Q IN (0, 2) AND ID < 200",
    "at = TIMESTAMP'2024-01-01 10:00:00'",
    "name = 'a b/c=d'",
    "name <> 'x' AND id > 20",
    "year(day) = 2024 AND q = 7",
]


@pytest.fixture(scope="module")
def partitioned(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table with partitions of four columns."""
    path = tmp_path_factory.mktemp("partitioned") / "t"
    rows = spark.range(400).selectExpr(
        "id",
        "IF(id % 4 = 3, NULL, id % 4) AS q",
        "DATE'2024-01-01' + CAST(id % 3 AS INT) AS day",
        "TIMESTAMP'2024-01-01 10:00:00' + MAKE_DT_INTERVAL(0, id % 2) AS at",
        "IF(id % 2 = 0, 'a b/c=d', 'x') AS name",
    )
    rows.write.format("delta").partitionBy("q", "day", "at", "name").save(str(path))
    return f"delta.`{path}`"


def files_of_delta(spark: SparkSession, query: str) -> int:
    """Return how many files Delta chooses."""
    with conf(spark, {ENABLED: "false"}):
        return len(spark.sql(query).inputFiles())


@IN_ONE_ORDER
@pytest.mark.parametrize("where", PARTITIONED)
def test_files_of_partitions(
    spark: SparkSession, partitioned: str, number: Iterator[int], where: str
) -> None:
    query = f"SELECT *, {{n}} FROM {partitioned} WHERE {where} LIMIT 500"
    for _ in range(2):
        plan_jobs(spark, number, query)
    assert plan_jobs(spark, number, query) == 0
    everything = f"SELECT * FROM {partitioned} WHERE {where}"
    for limit in (500, 7):
        df = hold(spark, everything, limit)
        if limit == 500:
            total = limit_pruning.report(df).only.files.total
            assert total is not None
            assert total <= files_of_delta(spark, everything)
    hold(spark, f"{everything} ORDER BY id", 7, ordered=True)


@IN_ONE_ORDER
def test_filters_of_partitions_within_others(
    spark: SparkSession, partitioned: str, number: Iterator[int]
) -> None:
    """Spark extracts them when it asks for files, and Delta chooses files for them again."""
    where = "(q = 1 AND id > 350) OR (q = 2 AND id < 9)"
    for _ in range(3):
        plan_jobs(spark, number, f"SELECT *, {{n}} FROM {partitioned} WHERE {where} LIMIT 7")
    for limit in (1, 7, 500):
        hold(spark, f"SELECT * FROM {partitioned} WHERE {where}", limit)


@IN_ONE_ORDER
@pytest.mark.parametrize("scan", ["auto", "always"])
@pytest.mark.parametrize("deletes", [False, True])
def test_filters_that_spark_derives(
    spark: SparkSession, tmp_path: Path, deletes: bool, scan: str
) -> None:
    """Spark's rules replace `q = id` by `q = 3`, which is not evaluated for rows."""
    path = tmp_path / "t"
    rows = spark.range(400).selectExpr("id DIV 4 AS id", "CAST(id % 4 AS INT) AS q", "id AS v")
    writer = rows.write.format("delta").option("delta.enableDeletionVectors", "true")
    writer.partitionBy("q").save(str(path))
    table = f"delta.`{path}`"
    if deletes:
        spark.sql(f"DELETE FROM {table} WHERE v % 50 = 1")
    wheres = [
        "q = id AND id = 3",
        "q = id AND id IN (3)",
        "id = q AND q = 2",
        "q < id AND id = 2",
        "q = 1 AND id > 5 OR q = 1 AND id < 2",
    ]
    settings = {"spark.limitPruning.fileScan": scan, "spark.limitPruning.planning.maxFiles": "1"}
    with conf(spark, settings):
        for where in wheres:
            hold_limits(spark, f"SELECT * FROM {table} WHERE {where}", [5, 300, 6])
            hold(spark, f"SELECT * FROM {table} WHERE {where} ORDER BY v", 5, ordered=True)


@IN_ONE_ORDER
@pytest.mark.parametrize("where", ["m = 3", "id > 700 AND m < 5"])
def test_files_are_not_chosen_again_when_a_query_runs(
    spark: SparkSession, table: str, number: Iterator[int], where: str
) -> None:
    for query in (
        f"SELECT *, {{n}} FROM {table} WHERE {where} LIMIT 9",
        f"SELECT *, {{n}} FROM {table} WHERE {where} ORDER BY s LIMIT 9",
    ):
        for _ in range(2):
            plan_jobs(spark, number, query)
        with conf(spark, {"spark.limitPruning.rows.minBytes": "1g"}):
            asked = query.format(n=next(number))
            jobs(spark, asked)
            spark.sql(asked).collect()
            assert not asked_the_log(spark, asked, "DatabricksLogging")


@IN_ONE_ORDER
def test_names_of_keys_and_columns(spark: SparkSession, table: str) -> None:
    """A key may have the name of another column, and a predicate any case."""
    for _ in range(3):
        renamed = f"SELECT id AS s, m FROM {table} WHERE id > 5 ORDER BY s DESC"
        hold(spark, renamed, 10, ordered=True)
        df = hold(spark, f"SELECT id, m FROM {table} WHERE ID < 200 AND M > 2", 900)
    assert limit_pruning.report(df).only.files.pruned_by_log == tables.FILES - 1


@IN_ONE_ORDER
def test_statistics_that_are_not_certain_are_left_to_delta(
    spark: SparkSession, tmp_path: Path
) -> None:
    old = "IF(id % 50 = 0, TIMESTAMP'1960-01-01', TIMESTAMP'2024-01-01' + MAKE_DT_INTERVAL(id))"
    rows = spark.range(0, 400, 1, 4).selectExpr("id", f"{old} AS ts")
    rows.write.format("delta").save(str(tmp_path / "t"))
    query = f"SELECT * FROM delta.`{tmp_path / 't'}` WHERE ts > TIMESTAMP'2024-12-15'"
    for _ in range(3):
        df = hold(spark, query, 500)
    assert limit_pruning.report(df).only.files.total == files_of_delta(spark, query) == 1


@needs_spark("identity columns")
def test_generated_columns_are_left_to_delta(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql(f"""
        CREATE TABLE generated (ts TIMESTAMP, day DATE GENERATED ALWAYS AS (CAST(ts AS DATE)))
        USING delta PARTITIONED BY (day) LOCATION '{tmp_path / "t"}'
    """)
    try:
        spark.sql(
            "INSERT INTO generated (ts)"
            " SELECT TIMESTAMP'2024-01-01' + MAKE_DT_INTERVAL(0, id) FROM range(40)"
        )
        query = "SELECT ts, day FROM generated WHERE ts >= TIMESTAMP'2024-01-02 12:00:00'"
        for _ in range(3):
            df = hold(spark, query, 9)
        limit = limit_pruning.report(df).only
        assert "day >=" in str(limit.predicate)
        assert limit.files.pruned_by_log
    finally:
        spark.sql("DROP TABLE generated")


@IN_ONE_ORDER
@pytest.mark.parametrize(
    "setting",
    [
        ENABLED,
        "spark.databricks.delta.stats.limitPushdown.enabled",
        "spark.databricks.delta.stats.skipping",
    ],
)
def test_settings(spark: SparkSession, table: str, number: Iterator[int], setting: str) -> None:
    query = f"SELECT id, {{n}} FROM {table} LIMIT 300"
    plan_jobs(spark, number, query)
    with conf(spark, {setting: "false"}):
        again = query.format(n=f"{next(number)} AS n")
        assert not asks_the_log(spark, again, FILES)
        assert jobs(spark, again) > 0 or setting != ENABLED
        df = hold(spark, f"SELECT id FROM {table}", 300)
        if setting == "spark.databricks.delta.stats.limitPushdown.enabled":
            assert limit_pruning.report(df).only.files.pruned_by_log == 0


@IN_ONE_ORDER
def test_files_without_statistics(spark: SparkSession, tmp_path: Path) -> None:
    table = f"delta.`{tmp_path / 't'}`"
    with conf(spark, {"spark.databricks.delta.stats.collect": "false"}):
        spark.range(0, 100, 1, 4).write.format("delta").save(str(tmp_path / "t"))
    spark.range(100, 120, 1, 2).write.format("delta").mode("append").save(str(tmp_path / "t"))
    for limit in (1, 15, 25, 119, 200):
        hold(spark, f"SELECT * FROM {table}", limit)
        hold(spark, f"SELECT * FROM {table}", limit)


@IN_ONE_ORDER
def test_partitioned_tables_and_those_without_rows(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    rows = spark.range(400).selectExpr("id", "IF(id % 4 = 3, NULL, id % 4) AS pq")
    rows.write.format("delta").partitionBy("pq").save(str(path))
    table = f"delta.`{path}`"
    for limit in (1, 150, 399, 500):
        hold(spark, f"SELECT id, pq FROM {table}", limit)
        hold(spark, f"SELECT pq FROM {table}", limit)
    spark.sql(f"DELETE FROM {table}")
    assert spark.sql(f"SELECT * FROM {table} LIMIT 5").collect() == []
    spark.sql(f"CREATE TABLE delta.`{tmp_path / 'empty'}` (a INT) USING delta")
    assert spark.sql(f"SELECT * FROM delta.`{tmp_path / 'empty'}` LIMIT 5").collect() == []


def test_writes_read_the_log_within_their_transaction(
    spark: SparkSession, table: str, tmp_path: Path
) -> None:
    spark.sql(f"SELECT * FROM {table} LIMIT 40").collect()
    other = f"delta.`{tmp_path / 'other'}`"
    spark.sql(f"CREATE TABLE {other} USING delta AS SELECT * FROM {table} LIMIT 40")
    spark.sql(f"INSERT INTO {other} SELECT * FROM {table} LIMIT 300")
    spark.sql(f"INSERT INTO {other} SELECT * FROM {other} LIMIT 10")
    assert spark.table(other).count() == 350
    history = spark.sql(f"DESCRIBE HISTORY {other}").orderBy("version").collect()
    assert [entry.isBlindAppend for entry in history] == [True, True, False], "what was read"
    assert "LimitPrunedScan" in physical(hold(spark, f"SELECT * FROM {other}", 30))


@IN_ONE_ORDER
def test_the_log_is_not_asked_for_statistics(spark: SparkSession, table: str) -> None:
    query = f"SELECT * FROM {table} LIMIT "
    assert [asks_the_log(spark, query + limit, FILES) for limit in "78"] == [True, False]
    assert not any(asks_the_log(spark, query + limit, STATISTICS) for limit in "78")


@IN_ONE_ORDER
def test_partition_values_are_in_the_time_zone_of_the_query(
    spark: SparkSession, tmp_path: Path
) -> None:
    rows = spark.range(40).selectExpr("id", "TIMESTAMP'2024-01-01 10:00:00' AS ts")
    with conf(spark, {"spark.databricks.delta.write.utcTimestampPartitionValues": "false"}):
        rows.write.format("delta").partitionBy("ts").save(str(tmp_path / "t"))
    spark.read.format("delta").load(str(tmp_path / "t")).createOrReplaceGlobalTempView("by_ts")
    other = spark.newSession()
    other.conf.set("spark.sql.session.timeZone", "Asia/Kolkata")
    limited = "SELECT CAST(ts AS STRING) AS ts FROM global_temp.by_ts LIMIT 5"
    (expected,) = other.sql("SELECT DISTINCT CAST(ts AS STRING) FROM global_temp.by_ts").collect()
    for _ in range(2):
        assert {row.ts for row in other.sql(limited).collect()} == {expected[0]}


@IN_ONE_ORDER
def test_a_table_whose_schema_has_changed(spark: SparkSession, table: str) -> None:
    df = spark.sql(f"SELECT * FROM {table} LIMIT 5")
    changed = spark.range(3).selectExpr("'a' AS other")
    writer = changed.write.format("delta").mode("overwrite").option("overwriteSchema", "true")
    writer.save(table.split("`")[1])
    with pytest.raises(AnalysisException, match="DELTA_SCHEMA_CHANGE"):
        df.collect()
    assert [row.other for row in spark.sql(f"SELECT * FROM {table} LIMIT 2").collect()] == [
        "a",
        "a",
    ]
