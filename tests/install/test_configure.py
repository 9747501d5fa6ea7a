"""Adding the extension to a session with `configure`."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote

import pyspark
import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

import limit_pruning
from support.processes import output_of

SUBMIT_ARGUMENTS = "PYSPARK_SUBMIT_ARGS"
JARS, EXTENSIONS = "spark.jars", "spark.sql.extensions"
OURS = "limitpruning.LimitPruningExtensions"
CONNECT = limit_pruning.SparkConnectNotSupportedError


def options(builder: SparkSession.Builder) -> dict[str, str]:
    """Return what is set on the builder."""
    held: dict[str, str] = cast(Any, builder)._options
    return held


@pytest.fixture
def builder(monkeypatch: pytest.MonkeyPatch) -> SparkSession.Builder:
    """A fresh builder, as before the first session of a process, which starts the JVM."""
    monkeypatch.setattr(SparkContext, "_gateway", None)
    for name in ("PYSPARK_GATEWAY_PORT", SUBMIT_ARGUMENTS):
        monkeypatch.delenv(name, raising=False)
    return SparkSession.Builder()


def test_configure_sets_both(builder: SparkSession.Builder) -> None:
    assert limit_pruning.configure(builder) is builder
    assert options(builder)[JARS] == str(limit_pruning.jar_path())
    assert options(builder)[EXTENSIONS] == OURS


@pytest.mark.parametrize("other", [None, "local[1]", SparkSession, SparkSession.Builder])
def test_configure_refuses_what_is_no_builder(other: Any) -> None:
    with pytest.raises(TypeError, match=r"takes SparkSession.builder, not \w+$"):
        limit_pruning.configure(other)


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
    ("arguments", "jars", "extensions"),
    [
        ("--conf spark.sql.extensions=x.One --conf spark.a=b", "", "x.One,"),
        ("-c spark.sql.extensions=x.One --conf=spark.sql.extensions=y.Two", "", "y.Two,"),
        ("--jars a.jar,b.jar --name 'an app'", "a.jar,b.jar,", ""),
        ("--verbose --jars=a.jar --conf spark.jars=c.jar", "a.jar,", ""),
        ("--conf 'spark.jars=c d.jar' app.py --jars a.jar", "c d.jar,", ""),
    ],
)
def test_configure_appends_to_submit_arguments(
    builder: SparkSession.Builder,
    monkeypatch: pytest.MonkeyPatch,
    arguments: str,
    jars: str,
    extensions: str,
) -> None:
    monkeypatch.setenv(SUBMIT_ARGUMENTS, arguments)
    limit_pruning.configure(limit_pruning.configure(builder))
    both = f"{jars}{limit_pruning.jar_path()}"
    assert options(builder)[JARS] == both
    assert options(builder)[EXTENSIONS] == f"{extensions}{OURS}"
    given, now = shlex.split(arguments), shlex.split(os.environ[SUBMIT_ARGUMENTS])
    if jars:
        at = now.index(both)
        assert now[at - 1] == "--jars"
        del now[at - 1 : at + 1]
    assert now == given


def test_configure_leaves_the_builders_own_jars_apart_from_submit_arguments(
    builder: SparkSession.Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SUBMIT_ARGUMENTS, "--jars a.jar pyspark-shell")
    jar = limit_pruning.jar_path()
    limit_pruning.configure(builder.config(JARS, "b.jar"))
    assert options(builder)[JARS] == f"b.jar,{jar}"
    assert os.environ[SUBMIT_ARGUMENTS] == f"--jars a.jar --jars a.jar,{jar} pyspark-shell"


@pytest.mark.parametrize(("switch", "found"), [("", ""), ("--load-spark-defaults", "x.One,")])
def test_configure_appends_to_a_properties_file(
    builder: SparkSession.Builder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    switch: str,
    found: str,
) -> None:
    (tmp_path / "spark-defaults.conf").write_text("spark.jars a.jar\nspark.sql.extensions x.One\n")
    (tmp_path / "own.conf").write_text("spark.jars b.jar\n")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    monkeypatch.setenv(SUBMIT_ARGUMENTS, f"{switch} --properties-file {tmp_path / 'own.conf'}")
    limit_pruning.configure(builder)
    assert options(builder)[JARS] == f"b.jar,{limit_pruning.jar_path()}"
    assert options(builder)[EXTENSIONS] == f"{found}{OURS}"


def test_configure_starts_no_jvm(builder: SparkSession.Builder) -> None:
    limit_pruning.configure(builder)
    assert SparkContext._gateway is None


@pytest.mark.parametrize("scheme", ["file:", "file://"])
def test_configure_knows_its_jar_as_a_uri(
    builder: SparkSession.Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    jar = tmp_path / "a folder" / "the.jar"
    monkeypatch.setattr("limit_pruning._session.jar_path", lambda: jar)
    uri = jar.as_uri().replace("file://", scheme)
    limit_pruning.configure(builder.config(JARS, uri))
    assert options(builder)[JARS] == uri


CONFIGURED = """
import limit_pruning
from pyspark.sql import SparkSession
spark = limit_pruning.configure(SparkSession.builder).getOrCreate()
limit_pruning.verify(spark)
print("jars:", spark.sparkContext.getConf().get("spark.jars"))
print("extensions:", spark.conf.get("spark.sql.extensions"))
spark.stop()
"""


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("launch", ["spark-submit", "python"])
def test_configure_appends_to_the_command_line(tmp_path: Path, launch: str) -> None:
    (tmp_path / "job.py").write_text(CONFIGURED)
    jars = [str(tmp_path / "a b.jar")]
    Path(jars[0]).touch()
    settings = ["--master", "local[1]", "--conf", f"{EXTENSIONS}=x.One", "--conf"]
    settings += ["spark.ui.enabled=false", "--jars"]
    home = str(pyspark.__path__[0])
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYSPARK")}
    environment |= {"SPARK_HOME": home, "PYSPARK_PYTHON": sys.executable}
    if launch == "spark-submit":
        jars.append(str(limit_pruning.jar_path()))  # the driver's class path is set by now
        command = [f"{home}/bin/spark-submit", *settings, ",".join(jars), "job.py"]
    else:
        arguments = shlex.join([*settings, *jars, "pyspark-shell"])
        command = [sys.executable, "job.py"]
        environment[SUBMIT_ARGUMENTS] = arguments
    found = dict(
        line.split(": ", 1)
        for line in output_of(*command, cwd=tmp_path, env=environment).splitlines()
        if line.startswith(("jars: ", "extensions: "))
    )
    assert found["extensions"] == f"x.One,{OURS}"
    names = [jar.rpartition("/")[2] for jar in unquote(found["jars"]).split(",")]
    assert names == ["a b.jar", limit_pruning.jar_path().name]


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
