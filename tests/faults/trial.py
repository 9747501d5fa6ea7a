"""Plants a fault in a copy of the sources, builds the JAR, and runs tests with it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO

from faults.fault import ICEBERG, Fault
from support.paths import ROOT

# What the JAR is built from, and what the tests need.
COPIED = (
    *("bin", "benchmarks", "examples", "jvm/src/main", "project", "python", "tests", ".jvmopts"),
    *("build.sbt", "LICENSE", "pyproject.toml", ".scalafix.conf", ".scalafmt.conf"),
)
SOURCES = "jvm/src/main/scala/limitpruning"
_SETTINGS = ("-Dsbt.color=false", "-Dsbt.supershell=false")
# Iceberg supports another Spark than the one that the JAR is compiled for; `make` names its Python.
ICEBERG_PYTHON = os.environ.get("FAULTS_ICEBERG_PYTHON", sys.executable)
_FAILURES_OF_TESTS = 1  # the exit code of pytest if tests ran, and some failed
# What a random test says if it fails because too few LIMITs were pruned: no answer was wrong.
_SAYS_NOTHING = "else the property says nothing"
_QUERY = re.compile(r"\bat query (\d+)")


class BuildError(Exception):
    """The faulty code does not compile."""


@dataclass(frozen=True)
class Run:
    """One run of tests with a fault.

    Attributes:
        test: The file, folder or test.
        found: Whether a test failed, other than because too few LIMITs were pruned.
        query: The number of the random query that failed; none if no random test failed.
        seconds: How long the tests ran.
    """

    test: str
    found: bool
    query: int | None
    seconds: int


def copied() -> list[Path]:
    """Return the files of the repository that a trial needs, below its root."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", "--", *COPIED],
        capture_output=True, check=True, text=True,
    ).stdout  # fmt: skip
    return [Path(name) for name in listed.split("\0") if name]


class Copy:
    """A copy of the repository, with an sbt of its own. A context manager, which ends sbt."""

    def __init__(self, folder: Path) -> None:
        """Copy what is needed to `folder`, which is emptied."""
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        for name in copied():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)
        (folder / ".tools").symlink_to(ROOT / ".tools")

    def __enter__(self) -> Copy:
        """Start sbt."""
        self._sbt = subprocess.Popen(
            ["bin/sbt", *_SETTINGS],
            cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End sbt."""
        self._sbt.kill()
        self._sbt.communicate()

    def plant(self, fault: Fault) -> None:
        """Restore the sources, and plant a fault.

        Raises:
            ValueError: An edit does not apply exactly once.
            BuildError: The faulty code does not compile.
        """
        for edit in fault.edits:
            shutil.copy(ROOT / SOURCES / edit.file, self.folder / SOURCES / edit.file)
        for edit in fault.edits:
            edit.apply(self.folder / SOURCES)
        self._package()

    def restore(self, fault: Fault) -> None:
        """Restore the sources that a fault changed."""
        for edit in fault.edits:
            shutil.copy(ROOT / SOURCES / edit.file, self.folder / SOURCES / edit.file)

    def run(self, test: str, log: IO[str]) -> Run:
        """Run tests until one fails.

        Raises:
            RuntimeError: The tests could not be run.
        """
        paths = os.pathsep.join(str(self.folder / name) for name in ("python", "tests", "."))
        environment = os.environ | {"PYTHONPATH": paths, "FUZZ_WITHOUT_SHRINKING": "1"}
        is_iceberg = Path(test).is_relative_to(Path(ICEBERG).parent)
        python = ICEBERG_PYTHON if is_iceberg else sys.executable
        command = [python, "-m", "pytest", "--exitfirst", "-p", "no:cacheprovider", test]
        started = time.monotonic()
        tried = subprocess.run(
            command, cwd=self.folder, env=environment, check=False, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        seconds = round(time.monotonic() - started)
        log.write(tried.stdout)
        log.flush()
        if tried.returncode not in (0, _FAILURES_OF_TESTS):
            raise RuntimeError(f"pytest ended with {tried.returncode}:\n{tried.stdout[-2000:]}")
        if tried.returncode == 0 and " passed" not in tried.stdout:
            raise RuntimeError(f"all tests of {test} were skipped:\n{tried.stdout[-2000:]}")
        # Hypothesis repeats a query that fails, so the first number counts.
        queries = [int(number) for number in _QUERY.findall(tried.stdout)]
        found = tried.returncode != 0 and f"AssertionError: {_SAYS_NOTHING}" not in tried.stdout
        return Run(test, found, min(queries, default=None), seconds)

    def _package(self) -> None:
        assert self._sbt.stdin is not None
        assert self._sbt.stdout is not None
        self._sbt.stdin.write("package\n")
        self._sbt.stdin.flush()
        lines = []
        for line in self._sbt.stdout:
            lines.append(line)
            if "[success] Total time" in line:
                return
            if "[error] Total time" in line:
                break
        raise BuildError("".join(lines[-30:]))
