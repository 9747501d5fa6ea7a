"""Puts the JAR that sbt has built into the wheel."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_JAR = "spark-limit-pruning.jar"


class IncludeJar(BuildHookInterface[Any]):
    """The build hook of the wheel; an editable install uses the JAR where sbt leaves it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the JAR, or raise FileNotFoundError if it has not been built."""
        if version == "editable":
            return
        jar = Path(self.root, "target", _JAR)
        if not jar.is_file():
            raise FileNotFoundError(f"{jar} is missing; run `make jar` first")
        build_data["force_include"][str(jar)] = f"limit_pruning/jars/{_JAR}"
