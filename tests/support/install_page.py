"""Reads docs/install.md, and pages like it: the files that a section shows, and its commands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from support.paths import DOCS

PAGE = DOCS / "install.md"
_FILE = re.compile(r"^`([^`]+)`:\n\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_COMMANDS = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Section:
    """One way to use the extension.

    Attributes:
        files: The text of each file, by its path.
        commands: Lines for a shell.
    """

    files: dict[str, str]
    commands: str

    def write(self, folder: Path) -> None:
        """Write the files into `folder`."""
        for path, text in self.files.items():
            file = folder / path
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")


def section(title: str, page: Path = PAGE) -> Section:
    """Return the section of this title.

    Raises:
        KeyError: The page has no such section.
    """
    parts = re.split(r"^## (.+)\n", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    text = dict(zip(parts[1::2], parts[2::2], strict=True))[title]
    return Section(dict(_FILE.findall(text)), "".join(_COMMANDS.findall(text)))
