"""Relative links in README, docs/ and the other pages lead somewhere, anchors included."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from support.paths import DOCS, ROOT

PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))]
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINKS = re.compile(r"\]\(([^)\s]+)\)|\b(?:src|srcset|href)=\"([^\"]+)\"")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub, and the site, give a page's headings."""
    text = re.sub(
        r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    return {
        re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-") for h in HEADING.findall(text)
    }


def problem(page: Path, link: str) -> str | None:
    """Return what is wrong with a link; None where it is right or leads elsewhere."""
    url = urlsplit(link)
    if url.scheme or url.netloc:
        return None
    target = (page.parent / url.path).resolve() if url.path else page
    if not target.exists():
        return f"{link}: there is no {target.relative_to(ROOT)}"
    # Anchors of the reference are made from the code; building the site checks those.
    if url.fragment and "." not in url.fragment and url.fragment not in anchors(target):
        return f"{link}: {target.relative_to(ROOT)} has no such heading"
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links(page: Path) -> None:
    text = CODE.sub("", page.read_text(encoding="utf-8"))
    links = [link for pair in LINKS.findall(text) for link in pair if link]
    assert [wrong for link in links if (wrong := problem(page, link))] == []


def test_wrong_links_are_found() -> None:
    readme = ROOT / "README.md"
    assert problem(readme, "docs/settings.md#sparklimitpruningenabled") is None
    assert problem(readme, "docs/settings.md#sparklimitpruningnothing")
    assert problem(readme, "docs/nothing.md")
