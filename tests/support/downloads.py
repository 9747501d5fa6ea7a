"""What tests need beyond the package: a script in ``bin/`` downloads it once."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

from support.paths import ROOT


def folder(script: str, *versions: str) -> Path:
    """The folder that a script of ``bin/`` fills; without it, the test is skipped."""
    command = [str(ROOT / "bin" / script), *versions]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if run.returncode != 0:
        missing(f"bin/{script} {' '.join(versions)}: {run.stderr}")
    return Path(run.stdout.strip())


def missing(reason: str) -> NoReturn:
    """Skip the test. In CI, it fails."""
    (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)
