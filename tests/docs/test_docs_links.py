"""Relative links of the README lead somewhere, anchors included; so do links to it.

MkDocs checks the links between the pages of the site (`make docs`). The README is not one of them.
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

from support.paths import DOCS, ROOT

README = ROOT / "README.md"
SITE = [ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINKS = re.compile(r"\]\(([^)\s]+)\)|\b(?:src|srcset|href)=\"([^\"]+)\"")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def links(page: Path) -> list[str]:
    """Return where the links of a page lead."""
    text = CODE.sub("", page.read_text(encoding="utf-8"))
    return [link for pair in LINKS.findall(text) for link in pair if link]


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
    if url.fragment and url.fragment not in anchors(target):
        return f"{link}: {target.relative_to(ROOT)} has no such heading"
    return None


def test_links_of_the_readme() -> None:
    assert [wrong for link in links(README) if (wrong := problem(README, link))] == []


def test_links_to_the_readme() -> None:
    found = [(page, link) for page in SITE for link in links(page) if "README.md" in link]
    assert found
    assert [wrong for page, link in found if (wrong := problem(page, link))] == []


def test_the_site_lists_each_decision() -> None:
    site = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    index = (DOCS / "adr" / "README.md").read_text(encoding="utf-8")
    pages = [page.name for page in sorted((DOCS / "adr").glob("[0-9]*.md"))]
    assert pages
    assert [page for page in pages if f"adr/{page}" not in site or page not in index] == []


def test_wrong_links_are_found() -> None:
    assert problem(README, "docs/settings.md#sparklimitpruningenabled") is None
    assert problem(README, "docs/settings.md#sparklimitpruningnothing")
    assert problem(README, "docs/nothing.md")
