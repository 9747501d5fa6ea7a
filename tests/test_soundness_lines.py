"""Every numbered line of what goes wrong in other engines is claimed by a test that says so.

A pytest claims a line by its name, ``test_line_07_...``; a Scala test by its title, "line 7: ..."
or "lines 17, 29: ...". The table is read from those names, and kept nowhere else.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINES = 51
PYTEST = re.compile(r"^def (test_line_(\d\d)_\w+)", re.MULTILINE)
SCALA = re.compile(r'\btest\(\s*s?"(lines? ([\d, ]+): [^"]+)"')


def claims() -> dict[int, list[str]]:
    """Return the tests that claim each line."""
    table: defaultdict[int, list[str]] = defaultdict(list)
    for file in sorted((ROOT / "tests").glob("test_*.py")):
        for name, line in PYTEST.findall(file.read_text()):
            table[int(line)].append(f"{file.name}::{name}")
    for file in sorted((ROOT / "jvm" / "src" / "test").rglob("*Suite.scala")):
        for title, lines in SCALA.findall(file.read_text()):
            for line in lines.split(","):
                table[int(line)].append(f"{file.name}: {title}")
    return table


@pytest.mark.parametrize("line", range(1, LINES + 1))
def test_a_test_claims_line(line: int) -> None:
    assert claims()[line], f"no test says that it is about line {line}"


def test_no_test_claims_a_line_that_is_not_there() -> None:
    assert set(claims()) <= set(range(1, LINES + 1))
