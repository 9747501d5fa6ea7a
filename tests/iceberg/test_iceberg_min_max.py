"""MIN and MAX over Iceberg tables: the values of plain Spark, and what could hide them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import limit_pruning
from limit_pruning import LimitReport
from support.iceberg import tables
from support.iceberg.session import java_table
from support.iceberg.tables import is_pruned
from support.runs import ENABLED, REFERENCE, conf
from support.scan_tables import hold, physical
from support.sessions import OURS_FIRST
from support.sparks import needs_spark

pytestmark = OURS_FIRST

FILES = 20
MERGE_ON_READ = {"write_delete_mode": "merge-on-read", "write_update_mode": "merge-on-read"}
BY_METADATA = "spark.sql.iceberg.aggregate-push-down.enabled"


@pytest.fixture(autouse=True)
def _read_files(spark: SparkSession) -> Iterator[None]:
    """Keep Iceberg from answering by its manifests alone, where there are no deletes."""
    with conf(spark, {BY_METADATA: "false"}):
        yield


def write(spark: SparkSession, **properties: str) -> str:
    """Write `tables.rows` in files of 100 rows that are sorted by ``id``."""
    rows = spark.range(0, tables.ROWS, 1, FILES).selectExpr(*tables.COLUMNS)
    return tables.write_frame(rows, **properties)


@pytest.fixture(scope="module")
def table(spark: SparkSession) -> str:
    """A table without deleted rows."""
    return write(spark)


def plain(spark: SparkSession, query: str) -> list[str]:
    """The rows of a query without the extension, in any order."""
    with conf(spark, REFERENCE):
        return sorted(map(repr, spark.sql(query).collect()))


def hold_files(spark: SparkSession, query: str, files: int | None) -> LimitReport | None:
    """Hold a query to plain Spark, and require the files that it reads; None: it is not pruned."""
    df = spark.sql(query)
    assert sorted(map(repr, df.collect())) == plain(spark, query), query
    found = limit_pruning.report(df).limits
    assert is_pruned(df) == (files is not None), query
    assert [limit.files.scanned for limit in found] == ([] if files is None else [files]), query
    return found[0] if found else None


@pytest.mark.parametrize("key", ["id", "s", "ts", "tn", "d", "c", "i", "x", "n"])
def test_one_file_is_read_for_each_type(spark: SparkSession, table: str, key: str) -> None:
    for function in (f"max({key})", f"min({key})", f"max_by(m, {key})", f"min_by(p, {key})"):
        hold_files(spark, f"SELECT {function} FROM {table}", 1)
    hold_files(spark, f"SELECT min({key}), max({key}) FROM {table}", 2)


FUNCTIONS: dict[str, tuple[str, int | None]] = {
    "of one order": ("max(id), max(id) + 1, max(DISTINCT id), 7 AS x, max_by(s, id)", 1),
    "of two columns": ("max(id), max(s)", 1),
    "of four orders": ("max(id), min(s), min(n), max_by(m, d)", 3),
    "of five orders": ("max(id), min(id), min(s), max(n), max(d)", None),
    "with a key in no order": ("max(id), max(m)", None),
    "in no order": ("max(m)", None),
    "of a double": ("max(f)", None),
    "of a float beside others": ("min(id), min(r)", None),
    "of booleans, which have many ties": ("max(b)", None),
    "of an expression": ("max(id + 1)", None),
    "of a field of a struct": ("max(p.x)", None),
    "with count": ("max(id), count(*)", None),
    "with a filter": ("max(id) FILTER (WHERE m = 3)", None),
    "of any row": ("max(id), any_value(m)", None),
    "of positions": ("max(_pos)", None),
}


@pytest.mark.parametrize("what", FUNCTIONS)
def test_functions_of_one_select(spark: SparkSession, table: str, what: str) -> None:
    functions, files = FUNCTIONS[what]
    hold_files(spark, f"SELECT {functions} FROM {table}", files)


@pytest.mark.parametrize(
    ("where", "files"),
    [
        ("id >= 650", (2, 1)),
        ("id < 1350", (1, 2)),
        ("id BETWEEN 250 AND 1750", (2, 2)),
        # Of the eight files that Iceberg leaves, two are more than a quarter.
        ("id BETWEEN 650 AND 1350", (None, None)),
        ("id IN (3, 650, 1350)", (None, None)),
        ("id >= 650 AND m = 3", (None, None)),
        ("n IS NOT NULL", (1, 1)),
        ("n IS NULL", (1, 1)),
        ("s LIKE 's1%'", (1, 1)),
        ("id > 5000", (None, None)),
        ("id >= (SELECT count(*) FROM range(650))", (None, None)),
        ("uuid() <> ''", (None, None)),
        ("p.x >= 0", (None, None)),
    ],
)
def test_predicates(
    spark: SparkSession, table: str, where: str, files: tuple[int | None, int | None]
) -> None:
    for function, scanned in zip(("min", "max"), files, strict=True):
        hold_files(spark, f"SELECT {function}(id) FROM {table} WHERE {where}", scanned)


def test_groups_and_other_settings(spark: SparkSession, table: str) -> None:
    hold_files(spark, f"SELECT max(id) FROM {table} GROUP BY b", None)
    hold_files(spark, f"SELECT /*+ NO_LIMIT_PRUNING */ max(id) FROM {table}", None)
    for settings in ({"spark.limitPruning.minMax": "false"}, {ENABLED: "false"}):
        with conf(spark, settings):
            hold_files(spark, f"SELECT max(id) FROM {table}", None)
    with conf(spark, {"spark.limitPruning.planning.maxTime": "0"}):
        df = spark.sql(f"SELECT max(id) FROM {table}")
        assert df.collect()[0][0] == tables.ROWS - 1
        assert not is_pruned(df)


def test_what_iceberg_answers_by_manifests_stays_so(spark: SparkSession, table: str) -> None:
    with conf(spark, {BY_METADATA: "true"}):
        df = spark.sql(f"SELECT max(id), min(id) FROM {table}")
        assert tuple(df.collect()[0]) == (tables.ROWS - 1, 0)
        assert "LocalTableScan" in physical(df)
        assert not limit_pruning.report(df).limits
        hold_files(spark, f"SELECT max(id), min(id) FROM {table} WHERE id >= 50", 3)


def test_more_than_a_quarter_of_the_bytes(spark: SparkSession) -> None:
    few = tables.write_frame(spark.range(0, 800, 1, 3).toDF("id"))
    hold_files(spark, f"SELECT max(id) FROM {few}", None)
    more = tables.write_frame(spark.range(0, 800, 1, 5).toDF("id"))
    hold_files(spark, f"SELECT max(id) FROM {more}", 1)
    hold_files(spark, f"SELECT max(id), min(id) FROM {more}", None)
    one = tables.write_frame(spark.range(0, 800, 1, 1).toDF("id"))
    hold_files(spark, f"SELECT max(id) FROM {one}", None)
    spark.sql(f"DELETE FROM {one} WHERE true")
    hold_files(spark, f"SELECT max(id) FROM {one}", None)


def test_nulls(spark: SparkSession) -> None:
    """Five files have nothing but nulls, five have one among their values."""
    rows = spark.range(0, 2000, 1, 20).selectExpr(
        "id",
        "IF(id >= 1500 OR id >= 1000 AND id % 100 = 7, NULL, id) AS v",
        "CAST(NULL AS BIGINT) AS none",
        "IF(id = 777, id, NULL) AS one",
    )
    table = tables.write_frame(rows)
    hold_files(spark, f"SELECT min(v) FROM {table}", 1)
    hold_files(spark, f"SELECT max(v), max_by(id, v) FROM {table}", 1)
    hold_files(spark, f"SELECT max(v) FROM {table} WHERE id >= 1200", 1)
    hold_files(spark, f"SELECT max(v) FROM {table} WHERE id >= 1500", None)
    hold_files(spark, f"SELECT min(none) FROM {table}", None)
    hold_files(spark, f"SELECT max(one), min(one) FROM {table}", 1)
    hold_files(spark, f"SELECT max_by(v, id) FROM {table}", 1)


@pytest.mark.parametrize("version", ["2", "3"])
def test_deleted_rows(spark: SparkSession, version: str) -> None:
    """The last row is deleted; then all rows of its file, whose bounds stay."""
    table = write(spark, format__version=version, **MERGE_ON_READ)
    spark.sql(f"DELETE FROM {table} WHERE id >= 1950")
    known = version == "3"
    assert plain(spark, f"SELECT max(id) FROM {table}") == ["Row(max(id)=1949)"]
    hold_files(spark, f"SELECT max(id) FROM {table}", 1 if known else 2)
    hold_files(spark, f"SELECT max(id), min(id) FROM {table}", 2 if known else 3)
    hold_files(spark, f"SELECT max(id) FROM {table} WHERE id >= 50", 1 if known else 2)
    spark.sql(f"DELETE FROM {table} WHERE id >= 1901")
    spark.sql(f"DELETE FROM {table} WHERE id + 0 = 1900")
    assert plain(spark, f"SELECT max(s) FROM {table}") == ["Row(max(s)='s1899')"]
    hold_files(spark, f"SELECT max(s) FROM {table}", 2)
    hold_files(spark, f"SELECT max_by(s, id), min(id) FROM {table}", 3)
    spark.sql(f"DELETE FROM {table} WHERE id % 2 = 0")
    hold_files(spark, f"SELECT min(id) FROM {table}", 1 if known else None)


def test_equality_deletes(spark: SparkSession) -> None:
    table = write(spark, format__version="2")
    tables.delete_by_equality(spark, table, "i", 1999)
    tables.delete_by_equality(spark, table, "i", 1998)
    assert plain(spark, f"SELECT max(id) FROM {table}") == ["Row(max(id)=1997)"]
    hold_files(spark, f"SELECT max(id) FROM {table}", 2)
    hold_files(spark, f"SELECT min(id) FROM {table}", 1)
    both = write(spark, format__version="3", **MERGE_ON_READ)
    spark.sql(f"DELETE FROM {both} WHERE id = 1999")
    hold_files(spark, f"SELECT max(id) FROM {both}", 1)
    tables.delete_by_equality(spark, both, "i", 1998)
    hold_files(spark, f"SELECT max(id) FROM {both}", 2)


@pytest.mark.parametrize("mode", ["truncate(2)", "truncate(4)", "full", "counts", "none"])
def test_truncated_and_missing_bounds(spark: SparkSession, mode: str) -> None:
    text = "CONCAT('aa', LPAD(CAST(id AS STRING), 4, '0')) AS s"
    rows = spark.range(0, 400, 1, 20).selectExpr("id", text)
    table = tables.write_frame(rows, write_metadata_metrics_default=mode)
    with_bounds = mode not in ("counts", "none")
    for key in ("s", "id"):
        for function in (f"max({key})", f"min({key})", f"max_by(id, {key})"):
            df = spark.sql(f"SELECT {function} FROM {table}")
            assert list(map(repr, df.collect())) == plain(spark, f"SELECT {function} FROM {table}")
            # Of four characters, the files with s0000 to s0099 have the same bounds.
            if key == "id" or mode in ("full", "counts", "none"):
                assert is_pruned(df) == with_bounds, function
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('write.metadata.metrics.default' = 'full')")
    ids = itertools.count(-1, -1)
    for added in ("aa0000", "aa", "aa0", "aa9", "ab", "b", "", "aa0399z", "\U0010ffff"):
        spark.sql(f"INSERT INTO {table} VALUES ({next(ids)}, '{added}')")
        for function in ("max(s)", "min(s)", "min(s), max(s), min(id)"):
            query = f"SELECT {function} FROM {table}"
            assert list(map(repr, spark.sql(query).collect())) == plain(spark, query)


def test_columns_that_changed(spark: SparkSession) -> None:
    table = write(spark, format__version="3", **MERGE_ON_READ)
    for old, new in (("id", "swap"), ("n", "id"), ("swap", "n")):
        spark.sql(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")
    hold_files(spark, f"SELECT min(id), max_by(n, id) FROM {table}", 2)
    hold_files(spark, f"SELECT min(n) FROM {table}", 1)
    for column, wider in (("i", "BIGINT"), ("c", "DECIMAL(20, 2)")):
        spark.sql(f"ALTER TABLE {table} ALTER COLUMN {column} TYPE {wider}")
    spark.sql(f"UPDATE {table} SET i = 5000000000, c = 123456789012345.67 WHERE n = 3")
    for column in ("i", "c"):
        hold_files(spark, f"SELECT max({column}) FROM {table}", 1)
        hold_files(spark, f"SELECT min({column}) FROM {table}", 1)
    spark.sql(f"ALTER TABLE {table} DROP COLUMN d")
    spark.sql(f"ALTER TABLE {table} ADD COLUMN d DATE")
    for function in ("max(d)", "min(d)", "max_by(n, d)"):
        query = f"SELECT {function.replace('_by(n', '_by(d')} FROM {table}"
        assert list(map(repr, spark.sql(query).collect())) == plain(spark, query)
    tables.add_with_default(spark, table, "later", "7.500")
    columns = ", ".join(spark.table(table).columns[:-1])
    for value, low in ((3, 0), (9, 500)):
        spark.sql(
            f"INSERT INTO {table} SELECT /*+ COALESCE(1) */ {columns}, {value} FROM {table} "
            f"WHERE n BETWEEN {low} AND {low} + 9"
        )
        for function in ("max(later)", "min(later)", "max_by(later, later), min_by(n, n)"):
            query = f"SELECT {function} FROM {table}"
            assert list(map(repr, spark.sql(query).collect())) == plain(spark, query)


@pytest.mark.parametrize("metrics", ["truncate(16)", "none"])
def test_partitions_and_their_evolution(spark: SparkSession, metrics: str) -> None:
    name = tables.new_name()
    spark.sql(
        f"CREATE TABLE {name} USING iceberg PARTITIONED BY (k) "
        f"TBLPROPERTIES ('write.metadata.metrics.default' = '{metrics}') AS "
        "SELECT id, IF(id % 9 = 0, NULL, id % 9) AS k FROM range(1000)"
    )
    hold_files(spark, f"SELECT max(k) FROM {name}", 1)
    hold_files(spark, f"SELECT min(k), max(k) FROM {name}", 2)
    hold_files(spark, f"SELECT min(k) FROM {name} WHERE k > 3", 1)
    spark.sql(f"ALTER TABLE {name} REPLACE PARTITION FIELD k WITH truncate(100, id)")
    spark.sql(f"INSERT INTO {name} SELECT id, id - 20 FROM range(300)")
    for function in ("max(k)", "min(k)", "min_by(k, k), max(k)", "max(id)"):
        query = f"SELECT {function} FROM {name}"
        assert list(map(repr, spark.sql(query).collect())) == plain(spark, query)


def test_row_groups(spark: SparkSession) -> None:
    rows = spark.range(0, 4000, 1, 2).selectExpr("id", "id * 1009 % 4001 AS v", "id % 5 AS m")
    table = tables.write_frame(
        rows, format__version="3", **MERGE_ON_READ, **tables.SMALL_ROW_GROUPS
    )
    report = hold_files(spark, f"SELECT max(id) FROM {table}", 1)
    assert report is not None
    assert (report.row_groups.scanned, report.row_groups.total) == (1, 20)
    report = hold_files(spark, f"SELECT max(id), min(id) FROM {table} WHERE id >= 150", 2)
    assert report is not None
    assert report.row_groups.scanned == 3
    both = hold_files(spark, f"SELECT max(id), min(id) FROM {table} WHERE id > 2000", 1)
    assert both is not None
    assert both.row_groups.scanned == 3
    assert sum(part.scanned for part in both.row_groups.details) == 3
    hold_files(spark, f"SELECT max(id), max(v) FROM {table}", None)
    hold_files(spark, f"SELECT max(id) FROM {table} WHERE m = 3", None)
    spark.sql(f"DELETE FROM {table} WHERE id >= 3950")
    report = hold_files(spark, f"SELECT max(id) FROM {table}", 1)
    assert report is not None
    assert report.row_groups.scanned == 1
    # All deleted rows may be in each row group, so that none has a row for certain.
    spark.sql(f"DELETE FROM {table} WHERE id >= 3900")
    hold_files(spark, f"SELECT max(id) FROM {table}", None)


def test_files_of_other_formats(spark: SparkSession, tmp_path: Path) -> None:
    hold_files(spark, f"SELECT max(id) FROM {write(spark, write_format_default='avro')}", None)
    hold_files(spark, f"SELECT max(id) FROM {write(spark, write_format_default='orc')}", 1)
    spark.range(0, 2000, 1, 20).write.parquet(str(tmp_path / "plain"))
    name = tables.new_name()
    spark.sql(f"CREATE TABLE {name} (id BIGINT) USING iceberg")
    spark.sql(
        f"CALL ice.system.add_files(table => '{name.removeprefix('ice.')}', "
        f"source_table => '`parquet`.`{tmp_path / 'plain'}`')"
    )
    hold_files(spark, f"SELECT max(id), min(id) FROM {name}", 2)


def test_snapshots_branches_and_commits(spark: SparkSession) -> None:
    table = write(spark)
    first = java_table(spark, table).currentSnapshot().snapshotId()
    spark.sql(f"ALTER TABLE {table} CREATE BRANCH b1")
    planned = spark.sql(f"SELECT min(id) FROM {table}")
    planned._jdf.queryExecution().executedPlan()
    spark.sql(
        f"INSERT INTO {table} SELECT id - 9 AS id, {', '.join(spark.table(table).columns[1:])}"
        f" FROM {table} WHERE id = 5"
    )
    assert planned.collect() == [(0,)]
    hold_files(spark, f"SELECT min(id) FROM {table}", 1)
    assert spark.sql(f"SELECT min(id) FROM {table}").collect() == [(-4,)]
    hold_files(spark, f"SELECT min(id) FROM {table} VERSION AS OF {first}", 1)
    hold_files(spark, f"SELECT min(id) FROM {table} VERSION AS OF 'b1'", 1)


ANYWHERE = [
    "SELECT * FROM t WHERE id >= (SELECT max(id) - 3 FROM t)",
    "SELECT (SELECT max(id) FROM t) - (SELECT min(id) FROM t), (SELECT max(id) FROM t)",
    "SELECT (SELECT max(id) FROM t WHERE id < 950), (SELECT max(id) FROM t WHERE id < 951)",
    "SELECT (SELECT max(id) FROM t WHERE id < 949), (SELECT max(id) FROM t WHERE m = 9)",
    "SELECT (SELECT max(id) FROM t WHERE m = 3), (SELECT max(id) FROM t)",
    "SELECT count(*) FROM t WHERE id > (SELECT min(id) FROM t) AND m < (SELECT max(m) FROM t)",
    "SELECT max(id) FROM t UNION ALL SELECT min(id) FROM t UNION ALL SELECT max(m) FROM t",
    "SELECT * FROM (SELECT max(id) AS k FROM t) JOIN t ON id = k",
    "SELECT t.id FROM t LEFT JOIN (SELECT max(id) AS k FROM t) ON id = k WHERE k IS NOT NULL",
    "SELECT max(k) FROM (SELECT max(id) AS k FROM t UNION ALL SELECT 7)",
    "WITH c AS (SELECT max(id) AS k FROM t) SELECT a.k, b.k FROM c a, c b WHERE a.k = b.k",
    "SELECT m, (SELECT max(id) FROM t i WHERE i.m = o.m) FROM (SELECT DISTINCT m FROM t) o",
    "SELECT m FROM (SELECT DISTINCT m FROM t) o WHERE EXISTS (SELECT max(id) FROM t)",
    "SELECT max(id) FROM (SELECT id FROM t ORDER BY id DESC LIMIT 500)",
    "SELECT max(id) FROM (SELECT id FROM t ORDER BY id LIMIT 30)",
    "SELECT max(id) FROM t WHERE b = (SELECT max(b) FROM t)",
    "SELECT max(id) FROM t LIMIT 1",
    "SELECT explode(sequence(k - 2, k)) AS e FROM (SELECT max(id) AS k FROM t) ORDER BY e LIMIT 2",
    (
        "WITH c AS (SELECT uuid() u, id FROM t WHERE id >= (SELECT max(id) - 5 FROM t)) "
        "SELECT count(*) FROM c a JOIN c b ON a.u = b.u"
    ),
    "WITH c AS (SELECT uuid() u, max(id) k FROM t) SELECT a.k FROM c a JOIN c b ON a.u = b.u",
    "SELECT max(a.id) FROM t a LEFT JOIN t b ON a.id = b.id + 1",
    "SELECT max(e) FROM (SELECT explode(sequence(id, id + 2)) AS e FROM t)",
    "SELECT id FROM t WHERE id IN (SELECT max(id) FROM t UNION ALL SELECT min(id) FROM t)",
    "SELECT max(id) FROM (SELECT id FROM t UNION ALL SELECT id FROM t WHERE id < 7)",
]


@pytest.mark.parametrize("query", ANYWHERE)
def test_anywhere_in_a_query(spark: SparkSession, table: str, query: str) -> None:
    spark.table(table).createOrReplaceTempView("t")
    for adaptive in ("true", "false"):
        with conf(spark, {"spark.sql.adaptive.enabled": adaptive}):
            found = sorted(map(repr, spark.sql(query).collect()))
            assert found == plain(spark, query), query


def test_scans_that_are_pruned_in_subqueries(spark: SparkSession, table: str) -> None:
    spark.table(table).createOrReplaceTempView("t")
    for query, scans in [(ANYWHERE[0], 1), (ANYWHERE[6], 2), (ANYWHERE[7], 1), (ANYWHERE[8], 1)]:
        assert physical(spark.sql(query)).count("LimitPruned(files=1 of 20") == scans, query
    with conf(spark, {"spark.limitPruning.minMax": "false"}):
        assert "LimitPruned" not in physical(spark.sql(ANYWHERE[0]))


def test_a_limit_that_waits(spark: SparkSession, table: str, tmp_path: Path) -> None:
    """A LIMIT over Parquet compares its predicate, with the subqueries, when the query runs."""
    rows = spark.range(0, 1000, 1, 4).selectExpr("id", "id DIV 100 * 199 + 208 AS k")
    rows.write.partitionBy("k").parquet(str(tmp_path / "p"))
    spark.read.parquet(str(tmp_path / "p")).createOrReplaceTempView("p")
    query = f"SELECT * FROM p WHERE k = (SELECT max(id) FROM {table})"
    df = hold(spark, query, 5)
    shown = physical(df)
    assert "ChooseWhenRun" in shown
    assert "LimitPruned(" not in shown
    assert limit_pruning.report(df).only.covered
    hold(spark, f"{query} AND id >= (SELECT min(id) FROM {table} WHERE id > 950)", 5)
    hold(spark, f"SELECT * FROM {table} WHERE id >= (SELECT max(id) - 30 FROM {table})", 5)


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_copies_of_an_aggregate_have_the_value_of_one_row(
    spark: SparkSession, adaptive: str
) -> None:
    """Of rows with the same key, max_by and min_by have the value of any one."""
    rows = spark.range(0, 6000, 1, 12).selectExpr("id", "IF(id DIV 500 IN (2, 8), 9, 3) AS k")
    u = tables.write_frame(rows)
    ties = "max_by(id, k) AS v, min_by(id, k) AS w"
    queries = [
        f"WITH c AS (SELECT {other}, {ties} FROM {u}) "
        f"SELECT count(*) FROM c a JOIN c b ON a.{v} = b.{v} WHERE b.n > -1"
        for other in ("count(*) AS n", "min(id) AS n", "max(k) AS n")
        for v in "vw"
    ]
    queries.append(
        f"WITH c AS (SELECT max(id) AS n, {ties} FROM {u}) "
        f"SELECT count(*) FROM {u} WHERE id = (SELECT v FROM c) "
        "AND id IN (SELECT v FROM c WHERE n > 0)"
    )
    with conf(spark, {"spark.sql.adaptive.enabled": adaptive}):
        for query in queries:
            assert plain(spark, query) == ["Row(count(1)=1)"], query
            assert repr(spark.sql(query).collect()) == "[Row(count(1)=1)]", query
        alone = spark.sql(f"SELECT max_by(id, k) FROM {u}")
        assert alone.collect()[0][0] // 500 in (2, 8)
        assert is_pruned(alone)


@needs_spark("recursive CTEs", since=(4, 1))
def test_iterations_of_a_recursive_cte_have_the_value_of_one_row(spark: SparkSession) -> None:
    rows = spark.range(0, 6000, 1, 12).selectExpr("id", "IF(id DIV 500 IN (2, 8), 9, 3) AS k")
    u = tables.write_frame(rows)
    for value in ("max_by(id, k)", "min_by(id, k)"):
        for other in ("count(*)", "min(id)", "max(k)"):
            query = (
                f"WITH RECURSIVE s AS (SELECT {value} AS v, {other} AS n FROM {u}), "
                "r(v, d) AS (SELECT v, 0 FROM s UNION ALL"
                " SELECT s.v, d + 1 FROM r JOIN s ON r.v = s.v WHERE d < 3 AND s.n > -1)"
                " SELECT count(*) AS n FROM r"
            )
            assert plain(spark, query) == ["Row(n=4)"], query
            assert repr(spark.sql(query).collect()) == "[Row(n=4)]", query


@pytest.mark.parametrize("mode", ["merge-on-read", "copy-on-write"])
def test_writes_with_a_min_or_max(spark: SparkSession, mode: str) -> None:
    writes = {f"write_{what}_mode": mode for what in ("delete", "update", "merge")}
    statements = [
        "DELETE FROM {} WHERE id >= (SELECT max(id) - 20 FROM {})",
        "UPDATE {} SET m = -1 WHERE id = (SELECT max_by(id, s) FROM {}) OR id < 3",
        (
            "MERGE INTO {} USING (SELECT max(id) + 1 AS k, min(id) AS l FROM {}) ON id = l "
            "WHEN MATCHED THEN UPDATE SET id = k"
        ),
        (
            "MERGE INTO {} USING (SELECT max_by(id, b) AS k FROM {}) ON id = k "
            "WHEN MATCHED THEN DELETE"
        ),
        "DELETE FROM {} WHERE m = (SELECT min(m) FROM {})",
    ]
    columns = ["id", "m", "s", "b"]
    ours, theirs = (
        tables.write_frame(
            spark.range(0, 400, 1, 20).selectExpr(
                "id", "id % 7 AS m", "CONCAT('s', LPAD(id, 4, '0')) AS s", "id = 333 AS b"
            ),
            format__version="3",
            **writes,
        )
        for _ in range(2)
    )
    for statement in statements:
        spark.sql(statement.format(ours, ours))
        with conf(spark, {ENABLED: "false"}):
            spark.sql(statement.format(theirs, theirs))
        found, wanted = (
            plain(spark, f"SELECT {', '.join(columns)} FROM {t}") for t in (ours, theirs)
        )
        assert found == wanted, statement


def test_the_report_and_explain(spark: SparkSession, table: str) -> None:
    query = f"SELECT max(id), min(s) FROM {table} WHERE id >= 50"
    report = hold_files(spark, query, 3)
    assert report is not None
    assert report.limit == 1
    assert report.order_by == f"{table}.id DESC NULLS LAST, {table}.s ASC NULLS LAST"
    assert report.threshold == "1900L, 's0199'"
    assert report.rows.certain == 100
    assert report.rows.to_read == 300
    assert len(report.files.chosen) == 3
    assert report.files.inspected == report.files.total == 20
    plan = physical(spark.sql(query))
    assert "LimitPruned(files=3 of 20, rows=300, orderBy=" in plan
    assert limit_pruning.history(spark)[-1].report.only.order_by == report.order_by
