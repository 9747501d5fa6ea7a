"""``python -m limit_pruning`` and the JAR's path."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import limit_pruning
from limit_pruning import _jar
from limit_pruning.__main__ import main
from limit_pruning._pyspark import spark_home
from support import tables

WILDLIFE_STATES = ["not", "partially", "fully", "partially"]


def test_jar(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["jar"]) == 0
    assert Path(capsys.readouterr().out.strip()) == limit_pruning.jar_path()


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.strip() == limit_pruning.__version__


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no command was given; commands are jar, doctor and inspect"),
        (["jars"], "invalid choice: 'jars' .*jar.*doctor.*inspect"),
        (["jar", "x"], "unrecognized arguments: x"),
        (["inspect"], "the following arguments are required: PATH"),
        (["inspect", "t", "--limit", "0"], "--limit: '0' is not a whole number from 1 to 2"),
        (["inspect", "t", "--limit", "3000000000"], "'3000000000' is not a whole number from 1"),
        (["inspect", "t", "--max-files", "many"], "--max-files: 'many' is not a whole number"),
        (["doctor", "--directory"], "--directory: expected one argument"),
    ],
)
def test_wrong_arguments(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    assert re.match(f"python -m limit_pruning.*: .*{message}.*; see python -m .*--help$", line)


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own, as its Spark session is."""
    command = [sys.executable, "-m", "limit_pruning", *arguments]
    return subprocess.run(
        command, cwd=cwd, capture_output=True, encoding="utf-8", timeout=240, check=False
    )


@pytest.mark.spark
@pytest.mark.slow
def test_doctor(tmp_path: Path) -> None:
    done = run("doctor", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[-1] == "LIMITs are pruned here."
    assert [line for line in lines[:-2] if not line.startswith("ok  ")] == []
    assert lines[-3] == "ok    a query: read 1 of 4 row groups"


@pytest.mark.spark
@pytest.mark.slow
def test_inspect(tmp_path: Path) -> None:
    tables.wildlife(tmp_path)
    where = "species LIKE 'Alpine%' AND s >= 50"
    asked = ("inspect", "tracking_data.parquet", "--where", where, "--limit", "3")
    done = run(*asked, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 of 1 files inspected: 12 rows in 4 row groups" in done.stdout
    told = json.loads(run(*asked, "--json", cwd=tmp_path).stdout)
    assert [group["state"] for group in told["row_groups"]["details"]] == WILDLIFE_STATES
    assert told["report"]["covered"]


@pytest.mark.spark
@pytest.mark.slow
def test_inspect_says_in_one_line_what_is_wrong(tmp_path: Path) -> None:
    tables.wildlife(tmp_path)
    done = run("inspect", "tracking_data.parquet", "--where", "depth > 1", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert "depth" in done.stderr


def test_no_jar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "build.sbt").touch()
    monkeypatch.setattr(_jar, "_PACKAGE", tmp_path / "python" / "limit_pruning")
    with pytest.raises(limit_pruning.JarNotFoundError, match="run `make jar`"):
        limit_pruning.jar_path()
    assert main(["jar"]) == 1
    assert "make jar" in capsys.readouterr().err


@pytest.mark.parametrize("version", ["2.11.12", "3.8.1"])
def test_the_jar_is_for_the_scala_of_spark(
    version: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    jars = tmp_path / "jars"
    jars.mkdir()
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    assert "_2.13-" in limit_pruning.jar_path().name  # where Spark's JARs are elsewhere
    for known in ("2.12.18", "2.13.16"):
        library = jars / f"scala-library-{known}.jar"
        library.touch()
        assert f"_{known.rpartition('.')[0]}-" in limit_pruning.jar_path().name
        library.unlink()
    (jars / f"scala-library-{version}.jar").touch()
    with pytest.raises(limit_pruning.UnsupportedSparkVersionError) as error:
        limit_pruning.jar_path()
    line = version.rpartition(".")[0]
    found = f"The Spark in {tmp_path} uses Scala {line} (scala-library-{version}.jar)"
    assert str(error.value).startswith(f"{found}; supported are Scala 2.12, 2.13, with Spark 3.5")
    assert main(["jar"]) == 1
    assert capsys.readouterr().err == f"{error.value}\n"


def test_the_spark_of_the_tests_has_that_scala() -> None:
    home = spark_home()
    assert home is not None
    (library,) = (jar.name for jar in home.glob("jars/scala-library-*.jar"))
    scala = library.removeprefix("scala-library-")[:4]
    assert f"_{scala}-" in limit_pruning.jar_path().name


def test_the_jar_holds_only_this_project() -> None:
    with zipfile.ZipFile(limit_pruning.jar_path()) as archive:
        classes = [name for name in archive.namelist() if name.endswith(".class")]
    assert classes
    assert [name for name in classes if not name.startswith("limitpruning/")] == []
