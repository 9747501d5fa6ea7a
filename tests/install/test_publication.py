"""What a Maven repository asks for beside the JAR, as the build leaves it in ``target/``."""

from __future__ import annotations

import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

import limit_pruning
from support.paths import ROOT

SOURCES = ROOT / "jvm" / "src" / "main"
NAMESPACE = {"": "http://maven.apache.org/POM/4.0.0"}


BUILT = limit_pruning.jar_path()
SCALA = BUILT.name.removeprefix("spark-limit-pruning_").partition("-")[0]
DELTA_AND_ICEBERG = {
    "2.12": ("delta-spark_2.12", "iceberg-spark-runtime-3.5_2.12"),
    "2.13": ("delta-spark_4.2_2.13", "iceberg-spark-runtime-4.1_2.13"),
}
DOCUMENTATION = BUILT.with_name(f"{BUILT.stem}-javadoc.jar")


@pytest.fixture
def pom() -> ElementTree.Element:
    """The POM's root."""
    return ElementTree.parse(BUILT.with_suffix(".pom")).getroot()


def names(jar: Path) -> set[str]:
    """The files in a JAR."""
    with zipfile.ZipFile(jar) as archive:
        return {name for name in archive.namelist() if not name.endswith("/")}


def test_the_version_is_that_of_the_package(pom: ElementTree.Element) -> None:
    released, dev, _ = limit_pruning.__version__.partition(".dev")
    expected = f"{released}-SNAPSHOT" if dev else released
    assert pom.findtext("version", namespaces=NAMESPACE) == expected


def test_the_files_have_the_versions_of_scala_and_of_the_package() -> None:
    assert BUILT.name == f"spark-limit-pruning_{SCALA}-{limit_pruning.__version__}.jar"
    with zipfile.ZipFile(BUILT) as jar:
        manifest = jar.read("META-INF/MANIFEST.MF").decode()
    assert f"Implementation-Version: {limit_pruning.__version__}\r\n" in manifest


@pytest.mark.parametrize(
    "path",
    [
        *("groupId", "artifactId", "name", "description", "url", "organization/name"),
        *("licenses/license/name", "licenses/license/url", "scm/url", "scm/connection"),
        *("developers/developer/id", "developers/developer/name"),
    ],
)
def test_the_pom_tells(pom: ElementTree.Element, path: str) -> None:
    assert pom.findtext(path, namespaces=NAMESPACE)


def test_nothing_else_comes_with_the_jar(pom: ElementTree.Element) -> None:
    """What is needed comes with Spark. Delta Lake and Iceberg may be missing."""
    dependencies = [
        tuple(each.findtext(part, namespaces=NAMESPACE) for part in ("artifactId", "scope"))
        for each in pom.iterfind("dependencies/dependency", NAMESPACE)
    ]
    always = ("delta-storage", "scala-library", f"spark-sql_{SCALA}")
    assert set(dependencies) == {(name, "provided") for name in always + DELTA_AND_ICEBERG[SCALA]}


def test_the_sources_are_all_there() -> None:
    languages = [SOURCES / "scala", SOURCES / f"scala-{SCALA}", SOURCES / "java"]
    written = {
        file.relative_to(language).as_posix()
        for language in languages
        for file in language.rglob("*.*")
    }
    assert {"limitpruning/scan/FileChangedException.java"} < written
    made_of = names(BUILT.with_name(f"{BUILT.stem}-sources.jar"))
    assert made_of - written == {"META-INF/MANIFEST.MF", "META-INF/LICENSE"}
    assert written <= made_of


@pytest.mark.skipif(not DOCUMENTATION.exists(), reason="it is made by `make build-jvm` alone")
@pytest.mark.parametrize("of", ["LimitPruningExtensions", "scan/FileChangedException"])
def test_both_languages_are_documented(of: str) -> None:
    assert f"limitpruning/{of}.html" in names(DOCUMENTATION)
