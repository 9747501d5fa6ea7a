"""Puts the JAR into the wheel, and builds it if it is not there.

A checkout has it from ``make jar``. An sdist and a clone by ``pip install git+…`` have none: there,
sbt builds it. What is missing for that is one line, and no stack trace.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_NEEDED = "The JAR is not built, and building it needs Java 17 or newer, bash and the network"


class IncludeJar(BuildHookInterface[Any]):
    """The build hook of the wheel; an editable install uses the JAR where sbt leaves it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the JAR of each version of Scala."""
        if version == "editable":
            return
        root = Path(self.root)
        jars = self._jars()
        if not jars:
            _run("bin/check-tools", root=root)
            self.app.display_info("building the JAR with sbt, in minutes")
            _run("bin/sbt", "package", root=root)
            jars = self._jars()
        if not jars:
            sys.exit(f"sbt made no JAR of version {self.metadata.version} in {root / 'target'}")
        for jar in jars:
            build_data["force_include"][str(jar)] = f"limit_pruning/jars/{jar.name}"

    def _jars(self) -> list[Path]:
        name = re.compile(
            rf"spark-limit-pruning_\d+\.\d+-{re.escape(self.metadata.version)}\.jar",
        )
        found = Path(self.root, "target").glob("*.jar")
        return sorted(jar for jar in found if name.fullmatch(jar.name))


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
