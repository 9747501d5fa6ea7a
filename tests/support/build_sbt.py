"""What `build.sbt` names."""

from __future__ import annotations

import re

from support.paths import ROOT


def value(name: str) -> str:
    """Return a text that `build.sbt` gives a name, as in ``val sparkVersion = "4.2.0"``."""
    build = (ROOT / "build.sbt").read_text(encoding="utf-8")
    found = re.search(rf'^val {name} = "(.+)"$', build, re.MULTILINE)
    assert found, f"build.sbt has no {name}"
    return found[1]
