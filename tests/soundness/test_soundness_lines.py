"""Every numbered line of what goes wrong in other engines is claimed by a test that says so.

A pytest claims a line by its name, ``test_line_07_...``; a Scala test by its title, "line 7: ..."
or "lines 17, 29: ...". The table is read from those names, and kept nowhere else. A test that is
skipped on this machine claims nothing here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from support.paths import ROOT, SCALA_TESTS, TEST_FILES

LINES = 113
PYTEST = re.compile(r"^def (test_line_(\d+)_\w+)", re.MULTILINE)
SCALA = re.compile(r'\btest\(\s*s?"(lines? ([\d, ]+): [^"]+)"')


@cache
def claims() -> tuple[dict[int, list[str]], dict[int, list[str]]]:
    """Return the tests that claim each line: those that run here, and those that do not."""
    running: defaultdict[int, list[str]] = defaultdict(list)
    skipped: defaultdict[int, list[str]] = defaultdict(list)
    for file in TEST_FILES:
        for name, line in PYTEST.findall(file.read_text(encoding="utf-8")):
            reason = reason_to_skip(file, name)
            if reason is None:
                running[int(line)].append(f"{file.name}::{name}")
            else:
                skipped[int(line)].append(f"{file.name}::{name}: {reason}")
    for file in sorted(SCALA_TESTS.rglob("*Suite.scala")):
        for title, lines in SCALA.findall(file.read_text(encoding="utf-8")):
            for line in lines.split(","):
                running[int(line)].append(f"{file.name}: {title}")
    return running, skipped


def reason_to_skip(file: Path, test: str) -> str | None:
    """Return why pytest does not run a test on this machine, or lets it fail; None if it counts."""
    imported = import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
    of_module = getattr(imported, "pytestmark", [])
    marks = of_module if isinstance(of_module, list) else [of_module]
    for mark in [*marks, *getattr(getattr(imported, test), "pytestmark", [])]:
        if mark.name in ("skip", "xfail") or (mark.name == "skipif" and any(mark.args)):
            return str(mark.kwargs.get("reason", mark.name))
    return None


@pytest.mark.parametrize("line", range(1, LINES + 1))
def test_a_test_claims_line(line: int) -> None:
    running, skipped = claims()
    if line in skipped and line not in running:
        pytest.skip(f"line {line} is not tested here: {'; '.join(skipped[line])}")
    assert line in running, f"no test says that it is about line {line}"


def test_no_test_claims_a_line_that_is_not_there() -> None:
    running, skipped = claims()
    assert {*running, *skipped} <= set(range(1, LINES + 1))


def test_no_name_is_nearly_a_claim() -> None:
    for file in TEST_FILES:
        text = file.read_text(encoding="utf-8")
        meant = re.findall(r"^ *(?:async )?def (test_lines?_?\d\w*)", text, re.MULTILINE)
        assert meant == [name for name, _ in PYTEST.findall(text)], file.name


def test_the_page_on_soundness_describes_each_line() -> None:
    page = (ROOT / "docs" / "soundness.md").read_text(encoding="utf-8")
    described = [int(line) for line in re.findall(r"^- \*\*(\d+)\.\*\* ", page, re.MULTILINE)]
    assert sorted(described) == list(range(1, LINES + 1))
