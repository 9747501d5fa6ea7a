"""Makes the site of what the repository has beside docs/, too.

Pages link to files by relative paths, as they stand in the repository. What of that is not in docs/
becomes a page or a picture of the site, or a link to the repository.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PUBLISHED = {
    ROOT / "README.md": "index.md",
    ROOT / "CHANGELOG.md": "changelog.md",
    ROOT / "CONTRIBUTING.md": "contributing.md",
    ROOT / "SECURITY.md": "security.md",
    ROOT / "benchmarks/results/5GB-2000.png": "images/5GB-2000.png",
}
_CODE = re.compile(r"(^```.*?^```|`[^`\n]*`)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<=\]\()[^)\s]+(?=\))")
_PICTURE = re.compile(
    r'<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="(?P<dark>[^"]+)">\s*'
    r'<img alt="(?P<alt>[^"]+)" src="(?P<light>[^"]+)">\s*</picture>'
)
_BY_SCHEME = r"![\g<alt>](\g<light>#only-light)\n![\g<alt>](\g<dark>#only-dark)"
# Of the plugin `offline`. Without it, pages that are opened from a folder have no search.
_SEARCH_IN_FOLDERS = '<script src="https://unpkg.com/iframe-worker/shim"></script>'
_LOADED = re.compile(
    r"<(?:script|img|iframe)[^>]* src=\"(?:https?:)?//|<link[^>]* href=\"(?:https?:)?//"
)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is published of other folders."""
    for path, uri in PUBLISHED.items():
        files.append(File.generated(config, uri, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point the links and pictures of a page to where the site has what they mean."""
    del files  # MkDocs passes it by name

    def target(link: re.Match[str]) -> str:
        return _target(link[0], page.file, config.extra["repository"])

    # Readers choose the site's colours, which need not be those of their machine.
    markdown = _PICTURE.sub(_BY_SCHEME, markdown)
    parts = _CODE.split(markdown)  # every other part is code
    parts[::2] = [_LINK.sub(target, text) for text in parts[::2]]
    return "".join(parts)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Take out the one script from elsewhere, and refuse a page that loads anything else so."""
    del config  # MkDocs passes it by name
    return _without_elsewhere(output, page.file.src_uri)


def on_post_template(output_content: str, template_name: str, config: MkDocsConfig) -> str:
    """Do as `on_post_page`, for pages that are not made of Markdown."""
    del config
    return _without_elsewhere(output_content, template_name)


def _without_elsewhere(html: str, name: str) -> str:
    html = html.replace(_SEARCH_IN_FOLDERS, "")
    if loaded := _LOADED.search(html):
        raise PluginError(f"{name} loads from elsewhere: {loaded[0]}")
    return html


def _target(link: str, page: File, repository: str) -> str:
    url = urlsplit(link)
    if url.scheme or not url.path:
        return link
    path = Path(os.path.normpath(Path(str(page.abs_src_path)).parent / url.path))
    if path in PUBLISHED:
        uri = PUBLISHED[path]
    elif path.is_relative_to(DOCS):
        uri = path.relative_to(DOCS).as_posix()
    elif path.exists():
        return f"{repository}/blob/main/{path.relative_to(ROOT).as_posix()}"
    else:
        return link  # MkDocs finds nothing there either, and says so
    folder = Path(page.src_uri).parent
    return urlunsplit(url._replace(path=Path(os.path.relpath(uri, folder)).as_posix()))
