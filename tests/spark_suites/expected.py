"""Reads `expected.txt`: tests that may fail, each with the reason."""

from __future__ import annotations

from pathlib import Path

from spark_suites.compare import Test
from spark_suites.suites import PACKAGE

LIST = Path(__file__).with_name("expected.txt")
MODES = ["plain", "limited"]
ANYWAY = "limited, fails without pruning"


def parse(text: str) -> dict[str, dict[Test, str]]:
    """Read, for each section, lines `suite: test` with the reason on indented lines below them."""
    expected: dict[str, dict[Test, str]] = {section: {} for section in [*MODES, ANYWAY]}
    tests: dict[Test, str] = {}
    test: Test | None = None
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("["):
            tests = expected[line.strip("[]")]
        elif not line.startswith(" "):
            suite, _, name = line.partition(": ")
            test = (PACKAGE + suite, name)
            tests[test] = ""
        elif test is not None:
            tests[test] = f"{tests[test]} {line.strip()}".strip()
    for unexplained in (name for tests in expected.values() for name in tests if not tests[name]):
        raise ValueError(f"expected.txt gives no reason for {unexplained}")
    return expected
