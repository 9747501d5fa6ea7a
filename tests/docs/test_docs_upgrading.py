"""The page on upgrading has a section for each version of the changelog, and names what exists."""

from __future__ import annotations

import re
from dataclasses import fields

import limit_pruning
from support.paths import DOCS, ROOT, SCALA
from support.sample_reports import limit_report

PAGE = (DOCS / "upgrading.md").read_text(encoding="utf-8")
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def versions(text: str) -> list[str]:
    """Return the versions that second-level headings name, without their dates."""
    headings = re.findall(r"^## \[?(Unreleased|\d[^\s\]]*)", text, re.MULTILINE)
    return [str(heading) for heading in headings]


def test_each_version_has_a_section_in_the_order_of_the_changelog() -> None:
    assert versions("## [0.2.0] - 2026-12-01\n## 0.1.0\n## Every upgrade\n") == ["0.2.0", "0.1.0"]
    assert versions(CHANGELOG)
    assert versions(PAGE) == versions(CHANGELOG)


def test_the_changelog_links_to_the_page() -> None:
    assert "(docs/upgrading.md)" in CHANGELOG


def test_reasons_and_settings_exist() -> None:
    reasons = (SCALA / "select/Reason.scala").read_text(encoding="utf-8")
    codes = set(re.findall(r"`\]\(reasons\.md#([a-z0-9-]+)\)", PAGE))
    assert len(codes) > 5
    assert {code for code in codes if f'"{code}"' not in reasons} == set()
    settings = (SCALA / "conf/LimitPruningConf.scala").read_text(encoding="utf-8")
    named = set(re.findall(r"\[`([\w.]+)`\]\(settings\.md#", PAGE))
    assert named
    assert {name for name in named if f'"spark.limitPruning.{name}"' not in settings} == set()


def renamed(old: str, new: str) -> list[tuple[str, ...]]:
    """Return the groups of two patterns, in the lines of tables whose two cells match them."""
    return re.findall(rf"^\| `{old}`[^|]*\| `{new}`", PAGE, re.MULTILINE)


def test_new_names_of_reports_exist_and_old_ones_do_not() -> None:
    report = limit_report([])
    pairs = renamed(r"report\.only\.([\w.]+)", r"report\.only\.([\w.]+)")
    assert len(pairs) > 3
    for old, new in pairs:
        found: object = report
        for name in new.split("."):
            found = getattr(found, name)
        # The name of the single row groups is that of their numbers now.
        assert old == "row_groups" or not hasattr(report, old)


def test_new_names_of_classes_exist_and_old_ones_do_not() -> None:
    names = renamed(r"(\w+)\.(\w+)", r"\1\.(\w+)")
    assert len(names) >= 3
    for kind, old, new in names:
        attributes = {field.name for field in fields(getattr(limit_pruning, kind))}
        assert new in attributes
        assert old not in attributes
