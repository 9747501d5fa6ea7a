"""Reads `expected.txt`: differences that are as they should be, each with the reason."""

from __future__ import annotations

from pathlib import Path

from spark_suites.compare import Test
from spark_suites.suites import PACKAGE

LIST = Path(__file__).with_name("expected.txt")


def parse(text: str) -> dict[Test, str]:
    """Read lines `suite: test`, and below each its reason, indented; `#` begins a comment."""
    expected: dict[Test, str] = {}
    test: Test | None = None
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            suite, _, name = line.partition(": ")
            test = (PACKAGE + suite, name)
            expected[test] = ""
        elif test is not None:
            expected[test] = f"{expected[test]} {line.strip()}".strip()
    if unexplained := [name for (_, name), reason in expected.items() if not reason]:
        raise ValueError(f"expected.txt gives no reason for: {', '.join(unexplained)}")
    return expected
