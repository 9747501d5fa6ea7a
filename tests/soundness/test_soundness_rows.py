"""Rows that are found by reading the columns of predicate and sort keys first."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf

from support.files.compact_thrift import LIST, TRUE
from support.files.lies import LyingFile
from support.runs import ENABLED, conf
from support.scan_tables import hold, physical, plain

ROWS_FIRST = {
    "spark.limitPruning.rows.minBytes": "0",
    "spark.limitPruning.pages.minBytes": "0",
}
VERIFIED = "RowsVerified"
ERRORS = (PySparkException, Py4JJavaError)


@pytest.fixture(autouse=True)
def always(spark: SparkSession) -> Iterator[None]:
    """Search by rows wherever it is possible: the tables are small."""
    with conf(spark, ROWS_FIRST):
        yield


def table(spark: SparkSession, path: Path, name: str = "t", shift: int = 0) -> Path:
    """Write and register ``v``, which is unsorted, between other columns, in two files."""
    rows = spark.range(0, 2000, 1, 2).selectExpr(
        "concat('before ', id) AS a",
        "id",
        f"(id + {shift}) * 7919 % 101 AS v",
        "IF(id % 7 = 0, NULL, hash(id) % 5) AS n",
        "concat('behind ', id) AS z",
    )
    rows.write.option("parquet.page.row.count.limit", "100").parquet(str(path))
    spark.read.parquet(str(path)).createOrReplaceTempView(name)
    return path


def replace(path: Path, other: Path) -> None:
    """Replace the content of each file of a table, with its checksum, by that of another table."""
    files = (sorted(folder.glob("*.parquet")) for folder in (path, other))
    for old, new in zip(*files, strict=True):
        shutil.copy(new, old)
        shutil.copy(new.with_name(f".{new.name}.crc"), old.with_name(f".{old.name}.crc"))


def test_line_92_one_path_of_two_listed_files(spark: SparkSession, tmp_path: Path) -> None:
    path = str(table(spark, tmp_path / "t"))
    spark.read.parquet(path, path).createOrReplaceTempView("twice")
    df = hold(spark, "SELECT * FROM twice WHERE v = 42 AND n IS NOT NULL", 1000)
    assert VERIFIED not in physical(df)
    df = hold(spark, "SELECT * FROM t WHERE v = 42 AND n IS NOT NULL", 1000)
    assert VERIFIED in physical(df)


def test_line_93_a_file_that_changes_before_its_rows_are_read(
    spark: SparkSession, tmp_path: Path
) -> None:
    """A DataFrame that has run once has chosen its rows; then its files change in place."""
    path = table(spark, tmp_path / "t")
    other = table(spark, tmp_path / "other", "other", shift=1)
    df = spark.table("t").where("v = 42 AND n IS NOT NULL").limit(5)
    assert len(df.collect()) == 5
    assert VERIFIED in physical(df)
    replace(path, other)
    with pytest.raises(ERRORS, match="is not the file that the LIMIT was planned for"):
        df.collect()


def test_line_93_a_file_that_changes_before_the_job(spark: SparkSession, tmp_path: Path) -> None:
    """The listing is older than the file, so nothing that the job finds is used."""
    path = table(spark, tmp_path / "t")
    other = table(spark, tmp_path / "other", "other", shift=1)
    df = spark.table("t").where("v = 42 AND n IS NOT NULL").limit(5)
    assert "by reading the columns" in physical(df)
    replace(path, other)
    try:
        rows = df.collect()
    except ERRORS as error:
        assert "is not the file" in str(error)  # noqa: PT017 (both are right)
    else:
        assert len(rows) == 5
        assert all(row.v == 42 for row in rows)


@pytest.mark.usefixtures("spark")
def test_line_94_columns_at_other_ordinals(spark: SparkSession, tmp_path: Path) -> None:
    table(spark, tmp_path / "t")
    for columns in ("z, n, v, id, a", "z", "v", "id, z", "upper(z) AS u, v + 1 AS w"):
        for predicate in ("v = 42", "n = 3 AND v > 50", "a LIKE '%99' AND n IS NULL"):
            df = hold(spark, f"SELECT {columns} FROM t WHERE {predicate}", 6)
            if columns != "v":
                assert VERIFIED in physical(df), (columns, predicate)


ORDERS = {
    "second key decides": "n, v DESC, id",
    "nulls first": "n NULLS FIRST, id DESC",
    "nulls last": "n DESC NULLS LAST, v, id",
    "expression": "v % 10 DESC, abs(n), id",
}


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS.keys())
def test_line_95_first_rows_by_all_keys(spark: SparkSession, tmp_path: Path, order: str) -> None:
    table(spark, tmp_path / "t")
    for where in ("", "WHERE v > 60 "):
        query = f"SELECT a, z, n, v FROM t {where}ORDER BY {order}"
        for suffix in ("LIMIT 11", "LIMIT 4 OFFSET 9", "LIMIT 3000"):
            expected = plain(spark, f"{query} {suffix}")
            df = spark.sql(f"{query} {suffix}")
            assert [tuple(row) for row in df.collect()] == expected, suffix
            if suffix != "LIMIT 3000":
                assert VERIFIED in physical(df)


def test_line_95_first_rows_of_many_partitions(spark: SparkSession, tmp_path: Path) -> None:
    """So many that tasks merge what other tasks found."""
    rows = spark.range(0, 8000, 1, 40).selectExpr("id", "id * 7919 % 101 v", "concat('s', id) s")
    rows.write.parquet(str(tmp_path / "t"))
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("many")
    query = "SELECT * FROM many WHERE v < 90 ORDER BY v DESC, id LIMIT 3000"
    with conf(spark, {"spark.sql.files.maxPartitionBytes": "4k"}):
        assert spark.table("many").rdd.getNumPartitions() == 40
        df = spark.sql(query)
        assert [tuple(row) for row in df.collect()] == plain(spark, query)
        assert VERIFIED in physical(df)


def test_line_95_floats_in_sparks_order(spark: SparkSession, tmp_path: Path) -> None:
    values = [float("nan"), -0.0, 0.0, 1.5, None, float("inf"), float("-inf"), -2.0] * 40
    columns = {"f": values, "id": list(range(320)), "s": [f"s{i}" for i in range(320)]}
    pq.write_table(pa.table(columns), tmp_path / "f.parquet", row_group_size=64)
    spark.read.parquet(str(tmp_path)).createOrReplaceTempView("floats")
    for order in ("f, id", "f DESC, id DESC", "f NULLS LAST, id", "-f, id"):
        query = f"SELECT * FROM floats ORDER BY {order} LIMIT 90"
        df = spark.sql(query)
        assert list(map(repr, df.collect())) == [
            repr(row) for row in _rows_without(spark, query)
        ], order


def _rows_without(spark: SparkSession, query: str) -> list[object]:
    with conf(spark, {ENABLED: "false"}):
        return list(spark.sql(query).collect())


def test_line_96_an_error_of_the_predicate(spark: SparkSession, tmp_path: Path) -> None:
    """A task of a job reaches a row at which the predicate fails; plain Spark may not."""
    table(spark, tmp_path / "t")
    with conf(spark, {"spark.sql.ansi.enabled": "true"}):
        failing = "SELECT a, z FROM t WHERE 1 / (id - 1999) < 9 AND v = 42 LIMIT {}"
        for limit in (1, 3, 1000):
            answers: list[int | str] = []
            for enabled in ("false", "true"):
                with conf(spark, {ENABLED: enabled}):
                    try:
                        answers.append(len(spark.sql(failing.format(limit)).collect()))
                    except PySparkException as error:
                        answers.append(error.getCondition() or "?")
            assert answers[0] == answers[1], limit


@pytest.mark.usefixtures("spark")
def test_line_97_what_is_not_evaluated_twice(spark: SparkSession, tmp_path: Path) -> None:
    path = table(spark, tmp_path / "t")
    spark.udf.register("plus", udf(lambda value: value + 1, "long"))
    for source, predicate in (
        ("t", "v + rand(7) > 101.5"),
        ("t", "plus(v) = 43"),
        (f"parquet.`{path}`", "v = 42 AND _metadata.row_index > 3"),
    ):
        df = spark.sql(f"SELECT a, z, n FROM {source} WHERE {predicate} LIMIT 4")
        df.collect()
        assert VERIFIED not in physical(df), predicate


@pytest.mark.parametrize("version", ["1.0", "2.6"])
def test_line_98_row_numbers_without_page_index(
    spark: SparkSession, tmp_path: Path, version: str
) -> None:
    """Values in encodings in which Spark's reader loses its place, and pages without an index."""
    count = 5000
    columns = {
        "id": list(range(count)),
        "v": [i * 7919 % 101 for i in range(count)],
        "s": [f"string {i}" for i in range(count)],
        "d": [i * 31 for i in range(count)],
    }
    for index in (True, False):
        folder = tmp_path / f"{version} {index}"
        folder.mkdir()
        pq.write_table(
            pa.table(columns),
            folder / "f.parquet",
            row_group_size=2000,
            use_dictionary=False,
            column_encoding={"d": "DELTA_BINARY_PACKED", "v": "DELTA_BINARY_PACKED"},
            data_page_size=512,
            write_batch_size=64,
            data_page_version=version.replace("2.6", "2.0"),
            write_page_index=index,
        )
        spark.read.parquet(str(folder)).createOrReplaceTempView("delta")
        df = hold(spark, "SELECT * FROM delta WHERE v = 42", 30)
        assert VERIFIED in physical(df)
        df = hold(spark, "SELECT * FROM delta ORDER BY v DESC, id", 70, ordered=True)
        assert VERIFIED in physical(df)


def test_line_99_fewer_rows_than_the_limit_needs(spark: SparkSession, tmp_path: Path) -> None:
    table(spark, tmp_path / "t")
    with conf(spark, {"spark.sql.files.maxPartitionBytes": "4k"}):
        for predicate in ("v = 42 AND n = 2", "v = 200 - id * id"):
            query = f"SELECT a, z FROM t WHERE {predicate}"
            df = hold(spark, query, 1500)
            count = len(plain(spark, query))
            assert f"RowsVerified: {count}, which are all that match" in physical(df)


def test_line_100_column_indexes_of_a_writer_that_is_not_listed(
    spark: SparkSession, tmp_path: Path
) -> None:
    """The index says that the pages of the second half are null, so plain Spark skips them."""
    columns = pa.table({"id": range(2000), "v": [i * 7919 % 101 for i in range(2000)]})
    out = io.BytesIO()
    pq.write_table(columns, out, data_page_size=512, write_batch_size=64, write_page_index=True)
    for writer, finds in (("someone version 1.0", False), ("parquet-mr version 1.17.0", True)):
        file = LyingFile(out.getvalue())
        file.set_writer(writer)
        (chunk,) = file.chunks("v")
        index = chunk.index()
        assert index is not None
        pages = len(index[1][1][1])
        index[1] = (LIST, (TRUE, [page >= pages // 2 for page in range(pages)]))
        chunk.set_index(index)
        (tmp_path / writer).mkdir()
        (tmp_path / writer / "f.parquet").write_bytes(file.bytes())
        spark.read.parquet(str(tmp_path / writer)).createOrReplaceTempView("indexed")
        query = "SELECT * FROM indexed WHERE v % 50 = 42 ORDER BY v, id LIMIT 30"
        df = spark.sql(query)
        found = [tuple(row) for row in df.collect()]
        assert (VERIFIED in physical(df)) == finds
        if not finds:
            assert found == plain(spark, query)
