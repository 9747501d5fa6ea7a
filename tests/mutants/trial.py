"""Compiles mutants and runs unit suites against them, in a JVM that is kept."""

from __future__ import annotations

import os
import re
import selectors
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from mutants.operators import Mutant
from support import build_sbt
from support.paths import ROOT, SCALA, SCALA_TESTS

HERE = Path(__file__).parent
PREDICATE = "predicate"
CONTRACT = "tables/ScanContract.scala"
# The contract is used where scans are planned.
_OF_CONTRACT = (
    "limitpruning.tables.ParquetTableSuite",
    "limitpruning.catalyst.PlanLimitPrunedScanSuite",
)
_FAILED = re.compile(r"^- (.*) \*\*\* FAILED \*\*\*", re.MULTILINE)
# A mutant may never end. The suites of an unchanged file need a few seconds on an idle machine.
_MOST_SECONDS = 60.0
KILLED, SURVIVED, STILLBORN, TIMEOUT = OUTCOMES = (
    "killed",
    "survived",
    "does not compile",
    "timed out",
)


@dataclass(frozen=True)
class Build:
    """What sbt made of the sources as they are: folders of classes, libraries, options of a JVM."""

    classes: tuple[str, ...]
    libraries: tuple[str, ...]
    options: tuple[str, ...]


def build() -> Build:
    """Compile the sources and the suites."""
    wanted = ["Test/compile", "export Test/fullClasspath", "print Test/javaOptions"]
    command = ["bin/sbt", "-Dsbt.color=false", "-error", *wanted]
    done = subprocess.run(
        command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, check=True, text=True
    )
    lines = done.stdout.splitlines()
    options = [line.removeprefix("* ") for line in lines if line.startswith("* ")]
    path = next(line for line in reversed(lines) if line.strip() and not line.startswith("* "))
    compiler = subprocess.run(
        ["bin/coursier", "fetch", "-q", f"org.scala-lang:scala-compiler:{scala_version()}"],
        cwd=ROOT, capture_output=True, check=True, text=True,
    ).stdout.split()  # fmt: skip
    parts = path.strip().split(os.pathsep)
    return Build(
        tuple(part for part in parts if Path(part).is_dir()),
        tuple([part for part in parts if part.endswith(".jar")] + compiler),
        tuple(option for option in options if "module" in option.lower() or "=" in option),
    )


def suites(mutant: Mutant) -> list[tuple[str, ...]]:
    """Return the suites to run, the likeliest to fail first: the others run if they do not fail."""
    if mutant.file == CONTRACT:
        return [_OF_CONTRACT]
    folder = SCALA_TESTS / "limitpruning" / PREDICATE
    names = sorted(file.stem for file in folder.glob("*Suite.scala"))
    own = [name for name in names if name.startswith(Path(mutant.file).stem)]
    parts = [own, [name for name in names if name not in own]]
    return [tuple(f"limitpruning.{PREDICATE}.{name}" for name in part) for part in parts if part]


class Trials:
    """A JVM that compiles and tests one mutant after the other; a context manager."""

    def __init__(self, built: Build, work: Path) -> None:
        """Use the folder `work`, which is emptied, for sources and classes of mutants."""
        self._built = built
        self._work = work
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)

    def __enter__(self) -> Trials:
        """Start the JVM."""
        self._start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the JVM."""
        self._end()

    def outcome(self, mutant: Mutant) -> tuple[str, str]:
        """Return what became of a mutant, and the test that failed, if one did."""
        source = self._work / Path(mutant.file).name
        source.write_text(mutant.of((SCALA / mutant.file).read_text(encoding="utf-8")), "utf-8")
        for part in suites(mutant):
            found = self._run(source, part)
            if found[0] != SURVIVED:
                return found
        return SURVIVED, ""

    def _run(self, source: Path, part: tuple[str, ...]) -> tuple[str, str]:
        classes = self._work / "classes"
        shutil.rmtree(classes, ignore_errors=True)
        classes.mkdir()
        # In one JVM, Spark would find the extension's classes of the first mutant only.
        is_alone = source.name == Path(CONTRACT).name
        fields = [source, classes, " ".join(self._built.classes)]
        fields += [os.pathsep.join(self._built.libraries), ",".join(part)]
        answer = self._ask("\t".join(map(str, fields)))
        report = classes / "report.txt"
        failed = _FAILED.search(report.read_text(encoding="utf-8")) if report.exists() else None
        if is_alone or answer == TIMEOUT:
            self._end()
            self._start()
        return answer, failed[1] if failed and answer == KILLED else ""

    def _ask(self, line: str) -> str:
        assert self._jvm.stdin
        assert self._jvm.stdout
        self._jvm.stdin.write(line + "\n")
        self._jvm.stdin.flush()
        with selectors.DefaultSelector() as selector:
            selector.register(self._jvm.stdout, selectors.EVENT_READ)
            while selector.select(_MOST_SECONDS):
                text = self._jvm.stdout.readline()
                if not text:
                    return TIMEOUT  # the JVM ended
                if text.startswith("RESULT "):
                    return text.removeprefix("RESULT ").strip()
        return TIMEOUT

    def _start(self) -> None:
        java = Path(os.environ["JAVA_HOME"]) / "bin/java" if "JAVA_HOME" in os.environ else "java"
        options = [*self._built.options, "-Duser.timezone=UTC", "-Xss4m", "-Xmx1500m"]
        path = os.pathsep.join(self._built.libraries)
        command = [str(java), *options, "-cp", path, str(HERE / "Trial.java")]
        self._jvm = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=(self._work / "stderr.log").open("a"),
            text=True,
            bufsize=1,
            cwd=self._work,
            env=os.environ | {"SPARK_LOCAL_IP": "127.0.0.1"},
        )

    def _end(self) -> None:
        self._jvm.kill()
        self._jvm.wait()


def scala_version() -> str:
    """The Scala of the sources that mutants are compiled from."""
    return build_sbt.value("scala213")
