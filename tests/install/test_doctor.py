"""``python -m limit_pruning doctor``: what is right is said, what is wrong has its advice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from limit_pruning import JarNotFoundError, _doctor
from limit_pruning._doctor import Check
from support.runs import conf


def test_a_check_is_a_line_and_its_advice_another() -> None:
    assert str(Check("JAR", "there")) == "ok    JAR: there"
    assert str(Check("JAR", "not found", "build it")) == "FAIL  JAR: not found\n      build it"
    assert str(Check("a", "off", "set it", is_fatal=False)).startswith("warn  a: off\n")


@pytest.mark.parametrize(
    ("version", "is_fine"),
    [("4.0.2", True), ("4.3.0", True), ("3.5.1", True), ("3.4.4", False), ("5.0.0", False)],
)
def test_pyspark(monkeypatch: pytest.MonkeyPatch, version: str, is_fine: bool) -> None:
    monkeypatch.setattr("pyspark.__version__", version)
    check = _doctor._spark()
    assert (check.advice is None) == is_fine
    assert check.found == version


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("echo 'openjdk version \"17.0.9\" 2023-10-17' >&2", None),
        ("echo 'java version \"1.8.0_392\"' >&2", "1.8.0_392"),
        ("echo nonsense >&2", "nonsense"),
        ("exit 3", "exit status 3"),
    ],
)
def test_java(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, found: str | None
) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\n{script}\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    check = _doctor._java()
    assert (check.advice is None) == (found is None)
    assert found is None or found in check.found


def test_no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    check = _doctor._java()
    assert check.advice is not None
    assert "JAVA_HOME" in check.advice
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert _doctor._java().advice is not None


def test_no_jar(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Path:
        raise JarNotFoundError("run `make jar`")

    monkeypatch.setattr(_doctor, "jar_path", missing)
    assert str(_doctor._jar()).endswith("none to use\n      run `make jar`")


def test_settings_that_keep_limits_from_being_pruned(spark: SparkSession) -> None:
    assert [check for check in _doctor._settings(spark) if check.advice] == []
    wrong = {
        "spark.limitPruning.enabled": "false",
        "spark.sql.files.ignoreCorruptFiles": "true",
        "spark.sql.sources.useV1SourceList": "csv,orc",
    }
    with conf(spark, wrong):
        checks = {check.name: check for check in _doctor._settings(spark) if check.advice}
    assert set(checks) == set(wrong)
    assert checks["spark.limitPruning.enabled"].is_fatal
    assert not checks["spark.sql.files.ignoreCorruptFiles"].is_fatal


def test_a_query_is_pruned_for_it(spark: SparkSession) -> None:
    assert str(_doctor._query(spark)) == "ok    a query: read 1 of 4 row groups"
    with conf(spark, {"spark.limitPruning.enabled": "false"}):
        check = _doctor._query(spark)
    assert check.is_fatal
    assert "spark.limitPruning.enabled was false" in check.found


def test_a_query_on_a_cluster_needs_a_directory(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark.sparkContext, "master", "spark://there:7077")
    check = _doctor._query(spark)
    assert check.is_skipped
    assert str(check).startswith("skip  a query: not run, because executors of spark://there:7077")
    assert "--directory" in (check.advice or "")
    assert str(_doctor._query(spark, f"{tmp_path}/")) == "ok    a query: read 1 of 4 row groups"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("kind", ["file", "scheme"])
def test_a_directory_that_cannot_be_written(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    (tmp_path / "file").touch()
    directory = str(tmp_path / "file") if kind == "file" else "nothing://here"
    check = _doctor._query(spark, directory)
    assert check.is_fatal
    assert check.found.startswith("failed: ")
    assert len(str(check).splitlines()) == 2
    assert f"can read and write {directory}" in (check.advice or "")


def test_a_query_that_was_not_run_proves_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    skipped = Check("a query", "not run", "add a directory", is_skipped=True)
    monkeypatch.setattr(_doctor, "_checks", lambda _directory: iter([skipped]))
    assert _doctor.doctor() == 0
    assert capsys.readouterr().out.splitlines()[-1] == (
        "No query was run, so it is not known whether LIMITs are pruned here."
    )


def test_what_stands_on_a_failed_check_is_not_tried(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def checks(_directory: str | None) -> Iterator[Check]:
        yield Check("a", "fine")
        yield Check("b", "odd", "look", is_fatal=False)
        yield Check("c", "broken", "mend it")
        raise AssertionError("nothing is tried after a failure")

    monkeypatch.setattr(_doctor, "_checks", checks)
    assert _doctor.doctor() == 1
    assert "LIMITs are NOT pruned here" in capsys.readouterr().out
