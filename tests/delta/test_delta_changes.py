"""A table that changes between planning and running, and what a transaction records."""

from __future__ import annotations

from pathlib import Path

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.delta import tables
from support.runs import ENABLED, conf, planned
from support.scan_tables import hold, is_pruned
from support.sessions import OURS_FIRST

ROWS = list(range(500, 1500))
CHANGES = {
    "append": "INSERT INTO {t} SELECT id + 9000, m, s, ts, p FROM {t}",
    "optimize": "OPTIMIZE {t}",
    "delete": "DELETE FROM {t} WHERE id % 2 = 0",
    "overwrite": "INSERT OVERWRITE {t} SELECT id + 9000, m, s, ts, p FROM {t}",
    "rename": "ALTER TABLE {t} RENAME COLUMN m TO mm",
}


@OURS_FIRST
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_the_snapshot_of_planning_is_read(spark: SparkSession, tmp_path: Path, change: str) -> None:
    table = tables.write(
        spark, tmp_path / "t", **{"columnMapping.mode": "name", "enableDeletionVectors": "true"}
    )
    limited = planned(spark.sql(f"SELECT id FROM {table} WHERE id >= 500 LIMIT 1000"))
    ordered = planned(spark.sql(f"SELECT id FROM {table} ORDER BY id DESC LIMIT 10"))
    assert is_pruned(limited)
    assert is_pruned(ordered)
    spark.sql(change.format(t=table))
    assert {row.id for row in limited.collect()} <= set(range(500, 2000))
    assert [row.id for row in ordered.collect()] == list(range(1999, 1989, -1))
    hold(spark, f"SELECT id FROM {table} WHERE id >= 500", 1000)


@OURS_FIRST
def test_files_that_vacuum_removed_are_an_error_as_without_the_extension(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = tables.write(spark, tmp_path / "t")
    df = planned(spark.sql(f"SELECT id FROM {table} WHERE id >= 500 LIMIT 1000"))
    assert is_pruned(df)
    spark.sql(f"INSERT OVERWRITE {table} SELECT id + 9000, m, s, ts, p FROM {table}")
    with conf(spark, {"spark.databricks.delta.retentionDurationCheck.enabled": "false"}):
        spark.sql(f"VACUUM {table} RETAIN 0 HOURS")
    with pytest.raises(
        (PySparkException, Py4JJavaError), match=r"FAILED_READ_FILE|does not exist|FILE_NOT_EXIST"
    ):
        df.collect()


QUERIES = [
    "SELECT id FROM {} WHERE id >= 1200 LIMIT 20",
    "SELECT id FROM {} LIMIT 20",
    "SELECT id FROM {} WHERE m = 3 ORDER BY id DESC LIMIT 20",
]


@pytest.mark.parametrize("query", QUERIES)
def test_a_transaction_records_the_same_reads(
    spark: SparkSession, tmp_path: Path, query: str
) -> None:
    path = tmp_path / "t"
    table = tables.write(spark, path)

    def recorded() -> tuple[int, int, bool]:
        assert spark._jvm is not None
        delta = "org.apache.spark.sql.delta.OptimisticTransaction$"
        loader = spark._jvm.java.lang.Thread.currentThread().getContextClassLoader()
        transactions = loader.loadClass(delta).getField("MODULE$").get(None)
        logs = spark._jvm.org.apache.spark.sql.delta.DeltaLog
        transaction = logs.forTable(spark._jsparkSession, str(path)).startTransaction()
        transactions.setActive(transaction)
        try:
            planned(spark.sql(query.format(table)))
        finally:
            transactions.clearActive()
        reads = transaction.readPredicates(), transaction.readFiles()
        return reads[0].size(), reads[1].size(), transaction.readTheWholeTable()

    on = recorded()
    assert on[0] or on[1] or on[2], "else the test says nothing"
    with conf(spark, {ENABLED: "false"}):
        assert recorded() == on


@OURS_FIRST
def test_writes_from_limits_over_the_same_table(spark: SparkSession, tmp_path: Path) -> None:
    table = tables.write(spark, tmp_path / "t", enableDeletionVectors="true")
    spark.sql(
        f"INSERT INTO {table} SELECT id + 5000, m, s, ts, p FROM {table} WHERE id >= 1900 LIMIT 30"
    )
    assert spark.sql(f"SELECT * FROM {table} WHERE id >= 5000").count() == 30
    spark.sql(
        f"MERGE INTO {table} t "
        f"USING (SELECT id FROM {table} WHERE id < 1000 ORDER BY id DESC LIMIT 7) u "
        "ON t.id = u.id WHEN MATCHED THEN DELETE"
    )
    assert spark.sql(f"SELECT * FROM {table}").count() == tables.ROWS + 30 - 7
    hold(spark, f"SELECT id FROM {table} WHERE id < 1000 ORDER BY id DESC", 7, ordered=True)


@OURS_FIRST
@pytest.mark.parametrize(
    ("mode", "reasons"), [("auto", [None]), ("none", ["repeated-limit", "repeated-limit"])]
)
def test_the_source_of_a_merge_that_delta_evaluates_twice(
    spark: SparkSession, tmp_path: Path, mode: str, reasons: list[str | None]
) -> None:
    target, source = tables.write(spark, tmp_path / "t"), tables.write(spark, tmp_path / "u")
    history = "SELECT max(execution_id) AS last FROM limit_pruning_history()"
    last = spark.sql(history).collect()[0].last or -1
    with conf(spark, {"spark.databricks.delta.merge.materializeSource": mode}):
        spark.sql(
            f"MERGE INTO {target} t USING (SELECT * FROM {source} WHERE id >= 500 LIMIT 30) u "
            "ON t.id = u.id WHEN MATCHED THEN UPDATE SET s = 'merged'"
            " WHEN NOT MATCHED THEN INSERT *"
        )
    found = spark.sql(f"SELECT reason FROM limit_pruning_history() WHERE execution_id > {last}")
    assert [row.reason for row in found.collect()] == reasons
    assert spark.sql(f"SELECT * FROM {target} WHERE s = 'merged'").count() == 30
    assert spark.sql(f"SELECT * FROM {target}").count() == tables.ROWS
