"""What is supported is said in several places, and in all of them the same."""

from __future__ import annotations

import re
from importlib.metadata import metadata

from limit_pruning._pyspark import SUPPORTED_SPARK_LINES
from support import build_sbt
from support.iceberg import session
from support.paths import ROOT

PYTHONS = ["3.10", "3.11", "3.12", "3.13", "3.14"]
PACKAGE = metadata("spark-limit-pruning")


def in_makefile(variable: str) -> str:
    """Return what the Makefile gives a variable by default."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    found = re.search(rf"^{variable} [:?]= (.*)$", makefile, re.MULTILINE)
    assert found, f"the Makefile has no {variable}"
    return found[1]


def test_the_range_of_pyspark() -> None:
    needed = PACKAGE.get_all("Requires-Dist") or []
    found = [each.partition(";") for each in needed if each.startswith("pyspark")]
    assert sorted(extra.strip() for _, _, extra in found) == ["extra == 'dev'", "extra == 'spark'"]
    major, last = SUPPORTED_SPARK_LINES[-1].split(".")
    for package, _, _ in found:
        assert set(re.findall(r"[<>=]+[\d.]+", package)) == {
            f">={SUPPORTED_SPARK_LINES[0]}",
            f"<{major}.{int(last) + 1}",
        }


def test_nothing_that_a_platform_brings_is_installed() -> None:
    needed = PACKAGE.get_all("Requires-Dist") or []
    always = [each for each in needed if "extra ==" not in each]
    assert [re.split(r"[<>=]", each)[0] for each in always] == ["rich"]


def test_the_sparks_that_are_tested() -> None:
    matrix = in_makefile("PYSPARK_MATRIX").split()
    lines = tuple(version.rpartition(".")[0] for version in matrix)
    assert lines == SUPPORTED_SPARK_LINES


def test_the_default_spark_is_the_newest_of_the_line_that_the_jar_is_compiled_for() -> None:
    default = in_makefile("DEFAULT_PYSPARK")
    line = build_sbt.value("sparkVersion").rpartition(".")[0]
    matrix = in_makefile("PYSPARK_MATRIX").split()
    assert [version for version in matrix if version.startswith(f"{line}.")] == [default]
    for file in (ROOT / "requirements").glob("*.txt"):
        assert f"\npyspark=={default} " in file.read_text(encoding="utf-8"), file.name


def test_the_sparks_that_are_documented() -> None:
    listed = "Spark " + ", ".join(SUPPORTED_SPARK_LINES[:-1]) + f" and {SUPPORTED_SPARK_LINES[-1]}"
    for page in ("README.md", "docs/install.md"):
        assert listed in (ROOT / page).read_text(encoding="utf-8")


def test_the_versions_of_iceberg() -> None:
    page = (ROOT / "docs" / "iceberg.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d\.\d) \| ([\d., ]+) \|$", page, re.MULTILINE)
    assert {spark: set(found.split(", ")) for spark, found in rows} == {
        spark: set(versions) for spark, versions in session.VERSIONS.items()
    }
    newest = in_makefile("ICEBERG_PYSPARK")
    assert newest.rpartition(".")[0] == list(session.VERSIONS)[-1]
    oldest = session.VERSIONS[in_makefile("OLD_ICEBERG_PYSPARK").rpartition(".")[0]][-1]
    iceberg = in_makefile("OLD_ICEBERG")
    assert iceberg == oldest == min(each[-1] for each in session.VERSIONS.values())


def test_the_pythons() -> None:
    classifiers = PACKAGE.get_all("Classifier") or []
    named = re.findall(
        r"^Programming Language :: Python :: (3\.\d+)$", "\n".join(classifiers), re.MULTILINE
    )
    assert named == PYTHONS
    assert PACKAGE["Requires-Python"] == f">={PYTHONS[0]}"
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'python_version = "{PYTHONS[0]}"' in settings
