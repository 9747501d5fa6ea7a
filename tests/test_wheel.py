"""The wheel works where there is nothing but PySpark: no checkout, no build, no network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import tables

ROOT = Path(__file__).parents[1]
EXAMPLE = re.compile(r"```python\n(.*?)```", re.DOTALL)


def run(*command: str, cwd: Path, path: Path | None = None) -> str:
    """Run a command to its end and return what it printed; show everything if it fails."""
    environment = dict(os.environ, PIP_DISABLE_PIP_VERSION_CHECK="1")
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, f"{command} failed\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, as ``make wheel`` builds it."""
    target = tmp_path_factory.mktemp("dist")
    run(
        *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"),
        *("--wheel-dir", str(target), str(ROOT)),
        cwd=target,
    )
    (built,) = target.glob("spark_limit_pruning-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that holds nothing but the installed wheel."""
    target = tmp_path_factory.mktemp("site")
    run(
        *(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"),
        *("--target", str(target), str(wheel)),
        cwd=target,
    )
    return target


def test_the_wheel_carries_the_jar_and_the_types(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert names.count("limit_pruning/jars/spark-limit-pruning.jar") == 1
    assert "limit_pruning/py.typed" in names
    outside = [name for name in names if not name.startswith(("limit_pruning/", "spark_limit_"))]
    assert outside == []


def test_the_jar_in_the_wheel_holds_only_this_project(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        jar = archive.extract("limit_pruning/jars/spark-limit-pruning.jar", tmp_path)
    with zipfile.ZipFile(jar) as archive:
        classes = [name for name in archive.namelist() if name.endswith(".class")]
    assert "limitpruning/LimitPruningExtensions.class" in classes
    assert [name for name in classes if not name.startswith("limitpruning/")] == []


def test_the_jar_of_the_installed_package_is_its_own(installed: Path, tmp_path: Path) -> None:
    jar = run(sys.executable, "-m", "limit_pruning", "jar", cwd=tmp_path, path=installed)
    assert Path(jar.strip()) == installed / "limit_pruning" / "jars" / "spark-limit-pruning.jar"


def test_the_example_of_the_readme(installed: Path, tmp_path: Path) -> None:
    example = EXAMPLE.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert example, "README.md has no Python example"
    tables.wildlife(tmp_path)
    output = run(sys.executable, "-c", example[1], cwd=tmp_path, path=installed)
    assert "row_groups_pruned_statistics=4 total → 3 matched -> 1 fully matched" in output
    assert "limit_pruned_row_groups=3 total → 1 matched" in output
