"""The wheel works beside PySpark and rich alone: no checkout, no build, no network.

Without PySpark, it names what is missing.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
import zipfile
from importlib import import_module
from pathlib import Path

import pytest

import limit_pruning
from limit_pruning._jar import SCALA_VERSIONS
from support.paths import ROOT
from support.processes import output_of

pytestmark = pytest.mark.slow

SITE = "import sysconfig; print(sysconfig.get_path('purelib'))"
# 400 MB that need not be downloaded again: PySpark, rich, and what these two need.
SPARK = ("pyspark", "py4j")
DEPENDENCIES = ("rich", "markdown_it", "mdurl", "pygments")
JARS = [
    f"limit_pruning/jars/spark-limit-pruning_{scala}-{limit_pruning.__version__}.jar"
    for scala in SCALA_VERSIONS
]
JAR = next(jar for jar in JARS if Path(jar).name == limit_pruning.jar_path().name)
# Not the checkout, which may be on this process's path.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
ENVIRONMENT["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
EXAMPLE = re.compile(r"```python\n(.*?)```", re.DOTALL)


def run(*command: str, cwd: Path) -> str:
    """Run a command to its end and return what it printed; show everything if it fails."""
    return output_of(*command, cwd=cwd, env=ENVIRONMENT)


def ended(*command: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command that may fail."""
    return subprocess.run(
        command,
        cwd=cwd,
        env=ENVIRONMENT | more,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


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
    """The Python of an environment that has the wheel, what it depends on, and PySpark."""
    return install(wheel, tmp_path_factory.mktemp("environment"), (*SPARK, *DEPENDENCIES))


@pytest.fixture(scope="module")
def without_pyspark(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that has the wheel, what it depends on, and nothing else."""
    return install(wheel, tmp_path_factory.mktemp("without"), DEPENDENCIES)


def install(wheel: Path, environment: Path, beside: tuple[str, ...]) -> Path:
    """Make an environment with the wheel and some packages of this one; return its Python."""
    venv.create(environment, with_pip=False)
    python = environment / "bin" / "python"
    packages = Path(run(str(python), "-c", SITE, cwd=environment).strip())
    for name in beside:
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
    assert [name for name in names if name.endswith(".jar")] == JARS
    assert "limit_pruning/py.typed" in names
    outside = [name for name in names if not name.startswith(("limit_pruning/", "spark_limit_"))]
    assert outside == []


def test_the_jar_in_the_wheel_holds_only_this_project(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        jar = archive.extract(JAR, tmp_path)
    with zipfile.ZipFile(jar) as archive:
        classes = [name for name in archive.namelist() if name.endswith(".class")]
    assert "limitpruning/LimitPruningExtensions.class" in classes
    assert [name for name in classes if not name.startswith("limitpruning/")] == []


def test_a_source_distribution_names_what_the_jar_needs(tmp_path: Path) -> None:
    build = (sys.executable, "-m", "hatchling", "build", "--target", "sdist")
    run(*build, "--directory", str(tmp_path), cwd=ROOT)
    (sdist,) = tmp_path.glob("*.tar.gz")
    pip = (sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index")
    done = ended(*pip, str(sdist), cwd=tmp_path, JAVA_HOME=str(tmp_path))
    assert done.returncode == 1
    printed = done.stdout + done.stderr
    assert "[1 lines of output]" in printed
    needed = "The JAR is not built, and building it needs Java 17 or newer, bash and the network"
    (line,) = (line for line in printed.splitlines() if needed in line)
    assert f"{tmp_path}/bin/java is not there" in line
    assert "Traceback" not in printed


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
    assert Path(jar.strip()) == Path(packages, JAR)


def test_the_console_script(installed: Path, tmp_path: Path) -> None:
    script = str(installed.with_name("limit-pruning"))
    by_module = run(str(installed), "-m", "limit_pruning", "jar", cwd=tmp_path)
    assert run(script, "jar", cwd=tmp_path) == by_module
    wrong = ended(script, "jars", cwd=tmp_path)
    assert wrong.returncode == 2
    (line,) = wrong.stderr.splitlines()
    assert line.startswith("limit-pruning: ")
    assert line.endswith("; see limit-pruning --help")


@pytest.mark.parametrize("arguments", [["jar"], ["--version"], ["--help"]])
def test_what_needs_no_pyspark(without_pyspark: Path, tmp_path: Path, arguments: list[str]) -> None:
    assert run(str(without_pyspark.with_name("limit-pruning")), *arguments, cwd=tmp_path)


def test_without_pyspark_commands_say_what_to_do(without_pyspark: Path, tmp_path: Path) -> None:
    script = str(without_pyspark.with_name("limit-pruning"))
    inspected = ended(script, "inspect", "t", cwd=tmp_path)
    assert (inspected.returncode, inspected.stdout) == (1, "")
    (line,) = inspected.stderr.splitlines()
    assert line.startswith("PySpark was not found (No module named 'pyspark')")
    assert "4.0, 4.1, 4.2, 4.3" in line
    assert "`pip install 'pyspark>=3.5,<4.4'`" in line
    checked = ended(script, "doctor", cwd=tmp_path)
    assert (checked.returncode, checked.stderr) == (1, "")
    assert "FAIL  PySpark: not found\n" in checked.stdout


@pytest.mark.parametrize(
    "call",
    [
        "configure(None)",
        "verify(None)",
        "is_active(None)",
        "disabled(None).__enter__()",
        "report(None)",
        "history(None)",
        "totals(None)",
        "inspect(None, 't')",
    ],
)
def test_without_pyspark_calls_say_so(without_pyspark: Path, tmp_path: Path, call: str) -> None:
    ask = f"""
import limit_pruning
try:
    limit_pruning.{call}
except limit_pruning.PySparkNotInstalledError as error:
    print(error)
"""
    assert "PySpark was not found" in run(str(without_pyspark), "-c", ask, cwd=tmp_path)


def test_an_unsupported_pyspark_is_named(without_pyspark: Path, tmp_path: Path) -> None:
    (tmp_path / "pyspark").mkdir()
    (tmp_path / "pyspark" / "__init__.py").write_text("__version__ = '3.4.4'")
    command = (str(without_pyspark), "-m", "limit_pruning", "inspect", "t")
    done = ended(*command, cwd=tmp_path)  # Python looks for modules there
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("PySpark 3.4.4 was found; supported are 3.5, 4.0, 4.1, 4.2, 4.3.")


@pytest.mark.spark
def test_the_example_of_the_readme(installed: Path, tmp_path: Path) -> None:
    example = EXAMPLE.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert example, "README.md has no Python example"
    output = run(str(installed), "-c", example[1], cwd=tmp_path)
    assert "WHERE (id IS NOT NULL) AND (id >= 1200000L) LIMIT 100" in output
    assert "1 fully matched" in output
    assert "read: 100 rows in 1 row group" in output
