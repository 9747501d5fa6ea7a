"""What is supported is said in several places, and in all of them the same."""

from __future__ import annotations

import re
from importlib.metadata import metadata

from limit_pruning._pyspark import SUPPORTED_SPARK_LINES
from support.iceberg import session
from support.paths import ROOT

PYTHONS = ["3.10", "3.11", "3.12", "3.13", "3.14"]
PACKAGE = metadata("spark-limit-pruning")


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
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    matrix = re.search(r"^PYSPARK_MATRIX \?= (.*)$", makefile, re.MULTILINE)
    assert matrix
    lines = tuple(version.rpartition(".")[0] for version in matrix[1].split())
    assert lines == SUPPORTED_SPARK_LINES


def test_the_default_spark_is_the_newest_of_the_line_that_the_jar_is_compiled_for() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    build = (ROOT / "build.sbt").read_text(encoding="utf-8")
    default = re.search(r"^DEFAULT_PYSPARK := (.*)$", makefile, re.MULTILINE)
    matrix = re.search(r"^PYSPARK_MATRIX \?= (.*)$", makefile, re.MULTILINE)
    compiled = re.search(r'^val sparkVersion = "(.*)"$', build, re.MULTILINE)
    assert default
    assert matrix
    assert compiled
    line = compiled[1].rpartition(".")[0]
    assert [v for v in matrix[1].split() if v.startswith(f"{line}.")] == [default[1]]
    for file in (ROOT / "requirements").glob("*.txt"):
        assert f"\npyspark=={default[1]} " in file.read_text(encoding="utf-8"), file.name


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
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    newest = re.search(r"^ICEBERG_PYSPARK := ([\d.]+)$", makefile, re.MULTILINE)
    spark = re.search(r"^OLD_ICEBERG_PYSPARK := ([\d.]+)$", makefile, re.MULTILINE)
    iceberg = re.search(r"^OLD_ICEBERG := ([\d.]+)$", makefile, re.MULTILINE)
    assert newest
    assert spark
    assert iceberg
    assert newest[1].rpartition(".")[0] == list(session.VERSIONS)[-1]
    oldest = session.VERSIONS[spark[1].rpartition(".")[0]][-1]
    assert iceberg[1] == oldest == min(each[-1] for each in session.VERSIONS.values())


def test_the_pythons() -> None:
    classifiers = PACKAGE.get_all("Classifier") or []
    named = re.findall(
        r"^Programming Language :: Python :: (3\.\d+)$", "\n".join(classifiers), re.MULTILINE
    )
    assert named == PYTHONS
    assert PACKAGE["Requires-Python"] == f">={PYTHONS[0]}"
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'python_version = "{PYTHONS[0]}"' in settings
