"""The inspection of a whole table, from Python."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession, functions
from rich.console import Console

import limit_pruning
from limit_pruning import LimitReport
from support import tables
from support.runs import conf
from support.tables import Table

SELECT = "SELECT s FROM tracking_data"
ALPINE = "species LIKE 'Alpine%' AND s >= 50"


def without_details(limit: LimitReport) -> dict[str, Any]:
    """Return the report without single row groups, and without what differs from run to run."""
    plain = limit.to_dict()
    del plain["row_groups"]["details"], plain["time"], plain["files"]["footers_cached"]
    return plain


def test_the_case_study(spark: SparkSession, wildlife: Table) -> None:
    found = limit_pruning.inspect(spark, "tracking_data", ALPINE, limit=3)
    row_groups = found.row_groups
    states = [group.state for group in row_groups.details]
    assert states == ["not", "partially", "fully", "partially"]
    assert [group.scanned for group in row_groups.details] == [False, False, True, False]
    assert (row_groups.total, row_groups.matched, row_groups.fully_matched) == (4, 3, 1)
    assert row_groups.bytes == sum(group.bytes for group in row_groups.details)
    assert row_groups.omitted == 0
    assert (found.files.total, found.files.inspected) == (1, 1)
    assert (found.rows.total, found.rows.proved) == (len(wildlife.rows), 3)
    assert found.report.covered
    assert found.report.rows.read is None


def test_its_report_of_the_limit_is_that_of_the_query(
    spark: SparkSession, sightings: Table
) -> None:
    for predicate in ("s >= 8", "s % 7 = 3", "day = DATE'2024-01-02'", None):
        found = limit_pruning.inspect(spark, "sightings", predicate, limit=4)
        df = spark.table("sightings").where(predicate or "true").limit(4)
        assert without_details(found.report) == without_details(limit_pruning.report(df).only)
        files = 2 if predicate == "day = DATE'2024-01-02'" else len(sightings.files)
        assert (found.files.total, found.files.inspected) == (files, files)


@pytest.mark.usefixtures("wildlife")
def test_predicates_in_sql_and_as_columns(spark: SparkSession) -> None:
    expected = limit_pruning.inspect(spark, "tracking_data", "s >= 50 AND s < 102", limit=3)
    column = (functions.col("s") >= 50) & (functions.col("s") < 102)
    table = spark.table("tracking_data")
    for found in (
        limit_pruning.inspect(spark, "tracking_data", column, limit=3),
        limit_pruning.inspect(spark, table, column, limit=3),
        limit_pruning.inspect(spark, table.where(column), limit=3),
        limit_pruning.inspect(spark, table.where("s >= 50"), table.s < 102, limit=3),
        limit_pruning.inspect(spark, table.where("s >= 50"), "s < 102", limit=3),
    ):
        assert without_details(found.report) == without_details(expected.report)
        assert found.row_groups == expected.row_groups
        assert found.columns == expected.columns
    assert expected.row_groups.fully_matched == 1


@pytest.mark.usefixtures("wildlife")
def test_a_data_frame_with_projections(spark: SparkSession) -> None:
    df = spark.sql("SELECT s + 1 AS more FROM tracking_data WHERE s >= 50")
    found = limit_pruning.inspect(spark, df.where("more < 103"), limit=3)
    assert found.report.predicate is not None
    assert "50" in found.report.predicate
    assert "103" in found.report.predicate
    assert (found.row_groups.total, found.row_groups.fully_matched) == (4, 1)
    assert limit_pruning.inspect(spark, df.select("more")).report.limit == 1


@pytest.mark.usefixtures("wildlife")
@pytest.mark.parametrize(
    ("sql", "message"),
    [
        (f"{SELECT} UNION ALL {SELECT} WHERE s > 9", "a UNION"),
        (f"SELECT a.s FROM ({SELECT}) a JOIN tracking_data b USING (s)", "a JOIN"),
        ("SELECT s, count(*) FROM tracking_data GROUP BY s", r"an aggregation \(Aggregate\)"),
        ("SELECT count(*) FROM tracking_data", r"an aggregation \(Aggregate\)"),
        (f"{SELECT} ORDER BY s", r"an ORDER BY \(Sort\)"),
        ("SELECT sum(s) OVER (PARTITION BY s) FROM tracking_data", "a window function"),
        ("SELECT explode(array(s, 1)) FROM tracking_data", "Generate"),
        (f"{SELECT} LIMIT 1", "more than one LIMIT"),
        (f"{SELECT} LIMIT 100", "more than one LIMIT"),
        (f"SELECT count(*) FROM ({SELECT} LIMIT 9)", "more than one LIMIT"),
        (f"{SELECT} OFFSET 2", "more than one LIMIT or OFFSET"),
        ("SELECT id FROM range(9)", "Range, which is no Parquet table"),
        (f"{SELECT} WHERE s > (SELECT min(s) FROM tracking_data)", r"\(subquery\): the predicate"),
    ],
)
def test_a_data_frame_that_is_no_table_with_filters(
    spark: SparkSession, sql: str, message: str
) -> None:
    with pytest.raises(limit_pruning.InspectionError, match=message) as error:
        limit_pruning.inspect(spark, spark.sql(sql))
    assert len(str(error.value).splitlines()) == 1
    if "subquery" not in message:
        assert "Supported are filters and projections over one Parquet table: " in str(error.value)


@pytest.mark.usefixtures("wildlife")
def test_the_filters_of_a_limited_data_frame_are_not_dropped(spark: SparkSession) -> None:
    df = spark.sql(f"{SELECT} LIMIT 1").where("s >= 50")
    with pytest.raises(limit_pruning.InspectionError, match="more than one LIMIT"):
        limit_pruning.inspect(spark, df)


@pytest.mark.usefixtures("wildlife")
def test_a_cached_data_frame(spark: SparkSession) -> None:
    df = spark.sql(f"{SELECT} WHERE s >= 50")
    df.cache()
    try:
        for cached in (df, df.where("s < 90"), spark.sql(f"{SELECT} WHERE s >= 50")):
            message = r"a cached DataFrame \(InMemoryRelation\).*call unpersist\(\) first"
            with pytest.raises(limit_pruning.InspectionError, match=message):
                limit_pruning.inspect(spark, cached)
    finally:
        df.unpersist(blocking=True)
    assert limit_pruning.inspect(spark, df).rows.total == 12


@pytest.mark.usefixtures("wildlife")
def test_a_python_udf(spark: SparkSession) -> None:
    df = spark.sql(SELECT).select(functions.udf(lambda s: s)("s"))
    with pytest.raises(limit_pruning.InspectionError, match=r"a Python UDF \(\w+EvalPython\)"):
        limit_pruning.inspect(spark, df)


@pytest.mark.usefixtures("wildlife")
def test_what_the_optimizer_removes_is_no_obstacle(spark: SparkSession) -> None:
    for sql in (
        f"WITH t AS ({SELECT} WHERE s > 1) SELECT * FROM t WHERE s < 90",
        f"{SELECT} UNION ALL {SELECT} WHERE 1 = 2",
    ):
        assert limit_pruning.inspect(spark, spark.sql(sql)).rows.total == 12


@pytest.mark.parametrize(
    ("table", "predicate", "message"),
    [
        (3, None, r"inspect\(\) takes a str, a path or a pyspark DataFrame as table, not int: 3"),
        (None, None, "as table, not NoneType"),
        ("tracking_data", True, r"takes a str, a pyspark Column or None as predicate, not bool"),
    ],
)
@pytest.mark.usefixtures("wildlife")
def test_other_types(spark: SparkSession, table: Any, predicate: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        limit_pruning.inspect(spark, table, predicate)


@pytest.mark.parametrize("kind", ["DataFrame", "Column"])
def test_objects_of_spark_connect(spark: SparkSession, wildlife: Table, kind: str) -> None:
    remote: Any = type(kind, (), {"__module__": f"pyspark.sql.connect.{kind.lower()}"})()
    table, predicate = (remote, None) if kind == "DataFrame" else (wildlife.path, remote)
    with pytest.raises(
        limit_pruning.SparkConnectNotSupportedError,
        match=f"limit_pruning.inspect needs .* this {kind} is a Spark Connect one",
    ):
        limit_pruning.inspect(spark, table, predicate)


@pytest.mark.parametrize("kind", ["path", "path object", "folder", "glob", "uri", "table"])
def test_paths_and_tables(
    spark: SparkSession, wildlife: Table, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = wildlife.path
    monkeypatch.chdir(file.parent)
    names: dict[str, str | Path] = {
        "path": str(file),
        "path object": Path(file.name),  # relative to the working directory of Python
        "folder": str(file.parent),
        "glob": f"{file.parent}/*.parquet",
        "uri": file.as_uri(),
        "table": "tracking_data",
    }
    assert limit_pruning.inspect(spark, names[kind]).rows.total == 12


def test_a_path_object_with_characters_that_uris_encode(
    spark: SparkSession, wildlife: Table
) -> None:
    folder = wildlife.path.parent / "a folder of 100%"
    folder.mkdir()
    wildlife.path.rename(folder / "a b.parquet")
    assert limit_pruning.inspect(spark, folder).rows.total == 12


def test_a_str_is_resolved_as_spark_does(spark: SparkSession, wildlife: Table) -> None:
    with another_default_file_system(spark, wildlife.path.parent):
        for path in (f"/mounted/{wildlife.path.name}", wildlife.path.as_uri(), wildlife.path):
            assert limit_pruning.inspect(spark, path).rows.total == 12
        # The local file system has such a file, but the default one has not.
        with pytest.raises(limit_pruning.InspectionError, match="does not exist: viewfs://"):
            limit_pruning.inspect(spark, str(wildlife.path))


@pytest.mark.usefixtures("quiet")
def test_a_str_is_the_name_of_a_table_before_it_is_a_path(
    spark: SparkSession, wildlife: Table
) -> None:
    folder, name = wildlife.path.parent, "tracking_data_2"
    home = folder / spark.sparkContext.sparkUser()
    home.mkdir()
    (home / name).write_bytes(wildlife.path.read_bytes())
    with another_default_file_system(spark, folder):
        path = f"viewfs://{host(folder)}/mounted/{home.name}/{name}"
        assert limit_pruning.inspect(spark, name).report.table == path
        spark.read.parquet(wildlife.path.as_uri()).createOrReplaceTempView(name)
        try:
            assert limit_pruning.inspect(spark, name).report.table == f"file:{wildlife.path}"
            assert limit_pruning.inspect(spark, f"./{name}").report.table == path
        finally:
            spark.catalog.dropTempView(name)


def host(folder: Path) -> str:
    """Return the name of a file system of its own: Hadoop keeps file systems by their names."""
    return folder.name.replace("_", "-")


@contextmanager
def another_default_file_system(spark: SparkSession, folder: Path) -> Iterator[None]:
    """Make one the default that has `folder` as /mounted, with the folders of users in it."""
    name = host(folder)
    table = f"fs.viewfs.mounttable.{name}"
    settings = {
        "fs.defaultFS": f"viewfs://{name}/",
        f"{table}.link./mounted": folder.as_uri(),
        f"{table}.homedir": "/mounted",
    }
    with conf(spark, settings):
        yield


def test_how_columns_are_laid_out(spark: SparkSession, tmp_path: Path) -> None:
    schema = pa.schema([("sorted", pa.int64()), ("mixed", pa.int64()), ("word", pa.string())])
    groups = [
        {"sorted": [10 * i, 10 * i + 9], "mixed": [i, 100 - i], "word": ["a", "b"]}
        for i in range(5)
    ]
    file = tables.write(
        tmp_path / "t.parquet",
        groups,
        schema,
        write_page_index=True,
        use_dictionary=["word"],
        write_statistics=["sorted", "mixed"],
    )
    columns = {c.name: c for c in limit_pruning.inspect(spark, str(file)).columns}
    assert list(columns) == ["sorted", "mixed", "word"]
    assert columns["sorted"].clustering == "clustered"
    assert columns["mixed"].clustering == "not clustered"
    assert (columns["sorted"].overlap, columns["mixed"].overlap) == (0.0, 1.0)
    assert columns["word"].clustering is None
    assert (columns["sorted"].with_min_max, columns["word"].with_min_max) == (5, 0)
    assert (columns["sorted"].with_dictionary, columns["word"].with_dictionary) == (0, 5)
    assert (columns["sorted"].with_page_index, columns["word"].with_page_index) == (5, 0)
    assert columns["sorted"].type == "BIGINT"


def test_progress_and_fewer_files(spark: SparkSession, sightings: Table) -> None:
    steps: list[tuple[int, int]] = []
    found = limit_pruning.inspect(
        spark, "sightings", max_files=2, progress=lambda *step: steps.append(step)
    )
    assert steps == [(2, 2)]
    assert (found.files.inspected, found.files.total) == (2, len(sightings.files))


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(
    ("table", "predicate", "message"),
    [
        ("/nowhere/at/all", None, "Path does not exist"),
        ("nowhere", None, "no table or view 'nowhere', and the path file:.*/nowhere does not"),
        ("no-where.parquet", None, "no table or view 'no-where.parquet', and the path file:"),
        ("", None, "table is ''; it must be the name of a table, or a path"),
        ("no:where", None, "no table or view 'no:where', and it is not a path"),
        ("tracking_data", "depth > 1", "depth"),
        ("tracking_data", "s >", "Syntax error"),
        ("tracking_data", "s + 1", "BOOLEAN"),
        ("tracking_data", "rand() < 0.5", "not deterministic"),
        ("tracking_data", "1 = 2", "false for every row"),
        ("csv", None, "a table of the format CSV.* inspect a Parquet table"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(
    spark: SparkSession, wildlife: Table, table: str, predicate: str | None, message: str
) -> None:
    csv = wildlife.path.with_name("a.csv")
    csv.write_text("1\n")
    spark.read.csv(str(csv)).createOrReplaceTempView("csv")
    with pytest.raises(limit_pruning.InspectionError, match=message) as error:
        limit_pruning.inspect(spark, table, predicate)
    assert len(str(error.value).splitlines()) == 1


def test_what_is_no_parquet_is_told_in_one_line(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_text("this is no Parquet")
    with pytest.raises(limit_pruning.InspectionError) as error:
        limit_pruning.inspect(spark, str(tmp_path))
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize("count", [0, -1, 1.5, True, "5", 2**31])
def test_a_count_must_be_a_positive_int(spark: SparkSession, wildlife: Table, count: Any) -> None:
    with pytest.raises(limit_pruning.InspectionError, match="it must be an int from 1"):
        limit_pruning.inspect(spark, wildlife.path, limit=count)
    with pytest.raises(limit_pruning.InspectionError, match="it must be an int from 1"):
        limit_pruning.inspect(spark, wildlife.path, max_files=count)


def test_errors_of_the_callback_are_passed_on(spark: SparkSession, wildlife: Table) -> None:
    def progress(done: int, total: int) -> None:
        raise KeyError(f"{done} of {total}")

    with pytest.raises(KeyError, match="of"):
        limit_pruning.inspect(spark, wildlife.path, progress=progress)


@pytest.mark.usefixtures("wildlife")
def test_it_shows_itself(spark: SparkSession) -> None:
    found = limit_pruning.inspect(spark, "tracking_data", ALPINE, limit=3)
    output = io.StringIO()
    Console(width=120, file=output).print(found)
    text = output.getvalue()
    assert "1 of 1 files inspected: 12 rows in 4 row groups" in text
    assert "fully matching" in text
    assert "not clustered" in text
    assert "<svg" in found._repr_html_()
    assert "not clustered" in found._repr_html_()
    assert "12 rows" in str(found)
    assert len(found.to_pandas()) == 4
    assert json.loads(found.to_json())["columns"][0]["name"] == "species"
