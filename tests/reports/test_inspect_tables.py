"""Which tables can be inspected: DataFrames, paths and names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession, functions

import limit_pruning
from support.runs import conf
from support.tables import Table

SELECT = "SELECT s FROM tracking_data"


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
