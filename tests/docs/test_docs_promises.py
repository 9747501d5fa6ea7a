"""The figures of the README's promises were measured."""

from __future__ import annotations

import json
import re
import statistics
from pathlib import Path

from support.doc_pages import PAIRS_RESULTS
from support.paths import ROOT


def promises(page: Path) -> list[str]:
    """Return the numbered promises of a page, each in one line, without where its links lead."""
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"^\d\. (\*\*.+\n(?: {3}.+\n)*)", text, re.MULTILINE)
    return [re.sub(r"\]\([^)]*\)", "]", " ".join(one.split())) for one in found]


def test_there_are_three_promises() -> None:
    assert len(promises(ROOT / "README.md")) == 3


def test_the_overhead_is_the_one_that_was_measured() -> None:
    _, overhead, _ = promises(ROOT / "README.md")
    results = json.loads(PAIRS_RESULTS.read_text(encoding="utf-8"))
    kinds = results["kinds"]
    medians = [kind["time"]["median"] for kind in kinds]
    told = re.search(
        r"(\d+) kinds .*? are (\d\.\d\d) to (\d\.\d\d), and (\d\.\d\d) in the middle", overhead
    )
    assert told
    shown = (min(medians), max(medians), statistics.median(medians))
    assert told.groups() == (str(len(kinds)), *(f"{number:.2f}" for number in shown))
    assert "No kind is slower beyond noise" in overhead
    assert not any(kind["time"]["low"] > kind["limit"] for kind in kinds)
    slow = sum(kind["kind"].endswith(", slow") for kind in kinds)
    places = re.findall(r"(\d+) on a local disk, and (\d+) on storage with 30 ms", overhead)
    assert places == [(str(len(kinds) - slow), str(slow))]
    assert {kind["limit"] for kind in kinds} == {1.03, 1.05}
    first = re.findall(r"first query of a session took (\d\.\d\d) times", overhead)
    assert first == [f"{results['first query of a session']['time']['median']:.2f}"]
