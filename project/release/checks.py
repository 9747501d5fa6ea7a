"""What must hold before a version is released."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from email import message_from_bytes

from release import licenses, sbom
from release.files import Release, pom_text, provided

# What Maven Central asks of a POM.
_POM = (
    *("name", "description", "url", "licenses/license/name", "developers/developer/name"),
    *("scm/url", "scm/connection"),
)


class NotReady(Exception):  # noqa: N818, it is no error of the program
    """A release cannot be made as things are; the message states what to do."""


def version(release: Release) -> str:
    """Refuse a version between releases."""
    if not re.fullmatch(r"\d+\.\d+\.\d+(rc\d+)?", release.version):
        raise NotReady(
            f"{release.version} is no release; set __version__ in python/limit_pruning/_version.py"
        )
    return release.version


def changelog(release: Release) -> str:
    """Require the version's section, with entries, and nothing under Unreleased."""
    text = (release.root / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    sections: dict[str, str] = dict(found)
    titles: list[str] = [
        title for title in sections if title.split()[0].strip("[]") == release.version
    ]
    if not titles or not re.search(r"^- ", sections[titles[0]], re.MULTILINE):
        raise NotReady(f"CHANGELOG.md has no entries under '## {release.version} (<date>)'")
    if re.search(r"^- ", sections.get("Unreleased", ""), re.MULTILINE):
        raise NotReady(f"CHANGELOG.md has entries under Unreleased; move them to {titles[0]}")
    return titles[0]


def tree(release: Release) -> str:
    """Require that everything is committed."""
    if changed := _git(release, "status", "--porcelain").splitlines():
        raise NotReady(f"{len(changed)} changed files, such as {changed[0].strip()}; commit them")
    return _git(release, "rev-parse", "--short", "HEAD")


def tag(release: Release) -> str:
    """Require that the version has no tag."""
    name = f"v{release.version}"
    if _git(release, "tag", "--list", name):
        raise NotReady(f"{name} exists; a released version is never changed: choose the next one")
    return f"{name} does not exist"


def wheel(release: Release) -> str:
    """Require the JARs, the license and no dependency on PySpark in the wheel."""
    if not release.wheel.is_file():
        raise NotReady(f"{release.wheel} is missing; run `make wheel`")
    with zipfile.ZipFile(release.wheel) as archive:
        names = archive.namelist()
        inside = {name.rpartition("/")[2]: name for name in names if name.endswith(".jar")}
        if sorted(inside) != sorted(jar.name for jar in release.jars):
            raise NotReady(f"{release.wheel.name} has the JARs {sorted(inside)}")
        for jar in release.jars:
            if archive.read(inside[jar.name]) != jar.read_bytes():
                raise NotReady(f"{jar.name} in the wheel is not that of target/: `make wheel`")
        folder = f"spark_limit_pruning-{release.version}.dist-info"
        if f"{folder}/licenses/LICENSE" not in names:
            raise NotReady(f"{release.wheel.name} has no LICENSE")
        metadata = message_from_bytes(archive.read(f"{folder}/METADATA"))
    needed = metadata.get_all("Requires-Dist") or []
    if [each for each in needed if "pyspark" in each and "extra ==" not in each]:
        raise NotReady(f"{release.wheel.name} would install PySpark")
    return f"{release.wheel.name}, with {', '.join(inside)}"


def sdist(release: Release) -> str:
    """Require what the JAR is built from in the sdist, and nothing that is built."""
    if not release.sdist.is_file():
        raise NotReady(f"{release.sdist} is missing; run `make sdist`")
    with tarfile.open(release.sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    missing = {"build.sbt", "bin/sbt", "bin/coursier", "LICENSE", "pyproject.toml"} - names
    if missing or not any(name.endswith("LimitPruningExtensions.scala") for name in names):
        raise NotReady(f"{release.sdist.name} lacks {sorted(missing) or 'the Scala sources'}")
    if built := [name for name in names if name.endswith((".jar", ".class", ".pyc"))]:
        raise NotReady(f"{release.sdist.name} contains {built[0]}")
    return release.sdist.name


def rebuilt(release: Release) -> str:
    """Require that pip has made a wheel of the sdist, with the same files."""
    wheel = release.root / "target" / "from-sdist" / release.wheel.name
    if not wheel.is_file():
        raise NotReady(f"{wheel} is missing; run `make release-check`")
    with zipfile.ZipFile(wheel) as made, zipfile.ZipFile(release.wheel) as expected:
        if different := sorted(set(made.namelist()) ^ set(expected.namelist())):
            raise NotReady(f"the wheel of the sdist differs, for example in {different[0]}")
    return f"pip made {wheel.name} of it, with the same files"


def maven(release: Release) -> str:
    """Require what Maven Central wants, and lay it out in ``dist/maven`` with checksums."""
    folders = []
    for jar in release.jars:
        files = release.for_maven(jar)
        if missing := [file.name for file in files if not file.is_file()]:
            raise NotReady(f"{', '.join(missing)} are missing; run `make release-check`")
        pom = jar.with_suffix(".pom")
        if lacking := [path for path in _POM if not pom_text(pom, path)]:
            raise NotReady(f"{pom.name} has no {', '.join(lacking)}")
        if (found := pom_text(pom, "version")) != release.version:
            raise NotReady(f"{pom.name} has version {found}; Maven Central takes releases only")
        group, artifact = pom_text(pom, "groupId"), pom_text(pom, "artifactId")
        folder = release.dist / "maven" / group.replace(".", "/") / artifact / release.version
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for file in files:
            shutil.copy(file, folder)
            for algorithm in ("md5", "sha1"):  # Maven Central requires these two
                digest = hashlib.new(algorithm, file.read_bytes()).hexdigest()
                (folder / f"{file.name}.{algorithm}").write_text(digest)
        folders.append(folder.relative_to(release.root).as_posix())
    return ", ".join(folders)


def contents(release: Release) -> str:
    """Require that a JAR holds this project's classes alone, and that the rest is provided."""
    for jar in release.jars:
        with zipfile.ZipFile(jar) as archive:
            others = [
                name
                for name in archive.namelist()
                if name.endswith(".class") and not name.startswith("limitpruning/")
            ]
        if others:
            raise NotReady(f"{jar.name} contains {others[0]}")
        if shipped := [
            each for each in provided(jar.with_suffix(".pom")) if each.scope != "provided"
        ]:
            raise NotReady(f"{jar.name} depends on {shipped[0]}")
    return "no class of another project in the JARs"


def allowed(release: Release) -> str:
    """Require an allowed license of everything that is installed or compiled against."""
    found = {
        each.metadata["Name"]: licenses.of_distribution(each)
        for each in licenses.installed_with("spark-limit-pruning")
    }
    for jar in release.jars:
        for each in provided(jar.with_suffix(".pom")):
            found[f"{each.group}:{each.artifact}"] = licenses.of_provided(each)
    if unknown := sorted(name for name, license_id in found.items() if license_id is None):
        raise NotReady(f"no allowed license found for {', '.join(unknown)}")
    return ", ".join(f"{name} {license_id}" for name, license_id in sorted(found.items()))


def materials(release: Release) -> str:
    """Write the SBOM."""
    return f"{release.sbom.name}, {sbom.write(release)} components"


def signing(release: Release) -> str:
    """Require gpg with a key that signs. Nothing is signed, and no secret is read."""
    sign = "find dist/maven '(' -name '*.jar' -o -name '*.pom' ')' -exec gpg -ab {} ';'"
    if shutil.which("gpg") is None:
        raise NotReady(f"gpg is not on the PATH; install it, then sign with: {sign}")
    command = ["gpg", "--batch", "--with-colons", "--list-secret-keys"]
    keys = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    if not re.search(r"^sec:[^re]", keys, re.MULTILINE):
        raise NotReady(
            f"gpg has no key; `gpg --full-generate-key`, publish it, then sign {release.version} "
            f"with: {sign}"
        )
    return f"a key is there; to sign: {sign}"


CHECKS: dict[str, Callable[[Release], str]] = {
    "version": version,
    "changelog": changelog,
    "tree": tree,
    "tag": tag,
    "wheel": wheel,
    "sdist": sdist,
    "a wheel of the sdist": rebuilt,
    "Maven": maven,
    "contents": contents,
    "licenses": allowed,
    "SBOM": materials,
    "signing": signing,
}


def run(release: Release) -> Iterator[tuple[str, bool, str]]:
    """Run all checks, also after a failure: the name, whether it holds, what was found or to do."""
    for name, check in CHECKS.items():
        yield name, *_outcome(check, release)


def _outcome(check: Callable[[Release], str], release: Release) -> tuple[bool, str]:
    try:
        return True, check(release)
    except NotReady as problem:
        return False, str(problem)
    except OSError as error:
        return False, f"{error}; `make release-check` builds all files"


def _git(release: Release, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=release.root, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise NotReady(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.strip()
