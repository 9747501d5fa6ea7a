"""Where metadata find no rows of a Delta table, columns are read first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from support.delta import tables
from support.runs import VECTORIZED, conf, hold_counts
from support.scan_tables import hold, hold_frame, physical, plain
from support.sessions import OURS_FIRST

ROWS, FILES = 4_000, 4
SMALL = {
    "block.size": "32768",
    "page.size": "2048",
    "page.row.count.limit": "100",
    "enable.dictionary": "false",
}
SOME = "id % 10 = 3"
"""Rows to delete, of each row group."""
KEPT_ROW_INDEX = "spark.databricks.delta.deletionVectors.useMetadataRowIndex"


@pytest.fixture(autouse=True)
def always(spark: SparkSession) -> Iterator[None]:
    """Search by rows wherever it is possible: the tables are small."""
    settings = {"rows.minBytes": "0", "pages.minBytes": "0"}
    with conf(spark, {f"spark.limitPruning.{name}": value for name, value in settings.items()}):
        yield


def write(
    spark: SparkSession, path: Path, by: str | None = None, delete: str = "", **properties: str
) -> str:
    """Write files of several row groups; no column but ``id`` is sorted. Return their name."""

    def write_to(made: Path) -> None:
        if delete:
            spark.sql(f"DELETE FROM {write(spark, made, by, **properties)} WHERE {delete}")
        else:
            _write(spark, made, by, properties)

    return tables.once(path, ("by rows", by, delete, *sorted(properties.items())), write_to)


def _write(spark: SparkSession, path: Path, by: str | None, properties: dict[str, str]) -> None:
    rows = spark.range(0, ROWS, 1, FILES).selectExpr(
        "id",
        "id * 7919 % 101 AS v",
        "IF(id % 3 = 0, NULL, hash(id, 1) % 50) AS n",
        "IF(id % 11 = 0, double('NaN'), hash(id, 2) % 9D) AS f",
        "concat('name ', id * 31 % 997) AS s",
        "named_struct('a', id * 17 % 89, 'b', concat('b', id)) AS st",
        "id % 2 AS p",
    )
    wide = rows.selectExpr("*", *(f"concat('{c} of ', id) AS c{c}" for c in range(6)))
    writer = wide.write.format("delta")
    for name, value in properties.items():
        writer = writer.option(f"delta.{name}", value)
    with conf(spark, {f"parquet.{name}": value for name, value in SMALL.items()}):
        (writer.partitionBy(by) if by else writer).save(str(path))


def reason_of(df: DataFrame) -> str | None:
    """Return the code of the reason why the first LIMIT is not covered."""
    reason = limit_pruning.report(df).limits[0].reason
    return reason.code if reason else None


ANY = {
    "v = 100": 20,
    "v < 90": 30,
    "v = 7 AND n IS NULL": 9,
    "s LIKE '%99%' AND p = 1": 20,
    "st.a = 5": 11,
    "f = double('NaN') AND v > 50": 7,
    "v = 1000": 3,
}
FIRST = ["hash(id)", "v DESC, id", "n NULLS LAST, id DESC", "f, id", "st.a, id", "s DESC, id"]


PROVED = ["v < 90"]
"""Metadata may find these rows, too."""
COLUMNS = "id, v, n, s, st, p, c1, c4"
"""Without NaN, which is no value that it equals in Python."""


def matching(
    spark: SparkSession, table: str, predicates: list[str]
) -> dict[str, Counter[tuple[Any, ...]]]:
    """Return the rows for which each predicate is true in plain Delta, which skips no file."""
    marks = ", ".join(f"({predicate}) IS TRUE" for predicate in predicates)
    rows = plain(spark, f"SELECT {COLUMNS}, {marks} FROM {table}")
    width = len(COLUMNS.split(", "))
    return {
        predicate: Counter(row[:width] for row in rows if row[width + number])
        for number, predicate in enumerate(predicates)
    }


def hold_by_rows(spark: SparkSession, table: str, each: int = 1) -> None:
    """Hold queries, or each of so many, to plain Delta; their rows are read first."""
    some = dict([*ANY.items()][::-each])
    allowed = matching(spark, table, [*some])
    for predicate, limit in some.items():
        query = f"SELECT {COLUMNS} FROM {table} WHERE {predicate}"
        df = spark.sql(f"{query} LIMIT {limit}")
        hold_counts(Counter(map(tuple, df.collect())), allowed[predicate], limit, query)
        assert limit_pruning.report(df).only.covered, physical(df)
        assert predicate in PROVED or "RowsVerified" in physical(df)
    for number, order in enumerate(FIRST[::each]):
        where = "" if number % 2 else " WHERE v > 20"
        query = f"SELECT * FROM {table}{where} ORDER BY {order}"
        expected = [repr(row) for row in plain(spark, f"{query} LIMIT 9")]
        df = spark.sql(f"{query} LIMIT 9")
        assert [repr(tuple(row)) for row in df.collect()] == expected, query
        # Spark may still remove fields of the struct of a key when the rows are chosen.
        assert limit_pruning.report(df).only.covered or order.startswith("st.")


@pytest.mark.core
def test_rows_of_a_table(spark: SparkSession, tmp_path: Path) -> None:
    table = write(spark, tmp_path / "t")
    hold_by_rows(spark, table)
    df = hold(spark, f"SELECT {COLUMNS} FROM {table} WHERE v = 42", 5)
    assert limit_pruning.report(df).only.rows.to_read == 5


@OURS_FIRST
def test_rows_by_the_row_based_reader(spark: SparkSession, tmp_path: Path) -> None:
    table = write(spark, tmp_path / "t", enableDeletionVectors="true")
    with conf(spark, {VECTORIZED: "false"}):
        hold_by_rows(spark, table, each=2)
        table = write(spark, tmp_path / "deleted", delete=SOME, enableDeletionVectors="true")
        hold_by_rows(spark, table, each=2)


@OURS_FIRST
def test_the_first_task_of_a_table_with_deleted_rows(spark: SparkSession, tmp_path: Path) -> None:
    """At the root, it reads as Delta does. Columns are read first if it finds too few rows."""
    table = write(spark, tmp_path / "t", enableDeletionVectors="true")
    spark.sql(f"DELETE FROM {table} WHERE id % 10 = 3 OR id < 700")
    by_rows = 0
    settings = {"spark.limitPruning.rows.minBytes": "1", "spark.sql.files.openCostInBytes": "1g"}
    with conf(spark, settings):
        for predicate in ("v < 90", "v = 42", "id % 4000 = 3990"):
            df = hold(spark, f"SELECT {COLUMNS}, c2, c3 FROM {table} WHERE {predicate}", 2)
            assert "TakeFirstRows" in physical(df)
            assert "TakeFirstRows" in physical(df)
            by_rows += "RowsVerified" in physical(df)
    assert 0 < by_rows < 3


DELETED = [SOME, "v < 100 AND id < 3900", "id < 1500 OR v = 7"]


@OURS_FIRST
@pytest.mark.parametrize("delete", DELETED)
def test_line_101_deleted_rows_are_not_found(
    spark: SparkSession, tmp_path: Path, delete: str
) -> None:
    table = write(spark, tmp_path / "t", delete=delete, enableDeletionVectors="true")
    assert any((tmp_path / "t").glob("deletion_vector*.bin"))
    hold_by_rows(spark, table, each=1 if delete == DELETED[0] else 2)


@OURS_FIRST
def test_whole_row_groups_of_files_with_deleted_rows(spark: SparkSession, tmp_path: Path) -> None:
    table = write(spark, tmp_path / "t", delete=SOME, enableDeletionVectors="true")
    df = hold(spark, f"SELECT {COLUMNS} FROM {table} WHERE v = 42", 5)
    report = limit_pruning.report(df).only
    assert report.pages.not_skipped_reason is not None
    assert "deleted rows" in report.pages.not_skipped_reason
    assert report.row_groups.scanned is not None
    assert report.row_groups.total is not None
    assert report.row_groups.scanned < report.row_groups.total


@OURS_FIRST
def test_deltas_own_row_numbers(spark: SparkSession, tmp_path: Path) -> None:
    """Delta then counts rows itself, and reads whole files."""
    table = write(spark, tmp_path / "t", delete=SOME, enableDeletionVectors="true")
    with conf(spark, {KEPT_ROW_INDEX: "false"}):
        for predicate, limit in ANY.items():
            df = hold(spark, f"SELECT {COLUMNS} FROM {table} WHERE {predicate}", limit)
            assert "ChooseWhenRun" not in physical(df)
        hold(spark, f"SELECT {COLUMNS} FROM {table} ORDER BY v, id", 9, ordered=True)


@OURS_FIRST
@pytest.mark.parametrize("mode", ["name", "id"])
def test_mapped_columns(spark: SparkSession, tmp_path: Path, mode: str) -> None:
    reads = {"spark.sql.parquet.fieldId.read.enabled": "true"} if mode == "id" else {}
    with conf(spark, reads) if reads else nullcontext():
        table = write(spark, tmp_path / "t", **{"columnMapping.mode": mode})
        hold_by_rows(spark, table, each=3)
        spark.sql(f"ALTER TABLE {table} RENAME COLUMN v TO w")
        spark.sql(f"ALTER TABLE {table} RENAME COLUMN n TO v")
        df = hold(spark, f"SELECT id, w, v, c1 FROM {table} WHERE w = 42", 5)
        assert "RowsVerified" in physical(df)
        hold(spark, f"SELECT id, w, v, c1 FROM {table} ORDER BY v DESC, w, id", 5, ordered=True)


@OURS_FIRST
def test_partitions_and_versions(spark: SparkSession, tmp_path: Path) -> None:
    table = write(spark, tmp_path / "t", by="p", enableDeletionVectors="true")
    spark.sql(f"DELETE FROM {table} WHERE v = 42 AND p = 1")
    spark.sql(f"INSERT INTO {table} SELECT * FROM {table} WHERE v < 5")
    spark.sql(f"UPDATE {table} SET v = 77 WHERE v = 3")
    hold_by_rows(spark, table, each=3)
    for version in range(4):
        query = f"SELECT {COLUMNS} FROM {table} VERSION AS OF {version} WHERE v IN (3, 42)"
        assert "RowsVerified" in physical(hold(spark, query, 60))


@OURS_FIRST
def test_a_clone(spark: SparkSession, tmp_path: Path) -> None:
    table = write(spark, tmp_path / "t", enableDeletionVectors="true")
    clone = f"delta.`{tmp_path / 'clone'}`"
    spark.sql(f"CREATE TABLE {clone} SHALLOW CLONE {table}")
    spark.sql(f"DELETE FROM {clone} WHERE v = 42 AND id < 900")
    hold_by_rows(spark, clone, each=3)
    hold(spark, f"SELECT {COLUMNS} FROM {table} WHERE v = 42", 50)


@OURS_FIRST
def test_the_log_has_other_modification_times(spark: SparkSession, tmp_path: Path) -> None:
    """Some writers put the time of the commit there."""
    table = write(spark, tmp_path / "t")
    (log,) = (tmp_path / "t" / "_delta_log").glob("*.json")
    changed = log.read_text().replace('"modificationTime":1', '"modificationTime":2')
    assert changed != log.read_text()
    log.write_text(changed)
    (log.parent / f".{log.name}.crc").unlink()
    hold_by_rows(spark, table, each=3)


@OURS_FIRST
def test_the_state_of_the_table_is_that_of_the_plan(spark: SparkSession, tmp_path: Path) -> None:
    table = write(spark, tmp_path / "t", enableDeletionVectors="true")
    query = f"SELECT {COLUMNS} FROM {table} VERSION AS OF 0 WHERE v = 42"
    df = spark.sql(f"SELECT {COLUMNS} FROM {table} WHERE v = 42 LIMIT 30")
    physical(df)
    spark.sql(f"DELETE FROM {table} WHERE v = 42")
    hold_frame(spark, df, query, 30)
    assert "RowsVerified" in physical(df)
    assert hold(spark, f"SELECT {COLUMNS} FROM {table} WHERE v = 42", 30).count() == 0


@OURS_FIRST
def test_below_the_root_and_written(spark: SparkSession, tmp_path: Path) -> None:
    table = write(spark, tmp_path / "t")
    target = f"delta.`{tmp_path / 'copy'}`"
    spark.sql(f"CREATE TABLE {target} USING delta AS SELECT * FROM {table} WHERE v = 42 LIMIT 9")
    spark.sql(f"INSERT INTO {target} SELECT * FROM {target} WHERE v = 42 LIMIT 4")
    assert plain(spark, f"SELECT count(*), min(v), max(v) FROM {target}") == [(13, 42, 42)]
    limited = f"SELECT id, c1 FROM {table} WHERE v = 42 LIMIT 9"
    df = spark.sql(f"SELECT count(*) FROM {table} WHERE id IN (SELECT id FROM ({limited}))")
    assert df.collect()[0][0] == 9
    assert "RowsVerified" in physical(df)


@OURS_FIRST
def test_first_rows_of_the_preserved_side_of_a_join(spark: SparkSession, tmp_path: Path) -> None:
    table = write(spark, tmp_path / "t", delete=SOME, enableDeletionVectors="true")
    right = f"(SELECT v AS k, max(id) AS r FROM {table} WHERE id < 60 GROUP BY v)"
    query = f"SELECT l.id, l.v, r FROM {table} l LEFT JOIN {right} ON l.v = k"
    for where in ("", " WHERE l.v <> 3"):
        for order in ("hash(l.id), l.id", "l.id DESC", "l.n, l.id DESC"):
            df = spark.sql(f"{query}{where} ORDER BY {order} LIMIT 15 OFFSET 2")
            expected = plain(spark, f"{query}{where} ORDER BY {order} LIMIT 15 OFFSET 2")
            assert [tuple(row) for row in df.collect()] == expected
            assert "RowsVerified" in physical(df), physical(df)
            assert limit_pruning.report(df).limits[0].covered


@OURS_FIRST
def test_values_of_subqueries_are_left_to_spark(spark: SparkSession, tmp_path: Path) -> None:
    table = write(spark, tmp_path / "t", by="p", enableDeletionVectors="true")
    spark.sql(f"DELETE FROM {table} WHERE id BETWEEN 3800 AND 3990")
    for predicate in (
        f"v = (SELECT max(v) - 3 FROM {table})",
        f"p = (SELECT max(p) FROM {table}) AND s LIKE '%9%'",
        f"id >= (SELECT max(id) - 210 FROM {table})",
    ):
        df = hold(spark, f"SELECT {COLUMNS} FROM {table} WHERE {predicate}", 12)
        assert reason_of(df) == "subquery"


@OURS_FIRST
def test_selected_metadata(spark: SparkSession, tmp_path: Path) -> None:
    table = write(spark, tmp_path / "t", delete=SOME, enableDeletionVectors="true")
    for columns in ("_metadata.file_path", "_metadata.row_index"):
        for counted in ("true", "false"):
            with conf(spark, {KEPT_ROW_INDEX: counted}):
                some = f"SELECT id, {columns} FROM {table} WHERE v = 42"
                found = hold(spark, some, 15)
                every = f"SELECT id, {columns} FROM {table} ORDER BY v DESC, id"
                first = hold(spark, every, 15, ordered=True)
            for df in (found, first):
                assert ("RowsVerified" in physical(df)) == (counted == "true")
