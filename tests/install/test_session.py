"""Switching the extension on, and finding out that it is not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support.runs import ENABLED, conf
from support.tables import Table

QUERY = "SELECT * FROM tracking_data WHERE species LIKE 'Alpine%' AND s >= 50 LIMIT 3"
JARS, EXTENSIONS = "spark.jars", "spark.sql.extensions"
OURS = "limitpruning.LimitPruningExtensions"
CONNECT = limit_pruning.SparkConnectNotSupportedError


def options(builder: SparkSession.Builder) -> dict[str, str]:
    """Return what is set on the builder."""
    held: dict[str, str] = cast(Any, builder)._options
    return held


@pytest.fixture
def builder() -> SparkSession.Builder:
    """A fresh builder; ``SparkSession.builder`` is one too."""
    return SparkSession.Builder()


def test_configure_sets_both(builder: SparkSession.Builder) -> None:
    assert limit_pruning.configure(builder) is builder
    assert options(builder)[JARS] == str(limit_pruning.jar_path())
    assert options(builder)[EXTENSIONS] == OURS


def test_configure_appends(builder: SparkSession.Builder) -> None:
    builder.config(JARS, "a.jar, b.jar").config(EXTENSIONS, "x.One,y.Two")
    limit_pruning.configure(builder)
    assert options(builder)[JARS] == f"a.jar,b.jar,{limit_pruning.jar_path()}"
    assert options(builder)[EXTENSIONS] == f"x.One,y.Two,{OURS}"


def test_configure_twice_is_configure_once(builder: SparkSession.Builder) -> None:
    once = dict(options(limit_pruning.configure(builder.config(JARS, "a.jar"))))
    assert options(limit_pruning.configure(builder)) == once


def test_configure_keeps_other_options(builder: SparkSession.Builder) -> None:
    limit_pruning.configure(builder.appName("mine"))
    assert options(builder)["spark.app.name"] == "mine"


def test_configure_appends_to_spark_defaults(
    builder: SparkSession.Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "# comment\nspark.jars   a.jar\nspark.sql.extensions=x.One\nspark.sql.other z\n"
    (tmp_path / "spark-defaults.conf").write_text(text)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    limit_pruning.configure(builder)
    assert options(builder)[JARS] == f"a.jar,{limit_pruning.jar_path()}"
    assert options(builder)[EXTENSIONS] == f"x.One,{OURS}"


@pytest.mark.parametrize(
    ("key", "value"), [("spark.remote", "sc://localhost"), ("spark.api.mode", "connect")]
)
def test_configure_refuses_connect(builder: SparkSession.Builder, key: str, value: str) -> None:
    with pytest.raises(CONNECT, match=value):
        limit_pruning.configure(builder.config(key, value))
    assert JARS not in options(builder)


def test_configure_refuses_connect_in_the_environment(
    builder: SparkSession.Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_REMOTE", "sc://localhost")
    with pytest.raises(CONNECT, match="SPARK_REMOTE=sc://localhost"):
        limit_pruning.configure(builder)


def test_verify_passes(spark: SparkSession) -> None:
    limit_pruning.verify(spark)
    limit_pruning.verify(spark.newSession())


def test_the_class_in_the_jvm_is_looked_up_once(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit_pruning.verify(spark)
    monkeypatch.delattr("limit_pruning._bridge._new_instance")
    limit_pruning.verify(spark.newSession())
    assert not limit_pruning.report(spark.range(1)).limits


def test_verify_refuses_connect() -> None:
    remote = type("SparkSession", (), {"__module__": "pyspark.sql.connect.session"})()
    with pytest.raises(CONNECT, match="classic session"):
        limit_pruning.verify(cast(Any, remote))


@pytest.mark.parametrize("version", ["3.5.4", "4.4.0", "5.0.0", "40.1", "unknown"])
def test_verify_refuses_other_versions(version: str) -> None:
    class Other:
        pass

    other: Any = Other()
    other.version = version
    with pytest.raises(limit_pruning.UnsupportedSparkVersionError, match=rf"{version}.*4\.0, 4\.1"):
        limit_pruning.verify(other)


@pytest.mark.parametrize("version", ["3.5.4", "unknown"])
def test_other_versions_are_not_active(version: str) -> None:
    other: Any = type("Other", (), {"version": version})()
    assert not limit_pruning.is_active(other)


@pytest.mark.parametrize(
    ("value", "active"), [("true", True), ("false", False), ("TRUE", True), ("False", False)]
)
def test_a_session_is_active_unless_it_is_disabled(
    spark: SparkSession, value: str, active: bool
) -> None:
    assert limit_pruning.is_active(spark)
    assert limit_pruning.is_active(spark.newSession())
    with conf(spark, {ENABLED: value}):
        assert limit_pruning.is_active(spark) == active


def test_disabled_for_a_block(spark: SparkSession, wildlife: Table) -> None:
    with limit_pruning.disabled(spark):
        assert not limit_pruning.is_active(spark)
        plain = spark.sql(QUERY)
        limit = limit_pruning.report(plain).only
        assert (limit.covered, limit.files.total) == (False, None)
        assert len(plain.collect()) == min(3, len(wildlife.rows))
        assert limit_pruning.is_active(spark.newSession())
    assert limit_pruning.is_active(spark)
    assert limit_pruning.report(spark.sql(QUERY)).only.covered
    assert not limit_pruning.report(plain).only.covered


@pytest.mark.parametrize("before", [None, "true", "false", "TRUE"])
def test_disabled_restores_what_was_set_before(spark: SparkSession, before: str | None) -> None:
    session = spark.newSession()
    if before is not None:
        session.conf.set(ENABLED, before)
    with limit_pruning.disabled(session):
        with limit_pruning.disabled(session):
            assert session.conf.get(ENABLED) == "false"
        assert session.conf.get(ENABLED) == "false"
    assert session.conf.get(ENABLED, None) == before


def test_disabled_restores_after_an_error(spark: SparkSession) -> None:
    with pytest.raises(RuntimeError, match="in the block"), limit_pruning.disabled(spark):
        raise RuntimeError("in the block")
    assert spark.conf.get(ENABLED, None) is None


NOT_ACTIVE = """
import limit_pruning, sys
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
if sys.argv[1] == "jar_only":
    builder = builder.config("spark.jars", str(limit_pruning.jar_path()))
spark = builder.getOrCreate()
for call in (lambda: limit_pruning.verify(spark), lambda: limit_pruning.report(spark.range(1))):
    try:
        call()
    except limit_pruning.ExtensionNotActiveError as error:
        print("NOT ACTIVE:", error)
print("is active:", limit_pruning.is_active(spark))
with limit_pruning.disabled(spark):
    print("rows:", spark.range(9).limit(2).count())
print("left:", spark.conf.get("spark.limitPruning.enabled", None))
spark.stop()
"""


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("start", ["plain", "jar_only"])
def test_verify_and_report_say_that_the_extension_is_not_active(start: str) -> None:
    script = [sys.executable, "-c", NOT_ACTIVE, start]
    run = subprocess.run(script, capture_output=True, text=True, check=True, timeout=120)
    lines = [line for line in run.stdout.splitlines() if line.startswith("NOT ACTIVE")]
    assert len(lines) == 2
    assert all("limit_pruning.configure" in line for line in lines)
    assert run.stdout.endswith("is active: False\nrows: 2\nleft: None\n")
