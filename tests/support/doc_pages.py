"""Runs the examples of the documentation's pages, and compares their output with the pages.

No library replaces this. pytest-examples expects output as comments in the code, and captures only
`print`; the pages show output in a block of its own, and a library writes some of it. Sybil would
replace one regular expression: it neither captures output nor pairs a block with the next one.
"""

from __future__ import annotations

import io
import re
import textwrap
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from support.paths import ROOT

RESULTS = ROOT / "benchmarks/results/5GB-2000.json"
S3_RESULTS = RESULTS.with_name("s3.json")
PAIRS_RESULTS = RESULTS.with_name("pairs.json")
_PYTHON = re.compile(
    r"^```python\n(.*?)^```$(?=\s*(?:```text\n(.*?)^```$)?)", re.MULTILINE | re.DOTALL
)
_GENERATED = re.compile(
    r"^<!-- Written by `make golden`([^>]*) -->\n(.*?)^<!-- End. -->$", re.MULTILINE | re.DOTALL
)
# What differs from machine to machine and from Spark to Spark.
_MEASURED = re.compile(r"[\d.]+ (?:ms|B|KiB|MiB)\b")


@dataclass(frozen=True)
class Example:
    """A block of Python, and the text block right after it; None where there is none."""

    code: str
    output: str | None

    def imports(self, *packages: str) -> bool:
        """Return whether the code imports one of these packages."""
        return any(f"import {package}" in self.code for package in packages)

    def run(self, names: dict[str, Any]) -> None:
        """Run the code in `names`, and compare what it prints."""
        with redirect_stdout(io.StringIO()) as printed:
            exec(compile(self.code, "<example>", "exec"), names)
        if self.output is not None:
            assert_shown(self.output, printed.getvalue())


def examples(page: Path) -> list[Example]:
    """Return what a page shows in Python, in order."""
    blocks = _PYTHON.findall(page.read_text(encoding="utf-8"))
    return [Example(code, output or None) for code, output in blocks]


def assert_shown(expected: str, printed: str) -> None:
    """Assert that `printed` is what the page shows; an ellipsis there stands for any text."""
    pattern = ".*?".join(map(re.escape, _MEASURED.sub("_", expected.strip()).split("…")))
    found = _MEASURED.sub("_", printed.strip())
    assert re.fullmatch(pattern, found, re.DOTALL), (
        f"the page shows\n{expected}\nbut this came:\n{found}"
    )


def fill(text: str, indent: str = "") -> str:
    """Return prose in lines as long as those of the pages, all but the first indented."""
    return textwrap.fill(text, 150, subsequent_indent=indent, break_on_hyphens=False)


def hold_generated(page: Path, expected: str, config: pytest.Config, source: str = "") -> None:
    """Assert that the generated part of a page is `expected`; `make golden` writes it.

    If the page has several such parts, the comment before the part contains `source`.
    """
    text = page.read_text(encoding="utf-8")
    parts = [part for part in _GENERATED.finditer(text) if source in part[1]]
    assert len(parts) == 1, f"{page} has {len(parts)} generated parts from {source or 'anything'}"
    (part,) = parts
    if config.getoption("--snapshot-update"):
        page.write_text(text[: part.start(2)] + expected + text[part.end(2) :], encoding="utf-8")
    else:
        assert part[2] == expected, "run `make golden`, and read the difference"
