"""Reads `expected.txt`: differences that are as they should be, each with the reason."""

from __future__ import annotations

from pathlib import Path

from spark_suites.compare import Test
from spark_suites.suites import PACKAGE

LIST = Path(__file__).with_name("expected.txt")
MODES = ["plain", "limited"]


def parse(text: str) -> dict[str, dict[Test, str]]:
    """Read, for each mode, lines `suite: test` with the reason on indented lines below them."""
    expected: dict[str, dict[Test, str]] = {mode: {} for mode in MODES}
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
