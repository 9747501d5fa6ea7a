"""Reads `suites.txt`: which suites of Spark are run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

PACKAGE = "org.apache.spark.sql."
MARKS = {"quick", "plain", "limited", "limits"}
LIST = Path(__file__).with_name("suites.txt")


@dataclass(frozen=True)
class Suite:
    """A suite of Spark; `name` is that of its class, without the package of Spark SQL.

    Suites of one group share a JVM. `marks` are words of `MARKS`.
    """

    name: str
    group: str
    marks: frozenset[str]

    @property
    def short_name(self) -> str:
        """Without packages."""
        return self.name.rpartition(".")[2]

    def is_in(self, mode: str, *, quick: bool) -> bool:
        """Whether it runs in this mode, and among the quick ones if they are asked for."""
        elsewhere = {"limited": "plain", "plain": "limited"}[mode]
        return elsewhere not in self.marks and (not quick or "quick" in self.marks)

    @property
    def only_limits(self) -> bool:
        """Whether only the files of queries with a LIMIT or an EXPLAIN are run."""
        return "limits" in self.marks

    @property
    def class_name(self) -> str:
        """As scalatest wants it."""
        return PACKAGE + self.name


def parse(text: str) -> list[Suite]:
    """Read lines `[group]` and `name mark mark`; `#` begins a comment."""
    suites: list[Suite] = []
    group = ""
    for line in text.splitlines():
        words = line.partition("#")[0].split()
        if not words:
            continue
        if words[0].startswith("["):
            group = words[0].strip("[]")
        elif unknown := set(words[1:]) - MARKS:
            raise ValueError(f"suites.txt: {words[0]} has an unknown mark: {', '.join(unknown)}")
        else:
            suites.append(Suite(words[0], group, frozenset(words[1:])))
    names = [suite.name for suite in suites]
    if repeated := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"suites.txt lists more than once: {', '.join(sorted(repeated))}")
    return suites
