"""The software bill of materials of the wheel, in CycloneDX 1.6."""

from __future__ import annotations

import hashlib
from pathlib import Path

from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.license import DisjunctiveLicense
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

from release import licenses
from release.files import GROUP, Release, provided

_PACKAGE = "spark-limit-pruning"
_OPTIONAL = ("io.delta", "org.apache.iceberg")


def write(release: Release) -> int:
    """Write the SBOM of a release beside its wheel; return how many components it lists.

    It lists the JARs in the wheel, the Python packages that pip installs with it, and what Spark
    provides. The versions of the last two are those of this build; ranges are in the metadata.
    """
    bom = Bom()
    wheel = _component(_PACKAGE, release.version, "Apache-2.0", "pypi", file=release.wheel)
    bom.metadata.component = wheel
    jars = [
        _component(
            jar.name.partition("-" + release.version)[0],
            release.version,
            "Apache-2.0",
            "maven",
            GROUP,
            file=jar,
        )
        for jar in release.jars
    ]
    packages = [
        _component(each.metadata["Name"], each.version, licenses.of_distribution(each), "pypi")
        for each in licenses.installed_with(_PACKAGE)
    ]
    bom.register_dependency(wheel, [*jars, *packages])
    components = {each.purl: each for each in [*jars, *packages]}
    for jar, component in zip(release.jars, jars, strict=True):
        needed = []
        for each in provided(jar.with_suffix(".pom")):
            neighbour = _component(
                each.artifact, each.version, licenses.of_provided(each), "maven", each.group
            )
            neighbour.properties.add(Property(name="maven:scope", value=each.scope))
            if each.group in _OPTIONAL:
                neighbour.scope = ComponentScope.OPTIONAL
            needed.append(components.setdefault(neighbour.purl, neighbour))
        bom.register_dependency(component, needed)
    for listed in components.values():
        bom.components.add(listed)
    text = JsonV1Dot6(bom).output_as_string(indent=2)
    if problem := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        raise ValueError(f"{release.sbom} would not be CycloneDX: {problem}")
    release.sbom.write_text(text + "\n", encoding="utf-8")
    return len(components)


def _component(
    name: str,
    version: str,
    license_id: str | None,
    kind: str,
    group: str | None = None,
    *,
    file: Path | None = None,
) -> Component:
    hashes = []
    if file is not None:
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        hashes.append(HashType(alg=HashAlgorithm.SHA_256, content=digest))
    purl = PackageURL(kind, group, name, version)
    return Component(
        type=ComponentType.LIBRARY,
        name=name,
        group=group,
        version=version,
        bom_ref=str(purl),
        purl=purl,
        scope=ComponentScope.REQUIRED,
        hashes=hashes,
        licenses=[DisjunctiveLicense(id=license_id)] if license_id else [],
    )
