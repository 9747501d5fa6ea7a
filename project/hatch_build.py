"""Puts the JARs into the wheel, and builds them if one is not there.

A checkout has it from ``make jar``. An sdist and a clone by ``pip install git+…`` have none: there,
sbt builds it. What is missing for that is one line, and no stack trace.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SCALA_VERSIONS = ("2.12", "2.13")  # as in limit_pruning._jar, which a build cannot import
_NEEDED = "The JAR is not built, and building it needs Java 17 or newer, bash and the network"


class IncludeJar(BuildHookInterface[Any]):
    """The build hook of the wheel; an editable install uses the JAR where sbt leaves it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the JAR of each version of Scala."""
        if version == "editable":
            return
        root = Path(self.root)
        if self._missing():
            _run("bin/check-tools", root=root)
            self.app.display_info("building the JARs with sbt, in minutes")
            _run("bin/sbt", "+package", root=root)
        if missing := self._missing():
            names = ", ".join(jar.name for jar in missing)
            sys.exit(f"sbt did not make {names} in {root / 'target'}")
        for jar in self._jars():
            build_data["force_include"][str(jar)] = f"limit_pruning/jars/{jar.name}"

    def _jars(self) -> list[Path]:
        version = self.metadata.version
        return [
            Path(self.root, "target", f"spark-limit-pruning_{scala}-{version}.jar")
            for scala in SCALA_VERSIONS
        ]

    def _missing(self) -> list[Path]:
        return [jar for jar in self._jars() if not jar.is_file()]


def _run(*command: str, root: Path) -> None:
    """Run a script of the repository; if it fails, exit with what it printed last."""
    # Not the packages of the build, which pip adds to every Python that it starts.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["PYTHON"] = sys.executable
    try:
        done = subprocess.run(
            ["bash", *command],
            cwd=root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    except OSError as error:
        sys.exit(f"{_NEEDED}: {error}")
    if done.returncode != 0:
        errors = [line for line in done.stdout.splitlines() if "error" in line.lower()]
        last = (errors or done.stdout.splitlines() or ["no output"])[-1]
        sys.exit(f"{_NEEDED}: {' '.join(command)}: {last}")
