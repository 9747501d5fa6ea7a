"""The demo of the README runs, and every line of its table has numbers."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from support.processes import environment, output_of

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [pytest.mark.spark, pytest.mark.slow]


def test_every_query_of_the_demo_has_a_line() -> None:
    output = output_of(
        sys.executable,
        str(ROOT / "examples" / "demo.py"),
        cwd=ROOT,
        env=environment(SPARK_LOCAL_IP="127.0.0.1"),
    )
    assert "rows:   (Alpine Ibex, 101)" in output
    lines = [line for line in output.splitlines() if re.search(r"\d+ of \d+ +\d+ of \d+$", line)]
    assert len(lines) == 4, output
    assert "None" not in output
