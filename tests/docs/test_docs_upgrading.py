"""The page on upgrading has a section for each version of the changelog; its reasons exist."""

from __future__ import annotations

import re

from support.paths import DOCS, ROOT, SCALA

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


def test_reasons_exist() -> None:
    reasons = (SCALA / "select/Reason.scala").read_text(encoding="utf-8")
    codes = set(re.findall(r"`\]\(reasons\.md#([a-z0-9-]+)\)", PAGE))
    assert codes
    assert {code for code in codes if f'"{code}"' not in reasons} == set()
