"""Each reason is expected by a test of a query, or of a plan, in which it is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.paths import DOCS, SCALA, SCALA_TESTS, TEST_FILES

CODES = re.findall(r"^### ([a-z0-9-]+)$", (DOCS / "reasons.md").read_text("utf-8"), re.MULTILINE)


def name_in_scala(code: str) -> str:
    """Return the name of a reason in Scala: the one that is declared with the code."""
    source = (SCALA / "select" / "Reason.scala").read_text(encoding="utf-8")
    declared = re.findall(r"class (\w+)|object (\w+)|\"([a-z0-9-]+)\"", source)
    last = ""
    for class_, object_, text in declared:
        if text == code:
            return last
        last = class_ or object_ or last
    raise AssertionError(f"Reason.scala does not contain {code}")


def text(suite: Path) -> str:
    """Return the code of a suite, without the test that only makes reasons to read their texts."""
    return suite.read_text("utf-8").partition('test("codes are different')[0]


@pytest.mark.parametrize("code", CODES)
def test_a_test_expects_the_reason(code: str) -> None:
    in_scala = rf"\"{code}\"|\bReason\.{name_in_scala(code)}\b"
    suites = SCALA_TESTS.rglob("*Suite.scala")
    scala = [suite for suite in suites if re.search(in_scala, text(suite))]
    python = [
        f for f in TEST_FILES if f.parent.name != "docs" and f'"{code}"' in f.read_text("utf-8")
    ]
    assert scala or python


def test_there_is_a_code_for_each_heading() -> None:
    assert len(CODES) > 40
