"""Where metadata find no rows of an Iceberg table, columns are read first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from limit_pruning import LimitReport
from support.copied_limits import READ_TWICE, hold_read_twice
from support.iceberg import tables
from support.iceberg.tables import hold, hold_order, reason_of
from support.runs import conf, planned
from support.scan_tables import physical
from support.sessions import OURS_FIRST
from support.shared_cte import DEFINITIONS, unmatched

pytestmark = OURS_FIRST

MIN_BYTES = "spark.limitPruning.rows.minBytes"
MERGE_ON_READ = {"write_delete_mode": "merge-on-read", "write_update_mode": "merge-on-read"}


@pytest.fixture(autouse=True)
def always(spark: SparkSession) -> Iterator[None]:
    """Search by rows wherever it is possible: the tables are small."""
    with conf(spark, {MIN_BYTES: "0"}):
        yield


def write(spark: SparkSession, /, **properties: str) -> str:
    """2,000 rows in four files with row groups of 100 rows; ``v`` is spread over all of them."""
    rows = spark.range(0, 2000, 1, 4).selectExpr(
        *tables.COLUMNS,
        "id * 7919 % 101 AS v",
        "IF(id % 3 = 0, NULL, hash(id, 1) % 50) AS w",
        "IF(id % 11 = 0, double('NaN'), hash(id, 2) % 9D) AS g",
    )
    return tables.write_frame(rows, **{**tables.SMALL_ROW_GROUPS, **properties})


@pytest.fixture(scope="module")
def table(spark: SparkSession) -> str:
    """A table without deleted rows."""
    return write(spark)


def found(df: DataFrame) -> LimitReport:
    """Return the report on a query that has run, and whose rows were found by reading columns."""
    assert "RowsVerified" in physical(df), physical(df)
    limit = limit_pruning.report(df).only
    assert limit.covered
    return limit


def verified(df: DataFrame) -> int:
    """Return how many rows were found by reading columns, for a query that has run."""
    rows = found(df).rows.verified
    assert rows is not None
    return rows


def pandas(df: DataFrame) -> list[int]:
    """Return the ids by way of pandas."""
    frame: Any = df.toPandas()
    return list(frame["id"])


ANY = {
    "v = 100": 9,
    "v < 90": 30,
    "v = 7 AND w IS NULL": 4,
    "NOT (w > 10)": 50,
    "s LIKE '%99%' AND b": 11,
    "p.x % 89 = 5": 11,
    "g = double('NaN') AND v > 50": 7,
    "v = 1000": 3,
    "_pos % 50 = 3 AND v < 60": 12,
    "_file LIKE '%parquet' AND v = 3": 5,
    "id >= 500 AND id % 7 = 3": 20,
}
FIRST = [
    "hash(id), id",
    "v DESC, id",
    "w NULLS LAST, id DESC",
    "g, id",
    "g DESC, id DESC",
    "p.x % 13, id",
    "r % 3 DESC, s",
]


@pytest.mark.parametrize("vectorized", ["true", "false"])
def test_rows_of_a_table(spark: SparkSession, table: str, vectorized: str) -> None:
    with conf(spark, {"spark.sql.iceberg.vectorization.enabled": vectorized}):
        for predicate, limit in ANY.items():
            df = hold(spark, f"SELECT * FROM {table} WHERE {predicate}", limit)
            assert verified(df) <= limit
        for order in FIRST:
            df = hold_order(spark, f"SELECT * FROM {table} WHERE v <> 3 ORDER BY {order} LIMIT 15")
            assert verified(df) == 15
    df = hold_order(spark, f"SELECT id, _pos, _file FROM {table} ORDER BY v, id LIMIT 15 OFFSET 7")
    assert verified(df) == 22


def test_columns_in_another_order(spark: SparkSession, table: str) -> None:
    """Spark removes a projection that only exchanges columns. The scan of a struct returns rows."""
    for columns in ("p, v, id", "v, p, id", "id, v, p"):
        query = f"SELECT {columns} FROM {table}"
        found(hold(spark, f"{query} WHERE v <> 3", 12))
        for where in ("", " WHERE v <> 3"):
            found(hold_order(spark, f"{query}{where} ORDER BY v DESC, id LIMIT 15"))


def test_only_row_groups_with_rows_are_read(spark: SparkSession, table: str) -> None:
    report = found(hold(spark, f"SELECT * FROM {table} WHERE id % 100 = 7 AND v > 90", 1))
    assert report.files.scanned == 1
    assert report.rows.to_read == 100
    # The whole table has no such row.
    none = hold(spark, f"SELECT * FROM {table} WHERE v = 1000", 1)
    assert found(none).rows.verified == 0
    assert found(none).files.scanned == 0


ACTIONS: dict[str, Callable[[DataFrame], Any]] = {
    "collect": lambda df: [row.id for row in df.collect()],
    "iterator": lambda df: [row.id for row in df.toLocalIterator()],
    "pandas": pandas,
    "rdd": lambda df: df.rdd.map(lambda row: row.id).collect(),
}


@pytest.mark.parametrize("adaptive", ["true", "false"])
@pytest.mark.parametrize("action", ACTIONS.values(), ids=ACTIONS.keys())
def test_actions(
    spark: SparkSession, table: str, action: Callable[[DataFrame], Any], adaptive: str
) -> None:
    with conf(spark, {"spark.sql.adaptive.enabled": adaptive}):
        df = spark.sql(f"SELECT id, s FROM {table} WHERE v = 42 LIMIT 5")
        first = action(df)
        assert len(set(first)) == 5
        assert all(one * 7919 % 101 == 42 for one in first)
        # The rows are found once, so the same rows come back.
        assert action(df) == first


def test_below_the_root(spark: SparkSession, table: str) -> None:
    limited = f"SELECT id, s FROM {table} WHERE v = 42 LIMIT 9"
    ordered = f"SELECT id, s FROM {table} ORDER BY hash(id) LIMIT 9"
    for query, wanted in {
        f"SELECT count(*), min(id * 7919 % 101) FROM ({limited})": (9, 42),
        f"SELECT count(*), count(*) FROM (({limited}) UNION ALL ({limited}))": (18, 18),
        f"SELECT count(*), max(t.v) FROM ({limited}) l JOIN {table} t ON t.id = l.id": (9, 42),
        f"SELECT count(*), 1 FROM {table} WHERE id IN (SELECT id FROM ({limited}))": (9, 1),
    }.items():
        assert [tuple(row) for row in spark.sql(query).collect()] == [wanted], query
    hold_order(spark, f"SELECT count(*), sum(id) FROM ({ordered})")
    hold_order(spark, f"SELECT count(*), sum(t.id) FROM ({ordered}) l JOIN {table} t USING (id)")


@pytest.mark.parametrize("version", ["2", "3"])
def test_line_102_deleted_rows_are_not_found(spark: SparkSession, version: str) -> None:
    deletes = write(spark, format__version=version, **MERGE_ON_READ)
    spark.sql(f"DELETE FROM {deletes} WHERE v < 50 AND id < 1900")
    spark.sql(f"DELETE FROM {deletes} WHERE id IN (1999, 1950)")
    for predicate, limit in {"v < 60": 20, "v = 3": 9, "id % 10 = 3 AND v < 55": 12}.items():
        found(hold(spark, f"SELECT * FROM {deletes} WHERE {predicate}", limit))
    for order in ("v, id", "hash(id)", "v DESC, id DESC"):
        found(hold_order(spark, f"SELECT * FROM {deletes} ORDER BY {order} LIMIT 25"))


def test_rows_of_equality_deletes_are_not_found(spark: SparkSession) -> None:
    """Iceberg reads the column of the deletes in addition to those that it is asked for."""
    equality = write(spark, format__version="2")
    for i in (15, 116, 217, 1999):
        tables.delete_by_equality(spark, equality, "i", i)
    found(hold(spark, f"SELECT s FROM {equality} WHERE v = {15 * 7919 % 101}", 18))
    found(hold_order(spark, f"SELECT s, v FROM {equality} ORDER BY v, s LIMIT 300"))


@pytest.mark.parametrize("data_format", ["orc", "avro"])
def test_files_of_other_formats_are_read_whole(spark: SparkSession, data_format: str) -> None:
    other = write(spark, write_format_default=data_format)
    report = found(hold(spark, f"SELECT * FROM {other} WHERE v = 3", 2))
    assert report.row_groups is None or report.row_groups.scanned is None
    found(hold_order(spark, f"SELECT * FROM {other} ORDER BY v DESC, id LIMIT 9"))


def test_evolved_columns_partitions_and_versions(spark: SparkSession) -> None:
    evolved = write(spark)
    snapshot = spark.sql(f"SELECT snapshot_id FROM {evolved}.snapshots").collect()[0][0]
    spark.sql(f"ALTER TABLE {evolved} RENAME COLUMN v TO q")
    spark.sql(f"ALTER TABLE {evolved} ADD COLUMN v INT")
    spark.sql(f"ALTER TABLE {evolved} ALTER COLUMN i TYPE BIGINT")
    spark.sql(f"ALTER TABLE {evolved} ADD PARTITION FIELD m")
    spark.sql(
        f"INSERT INTO {evolved} SELECT * EXCEPT (v), CAST(q AS INT) AS v FROM {evolved}"
        if spark.version >= "4"
        else f"INSERT INTO {evolved} SELECT {', '.join(_without_v(spark, evolved))}, "
        f"CAST(q AS INT) AS v FROM {evolved}"
    )
    for predicate, limit in {"v IS NULL AND q = 3": 9, "v = 3": 9, "m = 2 AND q < 9": 30}.items():
        found(hold(spark, f"SELECT * FROM {evolved} WHERE {predicate}", limit))
    found(hold_order(spark, f"SELECT id, v, q, i FROM {evolved} ORDER BY v DESC, q, id, m LIMIT 9"))
    old = f"SELECT * FROM {evolved} VERSION AS OF {snapshot}"
    found(hold(spark, f"{old} WHERE v = 3", 9))


def _without_v(spark: SparkSession, table: str) -> list[str]:
    return [name for name in spark.table(table).columns if name != "v"]


def test_a_commit_after_planning(spark: SparkSession) -> None:
    changing = write(spark)
    df = spark.sql(f"SELECT id FROM {changing} WHERE v = 3 LIMIT 100")
    assert reason_of(df) == "decided-by-rows"
    spark.sql(f"DELETE FROM {changing} WHERE v = 3")
    assert len(df.collect()) == 20


def test_writes_and_dml(spark: SparkSession, table: str) -> None:
    copy = tables.new_name()
    limited = f"SELECT id, v FROM {table} WHERE v = 5 LIMIT 6"
    spark.sql(f"CREATE TABLE {copy} USING iceberg AS {limited}")
    spark.sql(f"INSERT INTO {copy} {limited}")
    assert [row.v for row in spark.table(copy).collect()] == [5] * 12
    spark.sql(
        f"MERGE INTO {copy} t USING (SELECT id, v FROM {table} WHERE v = 6 LIMIT 3) s "
        "ON t.id = s.id WHEN NOT MATCHED THEN INSERT *"
    )
    assert sorted(row.v for row in spark.table(copy).collect()) == [5] * 12 + [6] * 3


def test_what_is_not_searched(spark: SparkSession, table: str) -> None:
    proved = hold(spark, f"SELECT * FROM {table} WHERE id >= 250", 5)
    assert "RowsVerified" not in physical(proved)
    with conf(spark, {MIN_BYTES: "8m"}):
        small = hold(spark, f"SELECT * FROM {table} WHERE v = 3", 5)
        assert reason_of(small) == "not-enough-rows-in-files"
    random = spark.sql(f"SELECT * FROM {table} WHERE rand() < 0.999999 AND v = 3 LIMIT 5")
    assert len(random.collect()) == 5
    assert "RowsVerified" not in physical(random)


def test_at_the_root_the_first_task_may_be_enough(spark: SparkSession) -> None:
    rows = spark.range(0, 20_000, 1, 4).selectExpr(
        "id", "id * 7919 % 1009 AS v", *(f"repeat(uuid(), 5) AS c{c}" for c in range(9))
    )
    # A file is a partition.
    wide = tables.write_frame(rows, read_split_open__file__cost=str(1 << 40))
    with conf(spark, {MIN_BYTES: "1", "spark.sql.files.maxPartitionBytes": "64k"}):
        frequent = hold(spark, f"SELECT * FROM {wide} WHERE v < 900", 5)
        assert "RowsVerified" not in physical(frequent)
        assert reason_of(frequent) == "not-enough-rows-in-files"
        rare = hold(spark, f"SELECT * FROM {wide} WHERE v % 1000 = 3", 1000)
        assert "TakeFirstRows" in physical(rare)
        # The first partition has none, so the others are searched.
        late = hold(spark, f"SELECT * FROM {wide} WHERE (id + 1) % 20000 = 0", 5)
        assert verified(late) == 1


def test_rows_in_a_thread_without_a_session(spark: SparkSession, table: str) -> None:
    """The scan of a struct returns rows, and no batches."""

    def ids() -> list[int]:
        df = spark.sql(f"SELECT id, p FROM {table} WHERE v = 42 LIMIT 5")
        return df.rdd.map(lambda row: row.p.x - row.id).collect()

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(ids).result() == [0] * 5


def test_switched_off_when_the_query_runs(spark: SparkSession, table: str) -> None:
    df = planned(spark.sql(f"SELECT id FROM {table} WHERE v = 3 LIMIT 5"))
    with conf(spark, {"spark.limitPruning.enabled": "false"}):
        assert len(df.collect()) == 5
    assert reason_of(df) == "disabled-when-run"


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.parametrize(
    "limited",
    [
        "SELECT id FROM {} WHERE v % 7 = 3 LIMIT 10",
        "SELECT id FROM {} WHERE id >= 1100 LIMIT 10",
        "SELECT id FROM {} WHERE v % 7 = 3 ORDER BY w, v LIMIT 10",
    ],
)
def test_line_104_references_see_the_same_rows(
    spark: SparkSession, table: str, definition: str, limited: str
) -> None:
    assert unmatched(spark, definition, limited.format(table)) == 0


@pytest.mark.parametrize("twice", READ_TWICE)
def test_line_105_copies_see_the_same_rows(spark: SparkSession, table: str, twice: str) -> None:
    hold_read_twice(
        spark,
        twice,
        (
            f"SELECT * FROM {table} WHERE v % 7 = 3 LIMIT 10",
            f"SELECT * FROM {table} WHERE id >= 1100 LIMIT 10",
            f"SELECT * FROM {table} WHERE v % 7 = 3 ORDER BY w, v LIMIT 10",
        ),
    )
