"""Pages that list what there is in the code list all of it, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import limit_pruning
from support.paths import DOCS, SCALA
from support.sample_reports import limit_report


def found(pattern: str, file: Path) -> list[str]:
    """Return what the pattern's group matches in a file, in order."""
    return re.findall(pattern, file.read_text(encoding="utf-8"), re.MULTILINE)


def metrics(section: str) -> list[list[str]]:
    """Return the cells of the table in a section of the page on metrics, without its header."""
    page = (DOCS / "metrics.md").read_text(encoding="utf-8")
    body = page.split(f"\n## {section}\n")[1].split("\n## ")[0]
    rows = [line[1:-1].split("|") for line in body.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def names(cells: list[str]) -> list[str]:
    """Return the names that stand in cells as code."""
    return [name for cell in cells for name in re.findall(r"`([\w.]+)`", cell)]


def paths(plain: dict[str, Any]) -> Iterator[str]:
    """Yield the names of attributes, those of a group with its name and a dot."""
    for name, value in plain.items():
        if isinstance(value, dict):
            yield from (f"{name}.{attribute}" for attribute in value)
        else:
            yield name


def test_every_reason_has_a_section_by_its_code() -> None:
    codes = found(r'Reason\(\s*"([a-z0-9-]+)"', SCALA / "select/Reason.scala")
    sections = found(r"^### (.*)$", DOCS / "reasons.md")
    assert len(codes) > 20
    assert sorted(sections) == sorted(codes)


def test_every_metric_of_the_scan_is_explained() -> None:
    shown = found(r'create\w*Metric\(context, "(.*?)"\)', SCALA / "scan/ScanMetrics.scala")
    assert len(shown) > 15
    assert sorted(filter(None, (row[1] for row in metrics("One query")))) == sorted(shown)


def test_every_entry_of_explain_is_explained() -> None:
    shown = set(found(r'"([A-Z]\w+)"\s*->', SCALA / "scan/ScanDescription.scala"))
    page = (DOCS / "metrics.md").read_text(encoding="utf-8")
    assert len(shown) > 10
    assert {entry for entry in shown if not re.search(rf"`{entry}\b", page)} == set()


def test_every_field_of_a_report_is_explained() -> None:
    explained = names([row[2] for row in metrics("One query")])
    assert sorted(set(explained)) == sorted(paths(limit_report([]).to_dict()))


def test_every_total_is_explained() -> None:
    gauges, attributes, _ = zip(*metrics("All queries"), strict=True)
    assert names(list(gauges)) == found(r'^    "(\w+)" -> ', SCALA / "report/Totals.scala")
    assert names(list(attributes)) == [field.name for field in fields(limit_pruning.Totals)]


def test_everything_public_is_in_the_reference() -> None:
    described = found(r"^::: limit_pruning\.(\w+)$", DOCS / "api.md")
    assert sorted(described) == sorted(set(limit_pruning.__all__) - {"__version__"})
