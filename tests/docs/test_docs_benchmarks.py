"""The page on benchmarks contains the results; `make golden` writes that part again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks.reasons import REASONS
from support.doc_pages import RESULTS, fill, hold_generated
from support.paths import DOCS

MET = {True: "met", False: "missed", None: "not measured"}


def test_the_page_contains_the_results(pytestconfig: pytest.Config) -> None:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    hold_generated(DOCS / "benchmarks.md", described(results), pytestconfig)


def described(results: dict[str, Any]) -> str:
    """Return the results as a sentence, a table, and the reasons for missed targets."""
    about, tables = results["about"], results["tables"]
    size = f"{tables['events']['bytes'] / 1e9:.1f} GB in {tables['events']['files']} files"
    versions = ", ".join(f"{n} {v}" for n, v in about["versions"].items() if "extension" not in n)
    rows = [row(target) for target in results["targets"]]
    missed = [
        fill(f"- *{target['name']}:* {REASONS[target['name']]}.", indent="  ") + "\n"
        for target in results["targets"]
        if target["met"] is False
    ]
    return (
        f"\n{size}; {versions}; {about['system']}, {about['cores']} cores.\n\n"
        f"| ratio | target | | geometric mean | least | most |\n{'| --- ' * 6}|\n"
        f"{''.join(rows)}\nKnown reasons for missed targets:\n\n"
        f"{''.join(missed)}\n"
    )


def row(target: dict[str, Any]) -> str:
    """Return one line of the table."""
    ratios = target["ratios"].values()
    numbers = (target["geometric_mean"], min(ratios), max(ratios))
    cells = [target["name"], target["goal"], MET[target["met"]], *(f"{n:.2f}" for n in numbers)]
    return f"| {' | '.join(cells)} |\n"
