"""The promises of the README are those of the documentation, and their figures were measured."""

from __future__ import annotations

import json
import re
from pathlib import Path

from support.doc_pages import RESULTS, S3_RESULTS
from support.paths import DOCS, ROOT


def promises(page: Path) -> list[str]:
    """Return the numbered promises of a page, each in one line, without where its links lead."""
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"^\d\. (\*\*.+\n(?: {3}.+\n)*)", text, re.MULTILINE)
    return [re.sub(r"\]\([^)]*\)", "]", " ".join(one.split())) for one in found]


def test_both_pages_promise_the_same() -> None:
    assert len(promises(ROOT / "README.md")) == 3
    assert promises(ROOT / "README.md") == promises(DOCS / "index.md")


def test_the_overhead_is_the_one_that_was_measured() -> None:
    _, overhead, _ = promises(ROOT / "README.md")
    targets = json.loads(RESULTS.read_text(encoding="utf-8"))["targets"]
    told = re.findall(r"(\d\.\d\d) to (\d\.\d\d) times .*?\(mean (\d\.\d\d)\)", overhead)
    measured = []
    for name in ("nothing to gain", "collect that one task answers"):
        (target,) = (one for one in targets if one["name"].endswith(name))
        ratios = target["ratios"].values()
        measured.append((min(ratios), max(ratios), target["geometric_mean"]))
    assert told == [tuple(f"{number:.2f}" for number in numbers) for numbers in measured]


def test_the_readme_says_how_many_queries_are_run() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    run = json.loads(RESULTS.read_text(encoding="utf-8"))["queries"]
    assert re.findall(r"`make bench` runs (\d+) queries", text) == [str(len(run))]


def test_the_readme_says_how_many_targets_are_missed() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    measured = []
    for results in (RESULTS, S3_RESULTS):
        met = [one["met"] for one in json.loads(results.read_text(encoding="utf-8"))["targets"]]
        reached, missed = met.count(True), met.count(False)
        measured.append(tuple(map(str, (reached, reached + missed, missed))))
    told = re.findall(r"met\s(\d+) of (\d+) targets and missed (\d+)", text)
    assert told == measured
