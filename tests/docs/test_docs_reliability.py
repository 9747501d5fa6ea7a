"""What docs/reliability.md says is tested: each row of its tables names its tests, which exist."""

from __future__ import annotations

import re

from support.paths import DOCS, SCALA_TESTS, TEST_FILES

PAGE = (DOCS / "reliability.md").read_text(encoding="utf-8")
TEST = re.compile(r"`(test_\w+|\w+Suite)`")
ROWS = [
    row
    for row in re.findall(r"^\|.*\|$", PAGE, re.MULTILINE)
    if not re.match(r"\| (---|what happens|input) \|", row)
]


def test_each_row_names_its_tests() -> None:
    assert len(ROWS) >= 16
    unnamed = [row for row in ROWS if not re.search(rf"{TEST.pattern}\) \|$", row)]
    assert unnamed == []


def test_each_test_that_is_named_exists() -> None:
    there = {file.stem for file in [*TEST_FILES, *SCALA_TESTS.rglob("*Suite.scala")]}
    named = set(TEST.findall(PAGE))
    assert len(named) >= 12
    assert named <= there
