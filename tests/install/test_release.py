"""``make release-check`` refuses what must not be released, and writes what is published."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import limit_pruning
from release import checks, licenses, sbom
from release.checks import NotReady
from release.files import Provided, Release
from support.paths import ROOT

HASH = r"--hash=sha256:[0-9a-f]{64}"
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
<groupId>org.example</groupId><artifactId>{artifact}</artifactId><version>{version}</version>
<name>a</name><description>d</description><url>u</url>
<licenses><license><name>{license}</name></license></licenses>
<developers><developer><name>d</name></developer></developers>
<scm><url>u</url><connection>c</connection></scm>
<dependencies><dependency><groupId>g</groupId><artifactId>x</artifactId><version>1</version>
<scope>{scope}</scope></dependency></dependencies></project>"""


@pytest.fixture
def release(tmp_path: Path) -> Release:
    """A checkout of version 1.2.3 that can be released, as far as no build is needed."""
    release = Release("1.2.3", tmp_path)
    for folder in (release.dist, tmp_path / "target"):
        folder.mkdir()
    (tmp_path / ".gitignore").write_text("dist/\ntarget/\n")
    changelog = "# Changelog\n\n## Unreleased\n\n## 1.2.3 (2030-01-01)\n\n### Fixed\n- A.\n"
    (tmp_path / "CHANGELOG.md").write_text(changelog)
    for jar in release.jars:
        for file in release.for_maven(jar):
            with zipfile.ZipFile(file, "w") as archive:
                archive.writestr("limitpruning/A.class", "")
        write_pom(jar)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "Begin")
    return release


def write_pom(
    jar: Path, version: str = "1.2.3", license_name: str = "MIT", scope: str = "provided"
) -> None:
    """Write the POM of a JAR."""
    jar.with_suffix(".pom").write_text(
        POM.format(
            artifact=jar.name.partition("-1.")[0],
            version=version,
            license=license_name,
            scope=scope,
        )
    )


def git(folder: Path, *arguments: str) -> None:
    """Run git as nobody in particular."""
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True)


@pytest.mark.parametrize("version", ["1.2.3", "0.1.0", "1.2.3rc1"])
def test_versions_that_are_released(version: str) -> None:
    assert checks.version(Release(version)) == version


@pytest.mark.parametrize("version", ["0.1.0.dev0", "1.2", "1.2.3-SNAPSHOT", "1.2.3+local"])
def test_versions_that_are_not_released(version: str) -> None:
    with pytest.raises(NotReady, match=re.escape(version)):
        checks.version(Release(version))


def test_the_version_of_the_checkout_is_one_of_the_two() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+(rc\d+|\.dev\d+)?", limit_pruning.__version__)


def test_the_section_of_the_changelog(release: Release) -> None:
    assert checks.changelog(release) == "1.2.3 (2030-01-01)"
    file = release.root / "CHANGELOG.md"
    text = file.read_text()
    file.write_text(text.replace("## Unreleased\n", "## Unreleased\n\n- B.\n"))
    with pytest.raises(NotReady, match=r"under Unreleased; move them to 1\.2\.3"):
        checks.changelog(release)
    file.write_text(text.replace("- A.\n", ""))
    with pytest.raises(NotReady, match=r"no entries under '## 1\.2\.3"):
        checks.changelog(release)
    with pytest.raises(NotReady, match=r"no entries under '## 1\.2\.30"):
        checks.changelog(Release("1.2.30", release.root))


def test_a_clean_tree_and_a_new_tag(release: Release) -> None:
    assert checks.tree(release)
    assert checks.tag(release) == "v1.2.3 does not exist"
    (release.root / "new").touch()
    with pytest.raises(NotReady, match=r"1 changed files, such as .* new"):
        checks.tree(release)
    git(release.root, "tag", "v1.2.3")
    with pytest.raises(NotReady, match=r"v1\.2\.3 exists"):
        checks.tag(release)


def test_the_sdist_makes_the_same_wheel(release: Release) -> None:
    with pytest.raises(NotReady, match="make release-check"):
        checks.rebuilt(release)
    made = release.root / "target" / "from-sdist" / release.wheel.name
    made.parent.mkdir()
    for file in (release.wheel, made):
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("a", "")
    assert made.name in checks.rebuilt(release)
    with zipfile.ZipFile(release.wheel, "a") as archive:
        archive.writestr("b.jar", "")
    with pytest.raises(NotReady, match=r"for example in b\.jar"):
        checks.rebuilt(release)


def test_what_maven_central_takes(release: Release) -> None:
    folders = checks.maven(release).split(", ")
    for jar, folder in zip(release.jars, (release.root / each for each in folders), strict=True):
        names = {file.name for file in folder.iterdir()}
        wanted = {file.name for file in release.for_maven(jar)}
        assert names == wanted | {f"{name}.{kind}" for name in wanted for kind in ("md5", "sha1")}
        digest = hashlib.sha1((folder / jar.name).read_bytes()).hexdigest()
        assert (folder / f"{jar.name}.sha1").read_text() == digest
    write_pom(jar, version="1.2.3-SNAPSHOT")
    with pytest.raises(NotReady, match=r"1\.2\.3-SNAPSHOT; Maven Central takes releases only"):
        checks.maven(release)
    write_pom(jar, license_name="")
    with pytest.raises(NotReady, match="has no licenses/license/name"):
        checks.maven(release)
    release.for_maven(jar)[-1].unlink()
    with pytest.raises(NotReady, match=r"-javadoc\.jar"):
        checks.maven(release)


def test_a_jar_holds_this_project_alone(release: Release) -> None:
    jar = release.jars[-1]
    assert checks.contents(release)
    write_pom(jar, scope="compile")
    with pytest.raises(NotReady, match=r"depends on .*'x'"):
        checks.contents(release)
    with zipfile.ZipFile(jar, "a") as archive:
        archive.writestr("org/other/B.class", "")
    with pytest.raises(NotReady, match=r"contains org/other/B\.class"):
        checks.contents(release)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Apache-2.0", "Apache-2.0"),
        ("The Apache License, Version 2.0", "Apache-2.0"),
        ("License :: OSI Approved :: MIT License", "MIT"),
        ("BSD-3-Clause", "BSD-3-Clause"),
        ("GPL-3.0", None),
        ("License :: Other/Proprietary License", None),
        ("submitted", None),
        ("", None),
    ],
)
def test_licenses_that_are_allowed(text: str, expected: str | None) -> None:
    assert licenses.spdx(text) == expected


def test_the_license_of_a_jar_may_be_in_its_parent(tmp_path: Path) -> None:
    place = "<groupId>g.h</groupId><artifactId>p</artifactId><version>1</version>"
    child = f"<project><parent>{place}</parent></project>"
    parent = "<project><licenses><license><name>{}</name></license></licenses></project>"
    for artifact, text in {"a": child, "p": parent.format("MIT")}.items():
        folder = tmp_path / "v1" / "https" / "host" / "maven2" / "g" / "h" / artifact / "1"
        folder.mkdir(parents=True)
        (folder / f"{artifact}-1.pom").write_text(text)
    found = Provided("g.h", "a", "1", "provided")
    assert licenses.of_provided(found, tmp_path) == "MIT"
    assert licenses.of_provided(Provided("g.h", "b", "1", "provided"), tmp_path) is None
    (folder / "p-1.pom").write_text(parent.format("GPL-3.0"))
    assert licenses.of_provided(found, tmp_path) is None


def test_what_is_installed_has_allowed_licenses() -> None:
    found = {
        each.metadata["Name"].lower(): licenses.of_distribution(each)
        for each in licenses.installed_with("spark-limit-pruning")
    }
    assert found["rich"] == "MIT"
    assert "pyspark" not in found
    assert None not in found.values()


def test_the_sbom_lists_the_jar_and_what_is_installed(tmp_path: Path) -> None:
    real = limit_pruning.jar_path()
    release = Release(limit_pruning.__version__, tmp_path)
    (tmp_path / "dist").mkdir()
    (tmp_path / "target").mkdir()
    for jar in release.jars:
        shutil.copy(real.with_name(jar.name), jar)
        shutil.copy(real.with_name(jar.name).with_suffix(".pom"), jar.with_suffix(".pom"))
    release.wheel.write_bytes(b"wheel")
    count = sbom.write(release)
    told = json.loads(release.sbom.read_text())
    assert (told["bomFormat"], told["specVersion"]) == ("CycloneDX", "1.6")
    wheel = told["metadata"]["component"]
    assert wheel["purl"] == f"pkg:pypi/spark-limit-pruning@{release.version}"
    assert wheel["hashes"][0]["content"] == hashlib.sha256(b"wheel").hexdigest()
    assert len(told["components"]) == count
    components = {each["name"]: each for each in told["components"]}
    for jar in release.jars:
        name = jar.name.partition(f"-{release.version}")[0]
        digest = hashlib.sha256(jar.read_bytes()).hexdigest()
        assert components[name]["hashes"][0]["content"] == digest
    assert {"rich", "markdown-it-py", "spark-sql_2.13", "scala-library"} < components.keys()
    assert components["delta-storage"]["scope"] == "optional"
    assert "pyspark" not in components
    edges = {each["ref"]: each.get("dependsOn", []) for each in told["dependencies"]}
    assert components["spark-limit-pruning_2.13"]["bom-ref"] in edges[wheel["bom-ref"]]


def test_a_failed_check_does_not_hide_the_others(
    release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GNUPGHOME", str(release.root))  # without keys
    outcomes = {name: (holds, text) for name, holds, text in checks.run(release)}
    assert outcomes.keys() == checks.CHECKS.keys()
    assert [name for name, (holds, _) in outcomes.items() if not holds] == [
        *("wheel", "sdist", "a wheel of the sdist", "licenses", "SBOM", "signing")
    ]
    assert "make wheel" in outcomes["wheel"][1]
    assert "g:x" in outcomes["licenses"][1]
    assert "gpg --full-generate-key" in outcomes["signing"][1]


@pytest.mark.parametrize("extra", ["dev", "delta", "docs"])
def test_a_lock_file_has_hashes_and_names_no_registry(extra: str) -> None:
    text = (ROOT / "requirements" / f"{extra}.txt").read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.search(r"^-", text, re.MULTILINE)
    entries = re.split(r"^(?=[a-z])", text, flags=re.MULTILINE)[1:]
    assert len(entries) > 50
    assert [each for each in entries if not re.search(HASH, each)] == []
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    locked = re.search(r"^LOCKED := (.*)$", makefile, re.MULTILINE)
    assert locked
    assert extra in ["dev", *locked[1].split()]


@pytest.mark.parametrize("extra", ["dev", "delta", "docs"])
def test_a_lock_file_has_what_pyproject_asks_for(extra: str) -> None:
    text = (ROOT / "requirements" / f"{extra}.txt").read_text(encoding="utf-8")
    locked: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([a-z0-9-]+)==([^ \n]+)", text, re.MULTILINE):
        locked.setdefault(name, set()).add(version)
    wanted = distribution_requirements(extra)
    assert len(wanted) > 1
    for each in wanted:
        assert any(map(each.specifier.contains, locked[each.name])), each


def distribution_requirements(extra: str) -> list[Requirement]:
    """Return what the package asks for, always and with an extra."""
    package = distribution("spark-limit-pruning")
    found = map(Requirement, package.requires or [])
    return [
        each for each in found if each.marker is None or f'extra == "{extra}"' in str(each.marker)
    ]
