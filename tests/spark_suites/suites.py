"""Reads `suites.txt`: which suites of Spark are run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

PACKAGE = "org.apache.spark.sql."
LIST = Path(__file__).with_name("suites.txt")


@dataclass(frozen=True)
class Suite:
    """A suite of Spark; `name` is that of its class, without the package of Spark SQL.

    Suites of one group share a JVM. `quick` ones are those of `make test-spark-quick`.
    """

    name: str
    group: str
    quick: bool

    @property
    def class_name(self) -> str:
        """As scalatest wants it."""
        return PACKAGE + self.name


def parse(text: str) -> list[Suite]:
    """Read lines `[group]` and `name` or `name quick`; `#` begins a comment."""
    suites: list[Suite] = []
    group = ""
    for line in text.splitlines():
        words = line.partition("#")[0].split()
        if not words:
            continue
        if words[0].startswith("["):
            group = words[0].strip("[]")
        elif words[1:] not in ([], ["quick"]):
            raise ValueError(f"suites.txt: expected a name, or a name and 'quick', not: {line}")
        else:
            suites.append(Suite(words[0], group, quick=len(words) > 1))
    names = [suite.name for suite in suites]
    if repeated := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"suites.txt lists more than once: {', '.join(sorted(repeated))}")
    return suites
