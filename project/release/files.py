"""The files of a release, as ``make`` has built them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from limit_pruning._jar import SCALA_VERSIONS

ROOT = Path(__file__).resolve().parents[2]
GROUP = "io.github.spark-limit-pruning"
_NAMESPACE = {"": "http://maven.apache.org/POM/4.0.0"}


@dataclass(frozen=True)
class Provided:
    """A dependency in a POM, which the JAR does not contain."""

    group: str
    artifact: str
    version: str
    scope: str


@dataclass(frozen=True)
class Release:
    """The files of one version in a checkout.

    Attributes:
        version: The version, as in ``_version.py``.
        root: The checkout.
    """

    version: str
    root: Path = ROOT

    @property
    def dist(self) -> Path:
        """The folder of what is published."""
        return self.root / "dist"

    @property
    def wheel(self) -> Path:
        """The wheel."""
        return self.dist / f"spark_limit_pruning-{self.version}-py3-none-any.whl"

    @property
    def sdist(self) -> Path:
        """The source distribution."""
        return self.dist / f"spark_limit_pruning-{self.version}.tar.gz"

    @property
    def sbom(self) -> Path:
        """The software bill of materials."""
        return self.dist / f"spark-limit-pruning-{self.version}.cdx.json"

    @property
    def jars(self) -> list[Path]:
        """The JAR of each version of Scala."""
        target = self.root / "target"
        return [
            target / f"spark-limit-pruning_{scala}-{self.version}.jar" for scala in SCALA_VERSIONS
        ]

    def for_maven(self, jar: Path) -> list[Path]:
        """Return what Maven Central wants with a JAR: itself, its POM, sources and javadoc."""
        others = [jar.with_name(f"{jar.stem}-{kind}.jar") for kind in ("sources", "javadoc")]
        return [jar, jar.with_suffix(".pom"), *others]


def pom_text(pom: Path, path: str) -> str:
    """Return the text of an element of a POM; empty where there is none."""
    return ElementTree.parse(pom).getroot().findtext(path, "", _NAMESPACE).strip()


def provided(pom: Path) -> Iterator[Provided]:
    """Return the dependencies of a POM."""
    for each in ElementTree.parse(pom).getroot().iterfind("dependencies/dependency", _NAMESPACE):
        yield Provided(
            *(
                each.findtext(part, "", _NAMESPACE)
                for part in ("groupId", "artifactId", "version", "scope")
            )
        )
