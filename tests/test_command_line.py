"""``python -m limit_pruning`` and the JAR's path."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import limit_pruning
from limit_pruning import jar
from limit_pruning.__main__ import main


def test_jar(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["jar"]) == 0
    assert Path(capsys.readouterr().out.strip()) == limit_pruning.jar_path()


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.strip() == limit_pruning.__version__


@pytest.mark.parametrize("arguments", [[], ["jars"], ["jar", "x"]])
def test_unknown_command(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert "usage: python -m limit_pruning" in captured.err


def test_no_jar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "build.sbt").touch()
    monkeypatch.setattr(jar, "_PACKAGE", tmp_path / "python" / "limit_pruning")
    with pytest.raises(limit_pruning.JarNotFoundError, match="run `make jar`"):
        limit_pruning.jar_path()
    assert main(["jar"]) == 1
    assert "make jar" in capsys.readouterr().err


def test_the_jar_holds_only_this_project() -> None:
    with zipfile.ZipFile(limit_pruning.jar_path()) as archive:
        classes = [name for name in archive.namelist() if name.endswith(".class")]
    assert classes
    assert [name for name in classes if not name.startswith("limitpruning/")] == []
