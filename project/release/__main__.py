"""Prints what holds and what does not: ``python -m release``; the exit code is 1 on a failure."""

from __future__ import annotations

import sys

from limit_pruning import __version__
from release.checks import run
from release.files import Release


def main() -> int:
    """Run all checks on this checkout."""
    failed = 0
    for name, holds, text in run(Release(__version__)):
        failed += not holds
        print(f"{'ok  ' if holds else 'FAIL'}  {name}: {text}", flush=True)
    print(f"\n{f'{failed} checks failed: not ready' if failed else 'Ready to release.'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
