"""Where things are in the repository."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
DOCS = ROOT / "docs"
SCALA = ROOT / "jvm/src/main/scala/limitpruning"
SCALA_TESTS = ROOT / "jvm/src/test/scala"
TEST_FILES = sorted(TESTS.rglob("test_*.py"))
