"""The licenses of what the wheel installs, and of what the JAR is compiled against."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path
from xml.etree import ElementTree

from release.files import Provided

# By SPDX identifier; what is written in POMs, classifiers and old metadata.
_SPELLINGS = {
    "Apache-2.0": r"apache(-2\.0| license|, version)|apache software license",
    "BSD-2-Clause": r"bsd-2-clause",
    "BSD-3-Clause": r"bsd-3-clause|^bsd license",
    "MIT": r"\bmit\b",
}
_REQUIREMENT = re.compile(r"[A-Za-z0-9._-]+")
_CACHE = Path.home() / ".cache" / "coursier"


def spdx(text: str) -> str | None:
    """Return the SPDX identifier of an allowed license; None for any other."""
    matches = (name for name, words in _SPELLINGS.items() if re.search(words, text.lower()))
    return next(matches, None)


def installed_with(package: str) -> Iterator[Distribution]:
    """Return what pip installs with a package that is installed here, extras aside."""
    waiting, seen = [package], {package}
    while waiting:
        for requirement in distribution(waiting.pop()).requires or []:
            needed, _, marker = requirement.partition(";")
            name = _REQUIREMENT.match(needed)
            if name is None or "extra ==" in marker or _is_for_older_python(marker):
                continue
            if (found := name[0].lower()) not in seen:
                seen.add(found)
                waiting.append(found)
                yield distribution(found)


def _is_for_older_python(marker: str) -> bool:
    return "python_version <" in marker.replace("python_full_version", "python_version")


def of_distribution(package: Distribution) -> str | None:
    """Return the allowed license of a Python package, None for any other."""
    texts = [
        *(package.metadata.get_all("License-Expression") or []),
        *(package.metadata.get_all("Classifier") or []),
        *(text.partition("\n")[0] for text in package.metadata.get_all("License") or []),
    ]
    texts = [text for text in texts if text and not text.startswith("Programming Language")]
    return next(filter(None, map(spdx, texts)), None)


def of_provided(dependency: Provided, cache: Path | None = None) -> str | None:
    """Return the allowed license in the POM that sbt has downloaded, or in the POM's parents."""
    root = cache or Path(os.environ.get("COURSIER_CACHE", _CACHE))
    group, artifact, version = dependency.group, dependency.artifact, dependency.version
    while True:
        folder = f"{group.replace('.', '/')}/{artifact}/{version}/{artifact}-{version}.pom"
        pom = next(root.glob(f"v1/https/*/maven2/{folder}"), None) or next(
            root.glob(f"**/{folder}"), None
        )
        if pom is None:
            return None
        project = ElementTree.parse(pom).getroot()
        for each in project.iterfind("{*}licenses/{*}license/{*}name"):
            return spdx(each.text or "")
        parent = project.find("{*}parent")
        if parent is None:
            return None
        group, artifact, version = (
            parent.findtext(f"{{*}}{part}", "").strip()
            for part in ("groupId", "artifactId", "version")
        )
