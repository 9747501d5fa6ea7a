"""The wheel works beside PySpark and rich alone: no checkout, no build, no network."""

from __future__ import annotations

import os
import re
import sys
import venv
import zipfile
from importlib import import_module
from pathlib import Path

import pytest

from support.paths import ROOT
from support.processes import output_of

pytestmark = pytest.mark.slow

SITE = "import sysconfig; print(sysconfig.get_path('purelib'))"
# 400 MB that need not be downloaded again: PySpark, rich, and what these two need.
DEPENDENCIES = ("pyspark", "py4j", "rich", "markdown_it", "mdurl", "pygments")
EXAMPLE = re.compile(r"```python\n(.*?)```", re.DOTALL)


def run(*command: str, cwd: Path) -> str:
    """Run a command to its end and return what it printed; show everything if it fails."""
    environment = dict(os.environ, PIP_DISABLE_PIP_VERSION_CHECK="1")
    return output_of(*command, cwd=cwd, env=environment)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, as ``make wheel`` builds it."""
    target = tmp_path_factory.mktemp("dist")
    run(
        *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"),
        *("--wheel-dir", str(target), str(ROOT)),
        cwd=target,
    )
    (built,) = target.glob("spark_limit_pruning-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that has the wheel, what it depends on, and nothing else."""
    environment = tmp_path_factory.mktemp("environment")
    venv.create(environment, with_pip=False)
    python = environment / "bin" / "python"
    packages = Path(run(str(python), "-c", SITE, cwd=environment).strip())
    for name in DEPENDENCIES:
        folder = Path(import_module(name).__path__[0])
        (packages / folder.name).symlink_to(folder, target_is_directory=True)
    run(
        *(sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"),
        *("--no-deps", "--no-index", str(wheel)),
        cwd=environment,
    )
    return python


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


def test_the_installed_package_shows_reports(installed: Path, tmp_path: Path) -> None:
    show = "from limit_pruning import PruningReport; r = PruningReport(()); r.show(); print("
    output = run(str(installed), "-c", f"{show}r._repr_html_())", cwd=tmp_path)
    assert output.count("This query has no LIMIT over a Parquet scan.") == 2
    assert "color-scheme: light dark" in output


def test_pandas_is_not_needed_until_asked_for(installed: Path, tmp_path: Path) -> None:
    ask = """
import limit_pruning
try:
    limit_pruning.PruningReport(()).to_pandas()
except limit_pruning.PandasNotInstalledError as error:
    print(error)
"""
    assert "`pip install pandas`" in run(str(installed), "-c", ask, cwd=tmp_path)


def test_the_jar_of_the_installed_package_is_its_own(installed: Path, tmp_path: Path) -> None:
    packages = run(str(installed), "-c", SITE, cwd=tmp_path).strip()
    jar = run(str(installed), "-m", "limit_pruning", "jar", cwd=tmp_path)
    assert Path(jar.strip()) == Path(packages, "limit_pruning/jars/spark-limit-pruning.jar")


@pytest.mark.spark
def test_the_example_of_the_readme(installed: Path, tmp_path: Path) -> None:
    example = EXAMPLE.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert example, "README.md has no Python example"
    output = run(str(installed), "-c", example[1], cwd=tmp_path)
    assert "WHERE (id IS NOT NULL) AND (id >= 1200000L) LIMIT 100" in output
    assert "1 fully matched" in output
    assert "read: 100 rows in 1 row group" in output
